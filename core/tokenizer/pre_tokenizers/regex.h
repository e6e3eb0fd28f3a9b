#pragma once

#include "core/base/result.h"
#include "core/tokenizer/normalizers/aligned_text.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// A compiled pattern over UTF-8, run by PCRE2 with Unicode properties. Thread-safe.
class Regex {
public:
    /// A regular expression as tokenizer.json states it. The message of an error continues a
    /// sentence: "uses \b, which …", "is broken at …".
    static Result<Regex> fromTokenizerJson(std::string_view pattern);
    /// Matches `text` itself.
    static Result<Regex> literal(std::string_view text);
    /// A pattern of this program, in the dialect of PCRE2.
    static Regex builtIn(std::string_view pattern);

    /// All matches from left to right, none of which overlap; an empty match right after another
    /// match does not count. `text` is valid UTF-8. Fails when one match takes more steps than
    /// 10,000 + 8 per byte of text.
    Result<std::vector<ByteRange>> findAll(std::string_view text) const;

    /// Whether the whole text is one match, for built-in patterns that cannot run away.
    bool matches(std::string_view text) const;

private:
    struct Code;
    explicit Regex(std::shared_ptr<const Code> code) : code_(std::move(code)) {}
    static Result<Regex> compile(std::string_view pattern, std::string_view shown,
                                 unsigned options);

    std::shared_ptr<const Code> code_;
};

} // namespace headscope
