#include "core/ask/analyses/reading.h"

#include "core/export/provenance.h"

#include <utility>

namespace headscope {

BosMode bosOf(const Asked& asked) {
    return bosNamed(asked.text("bos"));
}

Result<Prompt> promptOf(const Asking& asking) {
    return readPrompt(*asking.model, asking.asked.prompts("prompt").front(), bosOf(asking.asked));
}

Result<std::vector<Prompt>> promptsOf(const Asking& asking) {
    return readPrompts(*asking.model, asking.asked.prompts("prompts"), bosOf(asking.asked));
}

Result<ComparedPrompts> comparedPromptsOf(const Asking& asking) {
    const BosMode bos = bosOf(asking.asked);
    auto clean = readPrompt(*asking.model, asking.asked.prompts("clean").front(), bos);
    if (!clean)
        return clean.error();
    auto corrupted = readPrompt(*asking.model, asking.asked.prompts("corrupted").front(), bos);
    if (!corrupted)
        return corrupted.error();
    auto metric =
        readMetric(*asking.model, metricWordsOf(asking.asked), clean->ids, namesIds(asking.asked));
    if (!metric)
        return metric.error();
    return ComparedPrompts{*std::move(clean), *std::move(corrupted), *std::move(metric)};
}

Result<HeadMask> maskOf(const Asking& asking) {
    return readMask(asking.asked.text("ablate"), asking.asked.text("ablation"), asking.model->spec);
}

Result<AskedRun> runOf(const Asking& asking) {
    auto prompt = promptOf(asking);
    if (!prompt)
        return prompt.error();
    auto mask = maskOf(asking);
    if (!mask)
        return mask.error();
    Provenance provenance = provenanceOf(*asking.model, *prompt, *mask);
    return AskedRun{*std::move(prompt), *std::move(mask), std::move(provenance)};
}

Result<std::optional<TokenId>> tokenOf(const Asking& asking, const std::string& key) {
    if (!asking.asked.has(key))
        return std::optional<TokenId>();
    const GivenToken& token = asking.asked.tokens(key).front();
    const auto read = readToken(*asking.model, token.text, token.is_id);
    if (!read)
        return read.error();
    return std::optional(*read);
}

} // namespace headscope
