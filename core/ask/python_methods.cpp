#include "core/ask/python_methods.h"

#include "core/base/text.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// As many choices as a signature names.
constexpr std::size_t kMostNamed = 8;

constexpr const char* kHead =
    R"(# Made of core/ask when the package was built.
"""What is asked of a model in the same words as on the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal

from headscope import _headscope
from headscope.asking import (
    Ablation,
    Bos,
    Head,
    Method,
    Metric,
    Path,
    Place,
    Progress,
    Prompt,
    Token,
    entry_of,
    prompt_of,
    text_of,
    texts_of,
)
from headscope.checking import checked_methods
from headscope.table import Table
from headscope.waiting import telling


@checked_methods
class Analyses:
    """The part of `headscope.Model` that core declares.

    A ``metric`` is the loss (nats per token), the difference of the logits of two ``tokens``, the
    probability of ``target``, or the KL divergence from the whole model (nats). ``position`` is where
    it is read: by default logit-diff and probability at the last position (or the mask token), loss
    and kl at all.
    """

    _model: _headscope.Model

    def _ask(self, key: str, words: Mapping[str, object], progress: Progress | None) -> Table:
        with telling(progress) as tell:
            return Table(_headscope.ask(self._model, key, words, tell))
)";

/// One argument of a method.
struct Argument {
    std::string name;
    std::string type;
    std::string by_default = {}; ///< empty: it is needed
    std::string word = {};       ///< what core gets for it; empty: itself
};

std::string inQuotes(const std::string& text) {
    return '"' + text + '"';
}

std::string literalOf(const std::vector<std::string>& choices) {
    if (choices == methodChoices())
        return "Method";
    std::vector<std::string> texts;
    std::ranges::transform(choices, std::back_inserter(texts), inQuotes);
    return choices.size() > kMostNamed ? "str" : "Literal[" + join(texts, ", ") + ']';
}

Argument optional(const std::string& name, const std::string& type, std::string word = {}) {
    return {name, type + " | None", "None", std::move(word)};
}

/// A number as Python writes it, with the fraction that says that it is no int.
std::string numberWord(double value) {
    const std::string text = numberText(value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

Argument choiceArgument(const AnalysisParameter& parameter) {
    const std::string type = literalOf(parameter.choices);
    if (!parameter.by_default)
        return optional(parameter.key, type);
    return {parameter.key, type, inQuotes(std::get<std::string>(*parameter.by_default))};
}

Argument countArgument(const AnalysisParameter& parameter) {
    if (!parameter.by_default)
        return optional(parameter.key, "int");
    return {parameter.key, "int", std::to_string(std::get<std::uint64_t>(*parameter.by_default))};
}

Argument numberArgument(const AnalysisParameter& parameter) {
    if (!parameter.by_default)
        return optional(parameter.key, "float");
    return {parameter.key, "float", numberWord(std::get<double>(*parameter.by_default))};
}

Argument textArgument(const AnalysisParameter& parameter) {
    if (!parameter.by_default)
        return optional(parameter.key, "str");
    return {parameter.key, "str", inQuotes(std::get<std::string>(*parameter.by_default))};
}

Argument tokenArgument(const AnalysisParameter& parameter) {
    return parameter.is_required ? Argument{parameter.key, "Token"}
                                 : optional(parameter.key, "Token");
}

Argument singleArgument(const AnalysisParameter& parameter) {
    const std::string& key = parameter.key;
    switch (parameter.type) {
    case ParameterType::Token:
        return tokenArgument(parameter);
    case ParameterType::Head:
        return optional(key, "Head", "None if " + key + " is None else text_of(" + key + ')');
    case ParameterType::Heads:
        return {key, "Sequence[Head]", "()", "texts_of(" + key + ')'};
    case ParameterType::Entry:
        return optional(key, "tuple[Head, int, int]", "entry_of(" + key + ')');
    case ParameterType::Choice:
        return choiceArgument(parameter);
    case ParameterType::Choices:
        return {key, "Sequence[" + literalOf(parameter.choices) + ']', "()"};
    case ParameterType::Count:
        return countArgument(parameter);
    case ParameterType::Counts:
        return {key, "Sequence[int]", "()"};
    case ParameterType::Number:
        return numberArgument(parameter);
    case ParameterType::Flag:
        return {key, "bool", "False"};
    case ParameterType::Texts:
        return parameter.expected == 2 ? optional(key, "tuple[str, str]")
                                       : Argument{key, "Sequence[str]", "()"};
    case ParameterType::Position:
        return optional(key, "Place");
    case ParameterType::File:
        return optional(key, "Path", "None if " + key + " is None else os.fspath(" + key + ')');
    case ParameterType::Text:
        return textArgument(parameter);
    default: // groups have arguments of their own
        return {};
    }
}

/// The arguments of a parameter, or of a group but for bos, which comes once and last.
std::vector<Argument> argumentsOf(const AnalysisParameter& parameter) {
    switch (parameter.type) {
    case ParameterType::Prompt:
        return {{"prompt", "Prompt", "", "prompt_of(prompt, text_pair)"}};
    case ParameterType::Prompts:
        return {{"prompts", "Sequence[Prompt]", "()", "[prompt_of(prompt) for prompt in prompts]"}};
    case ParameterType::PromptPair:
        return {{"clean", "Prompt", "", "prompt_of(clean)"},
                {"corrupted", "Prompt", "", "prompt_of(corrupted)"}};
    case ParameterType::Metric:
        return {{"metric", "Metric", inQuotes(metricChoices().front())},
                {"tokens", "Sequence[Token]", "()"},
                optional("target", "Token"),
                optional("position", "int")};
    case ParameterType::Ablation:
        return {{"ablate", "Sequence[Head]", "()", "texts_of(ablate)"},
                {"ablation", "Ablation", inQuotes(ablationChoices().front())}};
    default:
        return {singleArgument(parameter)};
    }
}

bool isPositional(const AnalysisParameter& parameter) {
    return parameter.type == ParameterType::Prompt || parameter.type == ParameterType::Prompts ||
           parameter.type == ParameterType::PromptPair || parameter.is_required ||
           parameter.is_positional || parameter.key == "head";
}

std::string declared(const Argument& argument) {
    return "        " + argument.name + ": " + argument.type +
           (argument.by_default.empty() ? "" : " = " + argument.by_default) + ",\n";
}

std::string documented(const std::string& help) {
    std::vector<std::string> lines = split(help, '\n');
    for (std::size_t i = 1; i < lines.size(); ++i)
        if (!lines[i].empty())
            lines[i].insert(0, 8, ' ');
    const bool is_one_line = lines.size() == 1;
    return "        \"\"\"" + join(lines, "\n") + (is_one_line ? "" : "\n        ") + "\"\"\"\n";
}

std::string method(const Analysis& analysis) {
    std::string positional;
    std::string keywords;
    std::string words;
    bool has_prompt = false;
    bool has_bos = false;
    for (const AnalysisParameter& parameter : analysis.parameters) {
        has_prompt = has_prompt || parameter.type == ParameterType::Prompt;
        has_bos = has_bos || parameter.type <= ParameterType::PromptPair;
        for (const Argument& argument : argumentsOf(parameter)) {
            (isPositional(parameter) ? positional : keywords) += declared(argument);
            words += "            \"" + argument.name +
                     "\": " + (argument.word.empty() ? argument.name : argument.word) + ",\n";
        }
    }
    if (has_prompt)
        keywords += declared(optional("text_pair", "str"));
    if (has_bos) {
        keywords += declared({"bos", "Bos", "\"auto\""});
        words += "            \"bos\": bos,\n";
    }
    keywords += declared(optional("progress", "Progress"));
    return "\n    def " + analysis.method + "(\n        self,\n" + positional + "        *,\n" +
           keywords + "    ) -> Table:\n" + documented(analysis.help) +
           "        words: dict[str, object] = {\n" + words + "        }\n" +
           "        return self._ask(\"" + analysis.key + "\", words, progress)\n";
}

} // namespace

std::string pythonMethods(std::span<const Analysis> analyses) {
    std::string text = kHead;
    for (const Analysis& analysis : analyses)
        text += method(analysis);
    return text;
}

} // namespace headscope
