#include "app/python/questions.h"

#include "app/python/waiting.h"
#include "core/ask/parameter.h"
#include "core/base/text.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace headscope::python {

GivenPrompt promptIn(const py::object& given) {
    GivenPrompt prompt;
    if (py::isinstance<py::str>(given)) {
        prompt.text = given.cast<std::string>();
    } else if (py::isinstance<py::tuple>(given)) {
        auto [first, second] = given.cast<std::pair<std::string, std::string>>();
        prompt.text = std::move(first);
        prompt.pair = std::move(second);
    } else {
        prompt.ids = given.cast<TokenIds>();
    }
    return prompt;
}

std::vector<GivenPrompt> promptsIn(const std::vector<py::object>& given) {
    std::vector<GivenPrompt> prompts;
    std::ranges::transform(given, std::back_inserter(prompts), promptIn);
    return prompts;
}

Given tokensIn(const std::vector<py::object>& given) {
    std::vector<GivenToken> tokens;
    tokens.reserve(given.size());
    for (const py::object& token : given)
        tokens.push_back({py::str(token).cast<std::string>(), py::isinstance<py::int_>(token)});
    return tokens;
}

void takeToken(Asked& asked, const char* key, const Words& words) {
    if (const py::object token = words.at(key); !token.is_none())
        asked.set(key, tokensIn({token}));
}

void takeMetric(Asked& asked, const Words& words) {
    checkChoice(words.text("metric"), "metric", metricChoices());
    asked.set("metric", words.text("metric"));
    asked.set("tokens", tokensIn(words.list("tokens")));
    takeToken(asked, "target", words);
    if (const auto position = words.maybe<std::uint64_t>("position"))
        asked.set("position", *position);
}

void checkChoice(const std::string& value, const std::string& key,
                 const std::vector<std::string>& choices) {
    if (std::ranges::find(choices, value) == choices.end())
        raise({ErrorCode::InvalidArgument,
               key + " is \"" + value + "\"; it must be one of " + join(choices, ", ") + '.'});
}

void raiseBroken(const std::optional<std::string>& sentence) {
    if (sentence)
        raise({ErrorCode::InvalidArgument, *sentence});
}

} // namespace headscope::python
