#pragma once

#include "core/ask/asked.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// What a parameter takes, and in which type of Given.
enum class ParameterType {
    // Groups, whose names are the same in every analysis:
    Prompt,     ///< prompt and bos: one GivenPrompt, text
    Prompts,    ///< prompts and bos: any number of GivenPrompt, text
    PromptPair, ///< clean, corrupted and bos: a GivenPrompt each, text
    Metric,     ///< metric, tokens, target and position: text, two and one GivenToken, count
    Ablation,   ///< ablate and ablation: text such as "4.1,4.2", text
    // Single ones:
    Token,    ///< one GivenToken
    Head,     ///< text, "4.1"
    Heads,    ///< text, "4.1,4.2"; by default empty
    Entry,    ///< text, "4.1:14:2": head, query and key
    Choice,   ///< text, one of the choices
    Choices,  ///< texts, any of the choices
    Position, ///< position, from the end where negative
    Count,    ///< count
    Counts,   ///< counts
    Number,   ///< number
    Flag,     ///< bool, by default false
    Text,     ///< text
    Texts,    ///< texts; as many as `expected`, where that is not 0
    File      ///< text: the path of a file that is written
};

/// Of a Count or a Number without a largest value.
constexpr double kAnyNumber = std::numeric_limits<double>::infinity();

/// One parameter of an analysis, or a group of them. Command line, Python and agents are told of it
/// by loops over such a list.
struct AnalysisParameter {
    ParameterType type;
    std::string key = {}; ///< "least_effect": --least-effect and least_effect=
    /// As the command line's help says it; of Prompts what is done on one.
    std::string meaning = {};
    std::optional<Given> by_default = std::nullopt;
    std::vector<std::string> choices = {};
    double least = 0.0; ///< of a Count or a Number
    double most = kAnyNumber;
    int expected = 0;             ///< of Texts
    std::string value_names = {}; ///< of several texts: "FROM TO"
    bool is_required = false;
    bool is_positional = false; ///< also on the command line, after the model
    std::string needs = {};     ///< the key of the flag without which it means nothing
};

// Choices that several analyses have, as core names them.

std::vector<std::string> bosChoices();         ///< of the group Prompt and its like
std::vector<std::string> metricChoices();      ///< of the group Metric
std::vector<std::string> ablationChoices();    ///< of the group Ablation
std::vector<std::string> replacementChoices(); ///< ReplacedBy
std::vector<std::string> methodChoices();      ///< EffectMethod

// Makers, so that a list of parameters reads as a table.

AnalysisParameter askPrompt();
AnalysisParameter askPrompts(std::string what_is_done);
AnalysisParameter askPromptPair();
AnalysisParameter askMetric();
AnalysisParameter askAblation();
AnalysisParameter askToken(std::string key, std::string meaning);
AnalysisParameter askHead(std::string key, std::string meaning);
AnalysisParameter askHeads(std::string key, std::string meaning);
AnalysisParameter askEntry(std::string key, std::string meaning);
AnalysisParameter askChoice(std::string key, std::vector<std::string> choices,
                            std::string by_default, std::string meaning);
/// exact or gradient.
AnalysisParameter askMethod(std::string meaning);
/// None of them unless some are given.
AnalysisParameter askChoices(std::string key, std::vector<std::string> choices,
                             std::string meaning);
AnalysisParameter askCount(std::string key, std::uint64_t by_default, std::string meaning);
AnalysisParameter askCounts(std::string key, std::string meaning);
AnalysisParameter askNumber(std::string key, double by_default, std::string meaning);
AnalysisParameter askFlag(std::string key, std::string meaning);
AnalysisParameter askText(std::string key, std::string meaning);
AnalysisParameter askTexts(std::string key, std::string meaning);
/// As many as `value_names` names, with spaces between the names.
AnalysisParameter askTexts(std::string key, std::string value_names, std::string meaning);
AnalysisParameter askFile(std::string key, std::string meaning);
AnalysisParameter askPosition(std::string key, std::string meaning);

/// The same parameter, in other bounds, needed, without or with a default, or after the model.
AnalysisParameter between(double least, double most, AnalysisParameter parameter);
AnalysisParameter required(AnalysisParameter parameter);
AnalysisParameter withoutDefault(AnalysisParameter parameter);
AnalysisParameter withDefault(Given by_default, AnalysisParameter parameter);
AnalysisParameter positional(AnalysisParameter parameter);
/// The same parameter, which only means something beside a flag.
AnalysisParameter beside(std::string flag, AnalysisParameter parameter);

/// The names of core's enumerations: names(edgeEstimates(), edgeEstimateName).
template <class List, class Name>
std::vector<std::string> names(const List& list, const Name& name) {
    std::vector<std::string> names;
    names.reserve(list.size());
    for (const auto each : list)
        names.emplace_back(name(each));
    return names;
}

} // namespace headscope
