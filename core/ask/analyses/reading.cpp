#include "core/ask/analyses/reading.h"

#include "core/base/text.h"
#include "core/export/provenance.h"

#include <algorithm>
#include <utility>

namespace headscope {

namespace {

Result<Prompt> readPrompt(const Model& model, const GivenPrompt& given, BosMode bos) {
    if (given.ids)
        return promptFromIds(model, *given.ids, bos);
    if (!given.pair)
        return promptFromText(model, given.text, bos);
    const auto both = pairText(model, given.text, *given.pair);
    return both ? promptFromText(model, *both, bos) : both.error();
}

std::string idsText(const TokenIds& ids) {
    std::vector<std::string> texts;
    for (const TokenId id : ids)
        texts.push_back(std::to_string(id));
    return join(texts, ",");
}

} // namespace

BosMode bosOf(const Asked& asked) {
    if (asked.text("bos") == "yes")
        return BosMode::Yes;
    return asked.text("bos") == "no" ? BosMode::No : BosMode::Auto;
}

Result<Prompt> promptOf(const Asking& asking) {
    return readPrompt(*asking.model, asking.asked.prompts("prompt").front(), bosOf(asking.asked));
}

Result<std::vector<Prompt>> promptsOf(const Asking& asking) {
    std::vector<Prompt> prompts;
    for (const GivenPrompt& given : asking.asked.prompts("prompts")) {
        auto prompt = readPrompt(*asking.model, given, bosOf(asking.asked));
        if (!prompt)
            return prompt.error();
        prompts.push_back(*std::move(prompt));
    }
    return prompts;
}

std::string promptsNoteOf(const Asked& asked) {
    std::vector<std::string> texts;
    std::vector<std::string> ids;
    for (const GivenPrompt& given : asked.prompts("prompts"))
        if (given.ids)
            ids.push_back(idsText(*given.ids));
        else
            texts.push_back(given.pair ? given.text + "\" with \"" + *given.pair : given.text);
    if (texts.empty() || ids.empty())
        return promptsNote(texts, ids);
    return promptsNote(texts, {}) + " and " + promptsNote({}, ids);
}

Result<CleanAndCorrupted> pairOf(const Asking& asking) {
    const BosMode bos = bosOf(asking.asked);
    auto clean = readPrompt(*asking.model, asking.asked.prompts("clean").front(), bos);
    if (!clean)
        return clean.error();
    auto corrupted = readPrompt(*asking.model, asking.asked.prompts("corrupted").front(), bos);
    if (!corrupted)
        return corrupted.error();
    return CleanAndCorrupted{*std::move(clean), *std::move(corrupted)};
}

MetricWords metricWordsOf(const Asked& asked) {
    MetricWords words;
    words.kind = asked.text("metric");
    for (const GivenToken& token : asked.tokens("tokens"))
        words.tokens.push_back(token.text);
    if (asked.has("target"))
        words.target = asked.tokens("target").front().text;
    if (asked.has("position"))
        words.position = asked.count("position");
    return words;
}

bool namesIds(const Asked& asked, const std::vector<std::string>& others) {
    std::vector<std::string> keys{"tokens", "target"};
    keys.insert(keys.end(), others.begin(), others.end());
    return std::ranges::any_of(keys, [&](const std::string& key) {
        return std::ranges::any_of(asked.tokens(key), &GivenToken::is_id);
    });
}

Result<Metric> metricOf(const Asking& asking, const TokenIds& prompt) {
    return readMetric(*asking.model, metricWordsOf(asking.asked), prompt, namesIds(asking.asked));
}

std::vector<Rule> metricRules() {
    return {
        {[](const Asked& asked) {
             const std::size_t needed = asked.text("metric") == "logit-diff" ? 2 : 0;
             return asked.tokens("tokens").size() != needed;
         },
         "{tokens} A B belongs to {metric} logit-diff, which needs it."},
        {[](const Asked& asked) {
             return asked.text("metric") == "probability" && !asked.has("target");
         },
         "{metric} probability needs {target} TOKEN."},
        {[](const Asked& asked) {
             return asked.has("target") && asked.text("metric") != "probability" &&
                    asked.text("metric") != "loss";
         },
         "{target} belongs to {metric} probability and loss."},
        {[](const Asked& asked) {
             const auto& tokens = asked.tokens("tokens");
             return tokens.size() == 2 && tokens[0].is_id != tokens[1].is_id;
         },
         "One token is named by its text and one by its id; name both in one way."},
    };
}

Result<HeadMask> maskOf(const Asking& asking) {
    return parseHeadMask(asking.asked.text("ablate"), asking.model->spec,
                         asking.asked.text("ablation") == "mean" ? AblationKind::Mean
                                                                 : AblationKind::Zero);
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
