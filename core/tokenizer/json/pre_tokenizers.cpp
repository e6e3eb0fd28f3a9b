#include "core/tokenizer/pre_tokenizers/pre_tokenizers.h"

#include "core/base/utf8.h"
#include "core/tokenizer/json/parts.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// \w+|[^\w\s]+ of Rust's regex, whose words also hold the zero-width joiners.
constexpr std::string_view kWordPattern =
    R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+)"
    R"(|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+)";
/// The general category P and the other ASCII characters that are neither letter nor digit.
constexpr std::string_view kPunctuationPattern = R"([\p{P}$+<=>^`|~])";
constexpr std::string_view kSpacePattern = R"(\p{White_Space})";

PartResult<PreTokenizer> readPreTokenizerSequence(const JsonView& json) {
    auto steps = readSequence<PreTokenizer>(json, "pretokenizers", readPreTokenizer);
    if (!steps)
        return steps.error();
    return makePart<PreTokenizerSequence, PreTokenizer>({}, *std::move(steps));
}

PartResult<PreTokenizer> makeSplit(std::string_view pattern, SplitBehavior behavior,
                                   bool invert = false) {
    return makePart<PatternSplit, PreTokenizer>({}, Regex::builtIn(pattern), behavior, invert);
}

PartResult<PreTokenizer> readDigits(const JsonView& json) {
    if (const auto known = json.allowOnly({"type", "individual_digits"}); !known)
        return known.error();
    const auto individual = json.boolean("individual_digits");
    if (!individual)
        return individual.error();
    return makeSplit(R"(\p{N})", *individual ? SplitBehavior::Isolated : SplitBehavior::Contiguous);
}

/// "Removed", "Isolated", …
Result<SplitBehavior> readSplitBehavior(const JsonView& behavior) {
    using enum SplitBehavior;
    static constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> names{
        {{"Removed", Removed},
         {"Isolated", Isolated},
         {"MergedWithPrevious", MergedWithPrevious},
         {"MergedWithNext", MergedWithNext},
         {"Contiguous", Contiguous}}};
    const auto name = behavior.string();
    if (!name)
        return name.error();
    const auto found =
        std::ranges::find(names, *name, [](const auto& entry) { return entry.first; });
    return found == names.end() ? behavior.unsupported(behavior.value().shown())
                                : Result(found->second);
}

PartResult<PreTokenizer> readPunctuation(const JsonView& json) {
    if (const auto known = json.allowOnly({"type", "behavior"}); !known)
        return known.error();
    const auto member = json.member("behavior");
    const auto behavior = member->isNull() ? SplitBehavior::Isolated : readSplitBehavior(*member);
    if (!behavior)
        return behavior.error();
    return makeSplit(kPunctuationPattern, *behavior);
}

PartResult<PreTokenizer> readCharDelimiter(const JsonView& json) {
    if (const auto known = json.allowOnly({"type", "delimiter"}); !known)
        return known.error();
    const auto delimiter = json.string("delimiter");
    if (!delimiter)
        return delimiter.error();
    if (delimiter->empty() || firstCharacter(*delimiter).size() != delimiter->size())
        return json.member("delimiter")->expected("one character");
    return makePart<PatternSplit, PreTokenizer>({}, *Regex::literal(*delimiter),
                                                SplitBehavior::Removed);
}

PartResult<PreTokenizer> readWhitespace(const JsonView& json) {
    if (const auto known = json.allowOnly({"type"}); !known)
        return known.error();
    return makeSplit(kWordPattern, SplitBehavior::Removed, true);
}

PartResult<PreTokenizer> readWhitespaceSplit(const JsonView& json) {
    if (const auto known = json.allowOnly({"type"}); !known)
        return known.error();
    return makeSplit(kSpacePattern, SplitBehavior::Removed);
}

/// Words between spaces, every punctuation mark a word.
PartResult<PreTokenizer> readBertPreTokenizer(const JsonView& json) {
    if (const auto known = json.allowOnly({"type"}); !known)
        return known.error();
    std::vector<std::unique_ptr<const PreTokenizer>> steps;
    steps.push_back(*makeSplit(kSpacePattern, SplitBehavior::Removed));
    steps.push_back(*makeSplit(kPunctuationPattern, SplitBehavior::Isolated));
    return makePart<PreTokenizerSequence, PreTokenizer>({}, std::move(steps));
}

/// {"type": "Split", "pattern": …, "behavior": …, "invert": …}
PartResult<PreTokenizer> readSplit(const JsonView& split) {
    if (const auto known = split.allowOnly({"type", "pattern", "behavior", "invert"}); !known)
        return known.error();
    auto pattern = readPattern(*split.member("pattern"));
    if (!pattern)
        return pattern.error();
    const auto behavior = readSplitBehavior(*split.member("behavior"));
    if (!behavior)
        return behavior.error();
    const auto invert = split.boolean("invert");
    if (!invert)
        return invert.error();
    return makePart<PatternSplit, PreTokenizer>({}, *std::move(pattern), *behavior, *invert);
}

/// trim_offsets concerns post-processors only.
PartResult<PreTokenizer> readByteLevel(const JsonView& json) {
    const auto known = json.allowOnly({"type", "add_prefix_space", "trim_offsets", "use_regex"});
    if (!known)
        return known.error();
    const auto add_prefix_space = json.boolean("add_prefix_space");
    if (!add_prefix_space)
        return add_prefix_space.error();
    const auto use_regex = json.boolean("use_regex", true);
    if (!use_regex)
        return use_regex.error();
    return makePart<ByteLevelPreTokenizer, PreTokenizer>({}, *add_prefix_space, *use_regex);
}

PartResult<PreTokenizer> readMetaspacePreTokenizer(const JsonView& json) {
    auto metaspace = readMetaspace(json);
    if (!metaspace)
        return metaspace.error();
    return makePart<MetaspacePreTokenizer, PreTokenizer>({}, *std::move(metaspace));
}

Result<Metaspace::Prepend> readPrependScheme(const JsonView& json) {
    using enum Metaspace::Prepend;
    const auto scheme = json.optionalString("prepend_scheme");
    if (!scheme)
        return scheme.error();
    const auto add_prefix_space = json.boolean("add_prefix_space", *scheme != "never");
    if (!add_prefix_space)
        return add_prefix_space.error();
    if (*scheme == "never" || (!*scheme && !*add_prefix_space))
        return Never;
    if (!*add_prefix_space)
        return json.malformed("has a prepend_scheme against its add_prefix_space");
    if (!*scheme || *scheme == "always")
        return Always;
    if (*scheme == "first")
        return First;
    return json.member("prepend_scheme")->expected("\"always\", \"first\" or \"never\"");
}

constexpr std::array<PartReader<PreTokenizer>, 10> kPreTokenizers{{
    {"Sequence", readPreTokenizerSequence},
    {"BertPreTokenizer", readBertPreTokenizer},
    {"ByteLevel", readByteLevel},
    {"CharDelimiterSplit", readCharDelimiter},
    {"Digits", readDigits},
    {"Metaspace", readMetaspacePreTokenizer},
    {"Punctuation", readPunctuation},
    {"Split", readSplit},
    {"Whitespace", readWhitespace},
    {"WhitespaceSplit", readWhitespaceSplit},
}};

} // namespace

PartResult<PreTokenizer> readPreTokenizer(const JsonView& json) {
    if (json.isNull())
        return makePart<PreTokenizerSequence, PreTokenizer>(
            {}, std::vector<std::unique_ptr<const PreTokenizer>>());
    return readPart<PreTokenizer>(json, kPreTokenizers);
}

Result<Regex> readPattern(const JsonView& pattern) {
    if (const auto known = pattern.allowOnly({"String", "Regex"}); !known)
        return known.error();
    const bool is_regex = pattern.member("String")->isNull();
    const auto text = pattern.string(is_regex ? "Regex" : "String");
    if (!text)
        return text.error();
    if (text->empty())
        return pattern.malformed("is empty");
    auto regex = is_regex ? Regex::fromTokenizerJson(*text) : Regex::literal(*text);
    if (!regex)
        return Error{regex.error().code, pattern.malformed(regex.error().message).message};
    return regex;
}

Result<Metaspace> readMetaspace(const JsonView& json) {
    const auto known = json.allowOnly(
        {"type", "replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"});
    if (!known)
        return known.error();
    auto replacement = json.string("replacement");
    if (!replacement)
        return replacement.error();
    if (replacement->empty() || firstCharacter(*replacement).size() != replacement->size())
        return json.member("replacement")->expected("one character");
    const auto prepend = readPrependScheme(json);
    if (!prepend)
        return prepend.error();
    const auto split = json.boolean("split", true);
    if (!split)
        return split.error();
    return Metaspace{*std::move(replacement), *prepend, *split};
}

} // namespace headscope
