#include "core/tokenizer/pre_tokenizers/regex.h"

#include "core/base/utf8.h"
#include "core/tokenizer/pre_tokenizers/regex_dialect.h"

#include <array>
#include <cassert>
#include <cstdint>
#include <limits>
#include <optional>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace headscope {

namespace {

constexpr std::uint32_t kStepsPerMatch = 10'000;
constexpr std::uint32_t kStepsPerByte = 8;
constexpr std::uint32_t kHeapKibibytes = 128 * 1024;
constexpr std::size_t kLongestPattern = 100'000;

template <class T, void (*Free)(T*)>
struct Release {
    void operator()(T* pointer) const { Free(pointer); }
};
using CompileContext = std::unique_ptr<pcre2_compile_context,
                                       Release<pcre2_compile_context, pcre2_compile_context_free>>;
using MatchContext =
    std::unique_ptr<pcre2_match_context, Release<pcre2_match_context, pcre2_match_context_free>>;
using MatchData =
    std::unique_ptr<pcre2_match_data, Release<pcre2_match_data, pcre2_match_data_free>>;

PCRE2_SPTR units(std::string_view text) {
    // PCRE2 wants an address even for nothing.
    return reinterpret_cast<PCRE2_SPTR>(text.data() != nullptr ? text.data() : "");
}

std::string pcre2Message(int code) {
    std::array<PCRE2_UCHAR, 256> buffer{};
    pcre2_get_error_message(code, buffer.data(), buffer.size());
    return reinterpret_cast<const char*>(buffer.data());
}

} // namespace

struct Regex::Code {
    std::string shown; ///< the pattern as the file states it
    std::unique_ptr<pcre2_code, Release<pcre2_code, pcre2_code_free>> compiled;

    MatchContext matchContext(std::size_t text_bytes) const {
        MatchContext context(pcre2_match_context_create(nullptr));
        const std::size_t steps = kStepsPerMatch + kStepsPerByte * text_bytes;
        constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
        pcre2_set_match_limit(context.get(), static_cast<std::uint32_t>(std::min(steps, most)));
        pcre2_set_heap_limit(context.get(), kHeapKibibytes);
        return context;
    }

    /// The next match at or after byte `start`, nothing when there is none, or PCRE2's error.
    int match(std::string_view text, std::size_t start, const MatchContext& context,
              const MatchData& data) const {
        const auto run = [&](std::uint32_t options) {
            return pcre2_match(compiled.get(), units(text), text.size(), start,
                               PCRE2_NO_UTF_CHECK | options, data.get(), context.get());
        };
        // Compiled code has a small stack; the interpreter keeps its state on the heap.
        const int result = run(0);
        return result == PCRE2_ERROR_JIT_STACKLIMIT ? run(PCRE2_NO_JIT) : result;
    }
};

Result<Regex> Regex::compile(std::string_view pattern, std::string_view shown, unsigned options) {
    const CompileContext context(pcre2_compile_context_create(nullptr));
    pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    pcre2_set_max_pattern_length(context.get(), kLongestPattern);
    int error = 0;
    std::size_t position = 0;
    auto code = std::make_shared<Code>();
    code->shown = shown;
    code->compiled.reset(pcre2_compile(units(pattern), pattern.size(), PCRE2_UTF | options, &error,
                                       &position, context.get()));
    if (!code->compiled)
        return Error{ErrorCode::Malformed, "is broken (" + pcre2Message(error) + ")"};
    // Without JIT the same matches are found by the interpreter.
    pcre2_jit_compile(code->compiled.get(), PCRE2_JIT_COMPLETE);
    return Regex(std::move(code));
}

Result<Regex> Regex::fromTokenizerJson(std::string_view pattern) {
    const auto translated = toPcre2(pattern);
    if (!translated)
        return translated.error();
    // In Oniguruma ^ and $ match at every line.
    return compile(*translated, pattern, PCRE2_UCP | PCRE2_MULTILINE);
}

Result<Regex> Regex::literal(std::string_view text) {
    return compile(text, text, PCRE2_LITERAL);
}

Regex Regex::builtIn(std::string_view pattern) {
    auto regex = compile(pattern, pattern, PCRE2_UCP);
    assert(regex);
    return *std::move(regex);
}

Result<std::vector<ByteRange>> Regex::findAll(std::string_view text) const {
    const MatchContext context = code_->matchContext(text.size());
    const MatchData data(pcre2_match_data_create(1, nullptr));
    const std::size_t* const found = pcre2_get_ovector_pointer(data.get());

    std::vector<ByteRange> matches;
    std::optional<std::size_t> previous_end;
    std::size_t start = 0;
    while (start <= text.size()) {
        const int result = code_->match(text, start, context, data);
        if (result == PCRE2_ERROR_NOMATCH)
            break;
        if (result < 0)
            return Error{ErrorCode::TooLarge, "The regular expression " + inQuotes(code_->shown) +
                                                  " gave up on the text (" + pcre2Message(result) +
                                                  "); use a shorter text or another tokenizer."};
        if (found[0] == found[1] && previous_end == found[1]) {
            start = found[1] + (found[1] < text.size() ? utf8Length(text[found[1]]) : 1);
            continue;
        }
        matches.push_back({found[0], found[1]});
        previous_end = start = found[1];
    }
    return matches;
}

bool Regex::matches(std::string_view text) const {
    const MatchData data(pcre2_match_data_create(1, nullptr));
    const std::size_t* const found = pcre2_get_ovector_pointer(data.get());
    return code_->match(text, 0, code_->matchContext(text.size()), data) >= 0 && found[0] == 0 &&
           found[1] == text.size();
}

} // namespace headscope
