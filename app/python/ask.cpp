#include "app/python/ask.h"

#include "app/python/open_model.h"
#include "app/python/questions.h"
#include "app/python/waiting.h"
#include "core/ask/analysis.h"
#include "core/base/text.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headscope::python {

namespace {

void checkBounds(double value, const AnalysisParameter& parameter) {
    if (value >= parameter.least && value <= parameter.most)
        return;
    const std::string most =
        parameter.most == kAnyNumber ? "" : " to " + numberText(parameter.most);
    raise({ErrorCode::InvalidArgument, parameter.key + " is " + numberText(value) +
                                           "; it must be " + numberText(parameter.least) +
                                           (most.empty() ? " or more" : most) + '.'});
}

/// One that is not None.
void takeValue(Asked& asked, const AnalysisParameter& parameter, const Words& words) {
    const char* const key = parameter.key.c_str();
    switch (parameter.type) {
    case ParameterType::Token:
        return takeToken(asked, key, words);
    case ParameterType::Flag:
        return asked.set(key, words.is(key));
    case ParameterType::Count: {
        const auto count = words.read<std::uint64_t>(key);
        checkBounds(static_cast<double>(count), parameter);
        return asked.set(key, count);
    }
    case ParameterType::Number: {
        const auto number = words.read<double>(key);
        checkBounds(number, parameter);
        return asked.set(key, number);
    }
    case ParameterType::Counts:
        return asked.set(key, words.read<std::vector<std::uint64_t>>(key));
    case ParameterType::Choices: {
        auto chosen = words.read<std::vector<std::string>>(key);
        for (const std::string& each : chosen)
            checkChoice(each, parameter.key, parameter.choices);
        return asked.set(key, std::move(chosen));
    }
    case ParameterType::Texts:
        return asked.set(key, words.read<std::vector<std::string>>(key));
    case ParameterType::Position:
        return asked.set(key, words.read<std::int64_t>(key));
    default: {
        std::string text = words.text(key);
        if (parameter.type == ParameterType::Choice)
            checkChoice(text, parameter.key, parameter.choices);
        if (!text.empty() || parameter.by_default) // an empty text says nothing
            asked.set(key, std::move(text));
        return;
    }
    }
}

void take(Asked& asked, const AnalysisParameter& parameter, const Words& words) {
    switch (parameter.type) {
    case ParameterType::Prompt:
        return asked.set("prompt", promptsIn({words.at("prompt")}));
    case ParameterType::Prompts:
        return asked.set("prompts", promptsIn(words.list("prompts")));
    case ParameterType::PromptPair:
        asked.set("clean", promptsIn({words.at("clean")}));
        return asked.set("corrupted", promptsIn({words.at("corrupted")}));
    case ParameterType::Metric:
        return takeMetric(asked, words);
    case ParameterType::Ablation:
        checkChoice(words.text("ablation"), "ablation", ablationChoices());
        asked.set("ablate", words.text("ablate"));
        return asked.set("ablation", words.text("ablation"));
    default:
        if (!words.at(parameter.key.c_str()).is_none())
            takeValue(asked, parameter, words);
    }
}

Table ask(const OpenModel& open, const std::string& key, const Words& words, py::object progress) {
    const Analysis& analysis = *analysisNamed(key); // the module is made of the same list
    Asked asked;
    for (const AnalysisParameter& parameter : analysis.parameters) {
        take(asked, parameter, words);
        if (parameter.type <= ParameterType::PromptPair) {
            checkChoice(words.text("bos"), "bos", bosChoices());
            asked.set("bos", words.text("bos"));
        }
    }
    raiseBroken(brokenRule(analysis, asked, itself));
    Watch watch(std::move(progress));
    return finish<Table>(watch, [&]() -> Result<Table> {
        auto answer = answerOf(analysis, {open.model, asked, watch.progress(), watch.stop()});
        if (!answer)
            return answer.error();
        return std::move(answer->table);
    });
}

} // namespace

void bindAsking(py::module_& module) {
    module.def(
        "ask",
        [](const OpenModel& open, const std::string& key, py::dict words, py::object progress) {
            return ask(open, key, Words(std::move(words)), std::move(progress));
        },
        py::arg("model"), py::arg("key"), py::arg("words"), py::arg("progress"));
}

} // namespace headscope::python
