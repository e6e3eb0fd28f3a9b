#include "core/tokenizer/json/parts.h"
#include "core/tokenizer/normalizers/chars_map.h"
#include "core/tokenizer/normalizers/text_normalizers.h"

#include <nettle/base64.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

std::optional<std::string> fromBase64(const std::string& text) {
    if (text.size() > (std::size_t{1} << 30))
        return std::nullopt;
    std::string bytes(BASE64_DECODE_LENGTH(text.size()), '\0');
    std::size_t length = bytes.size();
    base64_decode_ctx context;
    base64_decode_init(&context);
    if (base64_decode_update(&context, &length, reinterpret_cast<std::uint8_t*>(bytes.data()),
                             text.size(), text.data()) != 1 ||
        base64_decode_final(&context) != 1 ||
        BASE64_ENCODE_RAW_LENGTH(length) != text.size()) // it steps over white space
        return std::nullopt;
    bytes.resize(length);
    return bytes;
}

PartResult<Normalizer> readNormalizerSequence(const JsonView& json) {
    auto steps = readSequence<Normalizer>(json, "normalizers", readNormalizer);
    if (!steps)
        return steps.error();
    return makePart<NormalizerSequence, Normalizer>({}, *std::move(steps));
}

/// strip_accents null does as lowercase does.
PartResult<Normalizer> readBertNormalizer(const JsonView& json) {
    const auto clean_text = json.boolean("clean_text");
    if (!clean_text)
        return clean_text.error();
    const auto handle_chinese_chars = json.boolean("handle_chinese_chars");
    if (!handle_chinese_chars)
        return handle_chinese_chars.error();
    const auto lowercase = json.boolean("lowercase");
    if (!lowercase)
        return lowercase.error();
    const auto strip_accents = json.boolean("strip_accents", *lowercase);
    if (!strip_accents)
        return strip_accents.error();
    return makePart<BertNormalizer, Normalizer>(
        json.allowOnly(
            {"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"}),
        BertNormalizer::Options{*clean_text, *handle_chinese_chars, *strip_accents, *lowercase});
}

template <class T>
PartResult<Normalizer> readPlainNormalizer(const JsonView& json) {
    return makePart<T, Normalizer>(json.allowOnly({"type"}));
}

template <NormalizationForm Form>
PartResult<Normalizer> readUnicodeNormalizer(const JsonView& json) {
    return makePart<UnicodeNormalizer, Normalizer>(json.allowOnly({"type"}), Form);
}

/// {"type": "Precompiled", "precompiled_charsmap": "base64"}
PartResult<Normalizer> readPrecompiled(const JsonView& json) {
    const auto text = json.string("precompiled_charsmap");
    if (!text)
        return text.error();
    const auto place = json.member("precompiled_charsmap");
    const auto bytes = fromBase64(*text);
    if (!bytes)
        return place->malformed("is not base64");
    auto map = CharsMap::parse(*bytes);
    if (!map)
        return place->malformed(map.error().message);
    return makePart<PrecompiledNormalizer, Normalizer>(
        json.allowOnly({"type", "precompiled_charsmap"}), *std::move(map));
}

/// {"type": "Prepend", "prepend": "▁"}
PartResult<Normalizer> readPrepend(const JsonView& json) {
    auto prefix = json.string("prepend");
    if (!prefix)
        return prefix.error();
    return makePart<PrependNormalizer, Normalizer>(json.allowOnly({"type", "prepend"}),
                                                   *std::move(prefix));
}

/// {"type": "Replace", "pattern": …, "content": "…"}
PartResult<Normalizer> readReplaceNormalizer(const JsonView& json) {
    auto pattern = readPattern(*json.member("pattern"));
    if (!pattern)
        return pattern.error();
    auto content = json.string("content");
    if (!content)
        return content.error();
    return makePart<ReplaceNormalizer, Normalizer>(json.allowOnly({"type", "pattern", "content"}),
                                                   *std::move(pattern), *std::move(content));
}

/// {"type": "Strip", "strip_left": …, "strip_right": …}
PartResult<Normalizer> readStripNormalizer(const JsonView& json) {
    const auto left = json.boolean("strip_left");
    if (!left)
        return left.error();
    const auto right = json.boolean("strip_right");
    if (!right)
        return right.error();
    return makePart<StripNormalizer, Normalizer>(
        json.allowOnly({"type", "strip_left", "strip_right"}), *left, *right);
}

constexpr std::array<PartReader<Normalizer>, 13> kNormalizers{{
    {"Sequence", readNormalizerSequence},
    {"BertNormalizer", readBertNormalizer},
    {"Lowercase", readPlainNormalizer<Lowercase>},
    {"NFC", readUnicodeNormalizer<NormalizationForm::Nfc>},
    {"NFD", readUnicodeNormalizer<NormalizationForm::Nfd>},
    {"NFKC", readUnicodeNormalizer<NormalizationForm::Nfkc>},
    {"NFKD", readUnicodeNormalizer<NormalizationForm::Nfkd>},
    {"Nmt", readPlainNormalizer<NmtNormalizer>},
    {"Precompiled", readPrecompiled},
    {"Prepend", readPrepend},
    {"Replace", readReplaceNormalizer},
    {"Strip", readStripNormalizer},
    {"StripAccents", readPlainNormalizer<StripAccents>},
}};

} // namespace

PartResult<Normalizer> readNormalizer(const JsonView& json) {
    if (json.isNull())
        return makePart<NormalizerSequence, Normalizer>(
            {}, std::vector<std::unique_ptr<const Normalizer>>());
    return readPart<Normalizer>(json, kNormalizers);
}

} // namespace headscope
