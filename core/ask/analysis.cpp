#include "core/ask/analysis.h"

#include "core/ask/analyses/declared.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace headscope {

std::span<const Analysis> analyses() {
    static const std::vector<Analysis> all{
        effectAnalysis(),   whyAnalysis(),        insideAnalysis(),    tokensAnalysis(),
        patchAnalysis(),    edgesAnalysis(),      attributeAnalysis(), lensAnalysis(),
        circuitsAnalysis(), similarityAnalysis(), generateAnalysis()};
    return all;
}

const Analysis* analysisNamed(const std::string& key) {
    const auto found = std::ranges::find(analyses(), key, &Analysis::key);
    return found == analyses().end() ? nullptr : &*found;
}

namespace {

template <class Value>
bool holds(const std::optional<Given>& given, Value value) {
    return given && std::get<Value>(*given) == value;
}

/// Whether a parameter that needs a flag is given, as another value than its default.
bool isGiven(const Asked& asked, const AnalysisParameter& parameter) {
    switch (parameter.type) {
    case ParameterType::Flag:
        return asked.is(parameter.key);
    case ParameterType::Count:
        return asked.has(parameter.key) && !holds(parameter.by_default, asked.count(parameter.key));
    case ParameterType::Number:
        return asked.has(parameter.key) &&
               !holds(parameter.by_default, asked.number(parameter.key));
    default:
        return !asked.counts(parameter.key).empty();
    }
}

/// The key of what is required and was not given; empty: nothing is missing.
std::string missingIn(const AnalysisParameter& parameter, const Asked& asked) {
    if (parameter.type == ParameterType::Prompt)
        return asked.prompts("prompt").empty() ? "prompt" : "";
    if (parameter.type == ParameterType::PromptPair)
        return asked.prompts("clean").empty()       ? "clean"
               : asked.prompts("corrupted").empty() ? "corrupted"
                                                    : "";
    return parameter.is_required && !asked.has(parameter.key) ? parameter.key : "";
}

std::string namedIn(std::string_view sentence,
                    const std::function<std::string(const std::string&)>& name) {
    std::string named;
    for (std::size_t begin = sentence.find('{'); begin != std::string_view::npos;
         begin = sentence.find('{')) {
        const std::size_t end = sentence.find('}', begin);
        named += sentence.substr(0, begin);
        named += name(std::string(sentence.substr(begin + 1, end - begin - 1)));
        sentence.remove_prefix(end + 1);
    }
    return named.append(sentence);
}

} // namespace

std::optional<std::string> brokenRule(std::span<const Rule> rules, const Asked& asked,
                                      const std::function<std::string(const std::string&)>& name) {
    for (const Rule& rule : rules)
        if (rule.refuses(asked))
            return namedIn(rule.sentence, name);
    return std::nullopt;
}

std::optional<std::string> brokenRule(const Analysis& analysis, const Asked& asked,
                                      const std::function<std::string(const std::string&)>& name) {
    for (const AnalysisParameter& parameter : analysis.parameters)
        if (!parameter.needs.empty() && isGiven(asked, parameter) && !asked.is(parameter.needs))
            return name(parameter.key) + " needs " + name(parameter.needs) + '.';
    return brokenRule(analysis.rules, asked, name);
}

Result<Answer> answerOf(const Analysis& analysis, const Asking& asking) {
    for (const AnalysisParameter& parameter : analysis.parameters)
        if (const std::string missing = missingIn(parameter, asking.asked); !missing.empty())
            return Error{ErrorCode::InvalidArgument,
                         analysis.key + " needs " + missing + ", which is missing."};
    return analysis.run(asking);
}

} // namespace headscope
