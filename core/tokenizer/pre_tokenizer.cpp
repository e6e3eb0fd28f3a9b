#include "core/tokenizer/pre_tokenizer.h"

#include "core/tokenizer/byte_level.h"
#include "core/tokenizer/pattern_split.h"

#include <algorithm>
#include <utility>

namespace headscope {

namespace {

using PreTokenizerResult = Result<std::unique_ptr<const PreTokenizer>>;

/// \w+|[^\w\s]+ of Rust's regex, whose words also hold the zero-width joiners.
constexpr std::string_view kWords =
    R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+)"
    R"(|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+)";
/// The general category P and the other ASCII characters that are neither letter nor digit.
constexpr std::string_view kPunctuation = R"([\p{P}$+<=>^`|~])";

class PreTokenizerSequence : public PreTokenizer {
public:
    explicit PreTokenizerSequence(std::vector<std::unique_ptr<const PreTokenizer>> steps)
        : steps_(std::move(steps)) {}

    Result<SplitText> apply(SplitText text) const override {
        for (const auto& step : steps_) {
            auto next = step->apply(std::move(text));
            if (!next)
                return next;
            text = *std::move(next);
        }
        return text;
    }

    bool isByteLevel() const override {
        return std::ranges::any_of(steps_, [](const auto& step) { return step->isByteLevel(); });
    }

private:
    std::vector<std::unique_ptr<const PreTokenizer>> steps_;
};

PreTokenizerResult makeSplit(std::string_view pattern, SplitBehavior behavior,
                             bool invert = false) {
    return std::unique_ptr<const PreTokenizer>(
        std::make_unique<PatternSplit>(Regex::builtIn(pattern), behavior, invert));
}

PreTokenizerResult readDigits(const JsonView& json) {
    if (const auto known = json.allowOnly({"type", "individual_digits"}); !known)
        return known.error();
    const auto individual = json.boolean("individual_digits");
    if (!individual)
        return individual.error();
    return makeSplit(R"(\p{N})", *individual ? SplitBehavior::Isolated : SplitBehavior::Contiguous);
}

PreTokenizerResult readPunctuation(const JsonView& json) {
    if (const auto known = json.allowOnly({"type", "behavior"}); !known)
        return known.error();
    const auto member = json.member("behavior");
    const auto behavior = member->isNull() ? SplitBehavior::Isolated : readSplitBehavior(*member);
    if (!behavior)
        return behavior.error();
    return makeSplit(kPunctuation, *behavior);
}

PreTokenizerResult readSequence(const JsonView& json) {
    if (const auto known = json.allowOnly({"type", "pretokenizers"}); !known)
        return known.error();
    const auto elements = json.elements("pretokenizers");
    if (!elements)
        return elements.error();
    std::vector<std::unique_ptr<const PreTokenizer>> steps;
    for (const JsonView& element : *elements) {
        auto step = PreTokenizer::read(element);
        if (!step)
            return step;
        steps.push_back(*std::move(step));
    }
    return std::unique_ptr<const PreTokenizer>(
        std::make_unique<PreTokenizerSequence>(std::move(steps)));
}

PreTokenizerResult readWhitespace(const JsonView& json, std::string_view delimiter, bool invert) {
    if (const auto known = json.allowOnly({"type"}); !known)
        return known.error();
    return makeSplit(delimiter, SplitBehavior::Removed, invert);
}

} // namespace

PreTokenizerResult PreTokenizer::read(const JsonView& json) {
    if (json.isNull())
        return std::unique_ptr<const PreTokenizer>(std::make_unique<PreTokenizerSequence>(
            std::vector<std::unique_ptr<const PreTokenizer>>()));
    const auto type = json.string("type");
    if (!type)
        return type.error();
    if (*type == "Sequence")
        return readSequence(json);
    if (*type == "ByteLevel")
        return ByteLevelPreTokenizer::read(json);
    if (*type == "Split")
        return PatternSplit::read(json);
    if (*type == "Whitespace")
        return readWhitespace(json, kWords, true);
    if (*type == "WhitespaceSplit")
        return readWhitespace(json, R"(\p{White_Space})", false);
    if (*type == "Digits")
        return readDigits(json);
    if (*type == "Punctuation")
        return readPunctuation(json);
    return json.unsupported("the type " + json.member("type")->shown());
}

} // namespace headscope
