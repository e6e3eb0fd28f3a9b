#include "core/ask/given.h"

#include "core/base/text.h"
#include "core/export/provenance.h"

#include <algorithm>
#include <utility>

namespace headscope {

namespace {

std::string idsText(const TokenIds& ids) {
    std::vector<std::string> texts;
    std::ranges::transform(ids, std::back_inserter(texts),
                           [](TokenId id) { return std::to_string(id); });
    return join(texts, ",");
}

} // namespace

BosMode bosNamed(std::string_view name) {
    if (name == "yes")
        return BosMode::Yes;
    return name == "no" ? BosMode::No : BosMode::Auto;
}

Result<Prompt> readPrompt(const Model& model, const GivenPrompt& given, BosMode bos,
                          ReadText read_text) {
    if (given.ids)
        return promptFromIds(model, *given.ids, bos);
    if (!given.pair)
        return read_text(model, given.text, bos);
    const auto both = pairText(model, given.text, *given.pair);
    return both ? read_text(model, *both, bos) : both.error();
}

Result<std::vector<Prompt>> readPrompts(const Model& model, std::span<const GivenPrompt> given,
                                        BosMode bos) {
    std::vector<Prompt> prompts;
    for (const GivenPrompt& each : given) {
        auto prompt = readPrompt(model, each, bos);
        if (!prompt)
            return prompt.error();
        prompts.push_back(*std::move(prompt));
    }
    return prompts;
}

std::string promptsNote(std::span<const GivenPrompt> given) {
    std::vector<std::string> texts;
    std::vector<std::string> ids;
    for (const GivenPrompt& each : given)
        if (each.ids)
            ids.push_back(idsText(*each.ids));
        else
            texts.push_back(each.pair ? each.text + "\" with \"" + *each.pair : each.text);
    if (texts.empty() || ids.empty())
        return promptsNote(texts, ids);
    return promptsNote(texts, {}) + " and " + promptsNote({}, ids);
}

Result<HeadMask> readMask(const std::string& heads, std::string_view ablation,
                          const ModelSpec& spec) {
    return parseHeadMask(heads, spec,
                         ablation == ablationKindName(AblationKind::Mean) ? AblationKind::Mean
                                                                          : AblationKind::Zero);
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

} // namespace headscope
