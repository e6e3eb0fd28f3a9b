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

/// Whether a parameter that needs a flag is given: a flag or numbers.
bool isGiven(const Asked& asked, const AnalysisParameter& parameter) {
    return parameter.type == ParameterType::Flag ? asked.is(parameter.key)
                                                 : !asked.counts(parameter.key).empty();
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

} // namespace headscope
