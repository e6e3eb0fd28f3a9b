#include "app/python/questions.h"

#include "app/python/open_model.h"
#include "app/python/waiting.h"

#include <pybind11/stl.h>

namespace headscope::python {

TokenWord wordOf(const py::object& token) {
    const bool is_id = py::isinstance<py::int_>(token);
    return {py::str(token).cast<std::string>(), is_id};
}

TokenId tokenOf(const Model& model, const py::object& token) {
    const TokenWord word = wordOf(token);
    return valueOrRaise(readToken(model, word.text, word.is_id));
}

std::vector<Prompt> promptsOf(const Model& model, const std::vector<py::object>& given,
                              const std::string& bos) {
    std::vector<Prompt> prompts;
    prompts.reserve(given.size());
    for (const py::object& prompt : given)
        prompts.push_back(valueOrRaise(promptOf(model, prompt, bos)));
    return prompts;
}

AskedMetric askedMetric(const Words& words) {
    AskedMetric asked;
    asked.words.kind = words.text("metric");
    for (const py::object& token : words.list("tokens")) {
        const TokenWord word = wordOf(token);
        if (!asked.words.tokens.empty() && word.is_id != asked.as_ids)
            raise({ErrorCode::InvalidArgument,
                   "One token is named by its text and one by its id; name both in one way."});
        asked.words.tokens.push_back(word.text);
        asked.as_ids = word.is_id;
    }
    if (const py::object target = words.at("target"); !target.is_none()) {
        const TokenWord word = wordOf(target);
        asked.words.target = word.text;
        asked.as_ids = word.is_id;
    }
    asked.words.position = words.maybe<std::size_t>("position");
    return asked;
}

Metric metricOf(const Model& model, const Words& words, const TokenIds& prompt) {
    const AskedMetric asked = askedMetric(words);
    return valueOrRaise(readMetric(model, asked.words, prompt, asked.as_ids));
}

} // namespace headscope::python
