#pragma once

#include "app/python/waiting.h"
#include "core/interventions/metric_words.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <vector>

namespace headscope::python {

namespace py = pybind11;

/// A token as Python names it: by its text, or by its id.
struct TokenWord {
    std::string text;
    bool is_id = false;
};
TokenWord wordOf(const py::object& token);

/// Raises what readToken() fails for.
TokenId tokenOf(const Model& model, const py::object& token);

std::vector<Prompt> promptsOf(const Model& model, const std::vector<py::object>& given,
                              const std::string& bos);

/// Keyword arguments of one call, read by name.
class Words {
public:
    explicit Words(py::dict given) : given_(std::move(given)) {}

    py::object at(const char* name) const { return given_[name]; }
    template <class T>
    T read(const char* name) const {
        try {
            return given_[name].cast<T>();
        } catch (const py::cast_error&) {
            raise({ErrorCode::InvalidArgument,
                   std::string(name) + " is of the wrong type or out of range: " +
                       py::str(given_[name]).cast<std::string>() + "."});
        }
    }
    std::string text(const char* name) const { return read<std::string>(name); }
    bool is(const char* name) const { return read<bool>(name); }
    std::size_t count(const char* name) const { return read<std::size_t>(name); }
    std::vector<py::object> list(const char* name) const {
        return read<std::vector<py::object>>(name);
    }
    /// Nothing for None.
    template <class T>
    std::optional<T> maybe(const char* name) const {
        return read<std::optional<T>>(name);
    }

private:
    py::dict given_;
};

/// The keyword arguments metric, tokens, target and position.
struct AskedMetric {
    MetricWords words;
    bool as_ids = false;
};
AskedMetric askedMetric(const Words& words);

/// Raises what readMetric() fails for.
Metric metricOf(const Model& model, const Words& words, const TokenIds& prompt);

} // namespace headscope::python
