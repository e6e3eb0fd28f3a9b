#pragma once

#include "core/base/token_id.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace headscope {

/// A prompt as a user names it: by its text, by two texts that the tokenizer separates, or by ids.
struct GivenPrompt {
    std::string text;
    std::optional<std::string> pair;
    std::optional<TokenIds> ids; ///< in place of texts; they are run as they are
};

/// A token as a user names it: by its text, or by its id in digits.
struct GivenToken {
    std::string text;
    bool is_id = false;
};

/// What a user gives for one parameter; which of these, its type says (ParameterType).
using Given =
    std::variant<bool, std::uint64_t, std::int64_t, double, std::string, std::vector<std::string>,
                 std::vector<std::uint64_t>, std::vector<GivenPrompt>, std::vector<GivenToken>>;

/// What a user gives for the parameters of an analysis, and defaults for the others. A parameter
/// without a default is not there unless it was given. The functions are for those that are there,
/// and for the type of the parameter.
class Asked {
public:
    void set(const std::string& key, Given value) {
        given_.insert_or_assign(key, std::move(value));
    }

    bool has(const std::string& key) const { return given_.contains(key); }
    bool is(const std::string& key) const { return get<bool>(key); }
    std::uint64_t count(const std::string& key) const { return get<std::uint64_t>(key); }
    std::int64_t position(const std::string& key) const { return get<std::int64_t>(key); }
    double number(const std::string& key) const { return get<double>(key); }
    const std::string& text(const std::string& key) const { return get<std::string>(key); }
    /// Empty where it is not there, as the lists below.
    const std::vector<std::string>& texts(const std::string& key) const {
        return list<std::string>(key);
    }
    const std::vector<std::uint64_t>& counts(const std::string& key) const {
        return list<std::uint64_t>(key);
    }
    const std::vector<GivenPrompt>& prompts(const std::string& key) const {
        return list<GivenPrompt>(key);
    }
    const std::vector<GivenToken>& tokens(const std::string& key) const {
        return list<GivenToken>(key);
    }

private:
    template <class T>
    const T& get(const std::string& key) const {
        return std::get<T>(given_.at(key));
    }
    template <class T>
    const std::vector<T>& list(const std::string& key) const {
        static const std::vector<T> none;
        const auto found = given_.find(key);
        return found == given_.end() ? none : std::get<std::vector<T>>(found->second);
    }

    std::map<std::string, Given> given_;
};

} // namespace headscope
