#include "core/tokenizer/decoders/decoders.h"

#include "core/base/utf8.h"
#include "core/tokenizer/json/parts.h"

#include <array>
#include <utility>

namespace headscope {

namespace {

PartResult<Decoder> readDecoderSequence(const JsonView& json) {
    auto steps = readSequence<Decoder>(json, "decoders", readDecoder);
    if (!steps)
        return steps.error();
    return makePart<DecoderSequence, Decoder>({}, *std::move(steps));
}

template <class T>
PartResult<Decoder> readPlainDecoder(const JsonView& json) {
    return makePart<T, Decoder>(json.allowOnly({"type"}));
}

PartResult<Decoder> readByteLevelDecoder(const JsonView& json) {
    return makePart<ByteLevelDecoder, Decoder>(
        json.allowOnly({"type", "add_prefix_space", "trim_offsets", "use_regex"}));
}

PartResult<Decoder> readMetaspaceDecoder(const JsonView& json) {
    auto metaspace = readMetaspace(json);
    if (!metaspace)
        return metaspace.error();
    return makePart<MetaspaceDecoder, Decoder>({}, *std::move(metaspace));
}

/// {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
PartResult<Decoder> readReplaceDecoder(const JsonView& json) {
    const auto pattern = json.member("pattern");
    if (const auto known = pattern->allowOnly({"String"}); !known)
        return known.error();
    auto text = pattern->string("String");
    if (!text)
        return text.error();
    if (text->empty())
        return pattern->malformed("is empty");
    auto content = json.string("content");
    if (!content)
        return content.error();
    if (content->size() > text->size())
        return json.unsupported("a content that is longer than its pattern");
    return makePart<ReplaceDecoder, Decoder>(json.allowOnly({"type", "pattern", "content"}),
                                             *std::move(text), *std::move(content));
}

/// {"type": "Strip", "content": " ", "start": 1, "stop": 0}
PartResult<Decoder> readStripDecoder(const JsonView& json) {
    constexpr std::size_t most = 1'000'000;
    auto content = json.string("content");
    if (!content)
        return content.error();
    if (content->empty() || utf8Length(content->front()) != content->size())
        return json.member("content")->expected("one character");
    const auto start = json.member("start")->number(most);
    if (!start)
        return start.error();
    const auto stop = json.member("stop")->number(most);
    if (!stop)
        return stop.error();
    return makePart<StripDecoder, Decoder>(json.allowOnly({"type", "content", "start", "stop"}),
                                           *std::move(content), *start, *stop);
}

/// {"type": "WordPiece", "prefix": "##", "cleanup": true}
PartResult<Decoder> readWordPieceDecoder(const JsonView& json) {
    auto prefix = json.string("prefix");
    if (!prefix)
        return prefix.error();
    const auto cleanup = json.boolean("cleanup");
    if (!cleanup)
        return cleanup.error();
    return makePart<WordPieceDecoder, Decoder>(json.allowOnly({"type", "prefix", "cleanup"}),
                                               *std::move(prefix), *cleanup);
}

/// {"type": "BPEDecoder", "suffix": "</w>"}
PartResult<Decoder> readBpeDecoder(const JsonView& json) {
    auto suffix = json.string("suffix");
    if (!suffix)
        return suffix.error();
    if (suffix->empty())
        return json.member("suffix")->malformed("is empty");
    return makePart<BpeDecoder, Decoder>(json.allowOnly({"type", "suffix"}), *std::move(suffix));
}

constexpr std::array<PartReader<Decoder>, 9> kDecoders{{
    {"Sequence", readDecoderSequence},
    {"BPEDecoder", readBpeDecoder},
    {"ByteFallback", readPlainDecoder<ByteFallbackDecoder>},
    {"ByteLevel", readByteLevelDecoder},
    {"Fuse", readPlainDecoder<Fuse>},
    {"Metaspace", readMetaspaceDecoder},
    {"Replace", readReplaceDecoder},
    {"Strip", readStripDecoder},
    {"WordPiece", readWordPieceDecoder},
}};

} // namespace

PartResult<Decoder> readDecoder(const JsonView& json) {
    if (json.isNull())
        return makePart<SpaceJoin, Decoder>({});
    return readPart<Decoder>(json, kDecoders);
}

} // namespace headscope
