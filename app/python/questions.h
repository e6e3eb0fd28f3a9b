#pragma once

#include "app/python/waiting.h"
#include "core/ask/asked.h"

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <vector>

namespace headscope::python {

namespace py = pybind11;

/// A text, a pair of texts, or a list of ids.
GivenPrompt promptIn(const py::object& given);
std::vector<GivenPrompt> promptsIn(const std::vector<py::object>& given);

/// Texts or ids of tokens.
Given tokensIn(const std::vector<py::object>& given);

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
void takeMetric(Asked& asked, const Words& words);
/// A token that is not None.
void takeToken(Asked& asked, const char* key, const Words& words);

/// Raises a sentence for a value that is none of the choices.
void checkChoice(const std::string& value, const std::string& key,
                 const std::vector<std::string>& choices);

/// Raises what brokenRule() says.
void raiseBroken(const std::optional<std::string>& sentence);

} // namespace headscope::python
