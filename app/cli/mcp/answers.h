#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::cli {

/// How many heads were tested against how many types, and how many of the labels found that way
/// are expected to be false: who looks often finds something.
class Looks {
public:
    /// Adds what an answer says of it (its field expected_false). The same question counts once.
    void add(const std::vector<std::string>& question, const std::string& answer);

    /// A sentence, without a name.
    std::string text() const;

private:
    std::set<std::vector<std::string>> questions_;
    std::size_t tests_ = 0; ///< heads × types
    std::size_t labels_ = 0;
    double expected_false_ = 0.0;
};

/// The answers of a session, of which later questions may read rows. The oldest ones go where they
/// take too much memory.
class Answers {
public:
    /// Its number, from 1.
    std::size_t keep(std::string text, bool is_json);

    /// The whole text. Fails for a number that is not there any more, or never was.
    Result<std::string> text(std::size_t number) const;
    /// At most `count` elements of its list `key`, by default the longest one, from `from` on, as
    /// JSON: {key: […], "from", "of"}.
    Result<std::string> rows(std::size_t number, std::string key, std::size_t from,
                             std::size_t count) const;
    /// {number, whether it is JSON} of each that is there, oldest first.
    struct Kept {
        std::size_t number = 0;
        bool is_json = false;
    };
    std::vector<Kept> kept() const;

    /// An answer as a call gives it: the text, or where that is long as many elements of its lists,
    /// or lines, as fit, and where the rest is.
    struct Shown {
        std::string text;
        std::string note; ///< empty: it is whole
    };
    Shown shown(std::size_t number) const;

private:
    struct Answer {
        std::string text; ///< empty: gone
        bool is_json = false;
    };
    std::vector<Answer> answers_;
};

} // namespace headscope::cli
