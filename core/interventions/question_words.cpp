#include "core/interventions/question_words.h"

#include "core/attribution/score_words.h"
#include "core/base/text.h"
#include "core/engine/head_mask.h"
#include "core/interventions/metric_words.h"
#include "core/model/prompt.h"

#include <algorithm>
#include <utility>

namespace headscope {

Result<LogitTarget> readLogitTarget(const StreamRun& run, const LogitWords& words, bool as_ids) {
    const auto position = positionFromEnd(words.position.value_or(-1), run.positions());
    if (!position)
        return position.error();
    const auto token = readToken(run.model(), words.token, as_ids);
    if (!token)
        return token.error();
    LogitTarget target{*position, *token, std::nullopt};
    if (!words.against)
        return target;
    const auto against = readToken(run.model(), *words.against, as_ids);
    if (!against)
        return against.error();
    target.against = *against;
    return target;
}

namespace {

Result<void> checkWords(const TokenWords& words) {
    if (words.weight && words.score)
        return Error{ErrorCode::InvalidArgument,
                     "An attention weight and a score are two things to read; give one of them."};
    if ((words.weight || words.score) && namesMetric(words.metric))
        return Error{ErrorCode::InvalidArgument,
                     "An attention weight is read in place of a metric; give one of them."};
    if (words.replace && words.replace_mean)
        return Error{ErrorCode::InvalidArgument,
                     "A token and the mean embedding cannot both stand in; give one of them."};
    return {};
}

/// "4.1:14:2": head, query, key
Result<AttentionEntry> readEntry(const std::string& text, bool score, const ModelSpec& spec) {
    const std::vector<std::string> parts = split(text, ':');
    const auto query =
        parts.size() == 3 ? parseNumber<std::size_t>(parts[1]) : std::optional<std::size_t>();
    const auto key =
        parts.size() == 3 ? parseNumber<std::size_t>(parts[2]) : std::optional<std::size_t>();
    if (!query || !key)
        return Error{ErrorCode::InvalidArgument,
                     "\"" + text +
                         "\" names no weight; write head, query and key, such as 4.1:14:2."};
    const auto head = parseHead(parts.front(), spec);
    if (!head)
        return head.error();
    return AttentionEntry{*head, *query, *key, score};
}

Result<TokenReading> readReading(const Model& model, const TokenWords& words,
                                 const TokenIds& prompt, bool as_ids) {
    if (words.weight || words.score) {
        const auto entry = readEntry(words.weight ? *words.weight : *words.score,
                                     words.score.has_value(), model.spec);
        return entry ? Result<TokenReading>(TokenReading(*entry)) : entry.error();
    }
    auto metric = readMetric(model, words.metric, prompt, as_ids);
    return metric ? Result<TokenReading>(TokenReading(*std::move(metric))) : metric.error();
}

/// One of the tokens that prompts are made of, also where the logits are of classes.
Result<TokenId> readReplacement(const Model& model, const std::string& text, bool as_id) {
    if (!as_id)
        return tokenFromText(model, text);
    if (const auto id = parseNumber<TokenId>(text))
        return *id;
    return Error{ErrorCode::InvalidArgument,
                 "\"" + text + "\" is no token id, and the prompt is given by ids."};
}

Result<std::vector<TokenMethod>> readMethods(const std::vector<std::string>& names) {
    const std::vector<TokenMethod> known = tokenMethods();
    std::vector<TokenMethod> methods;
    for (const std::string& name : names) {
        const auto found = std::ranges::find(known, name, tokenMethodName);
        if (found == known.end())
            return Error{ErrorCode::InvalidArgument,
                         "\"" + name +
                             "\" is no method; it is one of hide, replace, gradient and "
                             "integrated."};
        methods.push_back(*found);
    }
    return methods;
}

} // namespace

Result<TokenQuestion> readTokenQuestion(const Model& model, const TokenWords& words,
                                        const TokenIds& prompt, bool as_ids) {
    if (auto checked = checkWords(words); !checked)
        return checked.error();
    TokenQuestion question;
    question.ids = prompt;
    question.steps = words.steps;
    auto methods = readMethods(words.methods);
    if (!methods)
        return methods.error();
    question.methods = *std::move(methods);
    auto reading = readReading(model, words, prompt, as_ids);
    if (!reading)
        return reading.error();
    question.reading = *std::move(reading);
    if (words.replace_mean)
        question.baseline = TokenBaseline{};
    if (!words.replace)
        return question;
    const auto token = readReplacement(model, *words.replace, as_ids);
    if (!token)
        return token.error();
    question.baseline = TokenBaseline{*token};
    return question;
}

} // namespace headscope
