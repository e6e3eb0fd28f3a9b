#include "core/tokenizer/normalizer.h"

#include "core/base/text.h"
#include "core/tokenizer/pattern.h"
#include "core/tokenizer/unicode_normalizer.h"
#include "core/tokenizer/utf8.h"

#include <utf8proc.h>

#include <utility>
#include <vector>

namespace headscope {

namespace {

/// Replacements can double a text again and again; honest ones stay far below this.
constexpr std::size_t kMostBytes = 1'000'000;
constexpr std::size_t kMostBytesPerCharacter = 100;

using NormalizerResult = Result<std::unique_ptr<const Normalizer>>;

/// Calls `write(result, code point, origin)` for every character.
template <class Write>
AlignedText mapCharacters(const AlignedText& text, Write write) {
    AlignedText result;
    result.reserve(text.size());
    for (std::size_t byte = 0; byte < text.size(); byte += utf8Length(text.text()[byte]))
        write(result, codePointAt(text.text(), byte), text.origin(byte));
    return result;
}

/// The mapping of Unicode that does not depend on context: Σ is always σ.
class Lowercase : public Normalizer {
public:
    Result<AlignedText> normalize(AlignedText text) const override {
        return mapCharacters(text, [](AlignedText& result, char32_t code_point, TextRange origin) {
            const auto lower = utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point));
            result.append(static_cast<char32_t>(lower), origin);
            // The one letter whose lower case is two characters, by SpecialCasing.txt.
            if (code_point == U'\u0130')
                result.append(U'\u0307', origin);
        });
    }
};

/// Leaves out combining marks (general category M).
class StripAccents : public Normalizer {
public:
    Result<AlignedText> normalize(AlignedText text) const override {
        return mapCharacters(text, [](AlignedText& result, char32_t code_point, TextRange origin) {
            const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
            if (category < UTF8PROC_CATEGORY_MN || category > UTF8PROC_CATEGORY_ME)
                result.append(code_point, origin);
        });
    }
};

class Prepend : public Normalizer {
public:
    explicit Prepend(std::string prefix) : prefix_(std::move(prefix)) {}

    Result<AlignedText> normalize(AlignedText text) const override {
        return text.size() == 0 ? std::move(text) : text.prepended(prefix_);
    }

private:
    std::string prefix_;
};

class Replace : public Normalizer {
public:
    Replace(Regex pattern, std::string content)
        : pattern_(std::move(pattern)), content_(std::move(content)) {}

    Result<AlignedText> normalize(AlignedText text) const override {
        if (text.size() == 0)
            return text;
        const auto matches = pattern_.findAll(text.text());
        if (!matches)
            return matches.error();
        const std::size_t most = kMostBytes + kMostBytesPerCharacter * text.originalLength();
        AlignedText result;
        std::size_t begin = 0;
        for (const ByteRange match : *matches) {
            result.append(text, {begin, match.begin});
            result.append(content_, text.originBefore(match.end));
            begin = match.end;
            if (result.size() > most)
                return Error{ErrorCode::TooLarge, "The tokenizer's normalizer makes " +
                                                      byteText(most) + " and more of " +
                                                      std::to_string(text.originalLength()) +
                                                      " characters; use another tokenizer."};
        }
        result.append(text, {begin, text.size()});
        return result;
    }

private:
    Regex pattern_;
    std::string content_;
};

class NormalizerSequence : public Normalizer {
public:
    explicit NormalizerSequence(std::vector<std::unique_ptr<const Normalizer>> steps)
        : steps_(std::move(steps)) {}

    Result<AlignedText> normalize(AlignedText text) const override {
        for (const auto& step : steps_) {
            auto next = step->normalize(std::move(text));
            if (!next)
                return next.error();
            text = *std::move(next);
        }
        return text;
    }

private:
    std::vector<std::unique_ptr<const Normalizer>> steps_;
};

template <class T, class... Arguments>
NormalizerResult make(const Result<void>& known, Arguments&&... arguments) {
    if (!known)
        return known.error();
    return std::unique_ptr<const Normalizer>(
        std::make_unique<T>(std::forward<Arguments>(arguments)...));
}

NormalizerResult readPrepend(const JsonView& json) {
    auto prefix = json.string("prepend");
    if (!prefix)
        return prefix.error();
    return make<Prepend>(json.allowOnly({"type", "prepend"}), *std::move(prefix));
}

NormalizerResult readReplace(const JsonView& json) {
    auto pattern = readPattern(*json.member("pattern"));
    if (!pattern)
        return pattern.error();
    auto content = json.string("content");
    if (!content)
        return content.error();
    return make<Replace>(json.allowOnly({"type", "pattern", "content"}), *std::move(pattern),
                         *std::move(content));
}

NormalizerResult readSequence(const JsonView& json) {
    const auto elements = json.elements("normalizers");
    if (!elements)
        return elements.error();
    std::vector<std::unique_ptr<const Normalizer>> steps;
    for (const JsonView& element : *elements) {
        auto step = Normalizer::read(element);
        if (!step)
            return step.error();
        steps.push_back(*std::move(step));
    }
    return make<NormalizerSequence>(json.allowOnly({"type", "normalizers"}), std::move(steps));
}

} // namespace

NormalizerResult Normalizer::read(const JsonView& json) {
    if (json.isNull())
        return std::unique_ptr<const Normalizer>(
            std::make_unique<NormalizerSequence>(std::vector<std::unique_ptr<const Normalizer>>()));
    const auto type = json.string("type");
    if (!type)
        return type.error();
    if (*type == "Sequence")
        return readSequence(json);
    if (*type == "Prepend")
        return readPrepend(json);
    if (*type == "Replace")
        return readReplace(json);
    if (*type == "Lowercase")
        return make<Lowercase>(json.allowOnly({"type"}));
    if (*type == "StripAccents")
        return make<StripAccents>(json.allowOnly({"type"}));
    if (const auto form = normalizationForm(*type))
        return make<UnicodeNormalizer>(json.allowOnly({"type"}), *form);
    return json.unsupported("the type " + json.member("type")->shown());
}

} // namespace headscope
