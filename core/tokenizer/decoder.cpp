#include "core/tokenizer/decoder.h"

#include "core/base/text.h"
#include "core/tokenizer/byte_level.h"
#include "core/tokenizer/utf8.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace headscope {

namespace {

using DecoderResult = Result<std::unique_ptr<const Decoder>>;

class SpaceJoin : public Decoder {
public:
    std::vector<std::string> decode(std::vector<std::string> tokens) const override {
        return {join(tokens, " ")};
    }
};

class Fuse : public Decoder {
public:
    std::vector<std::string> decode(std::vector<std::string> tokens) const override {
        return {join(tokens, "")};
    }
};

class ByteLevelDecoder : public Decoder {
public:
    std::vector<std::string> decode(std::vector<std::string> tokens) const override {
        std::string text;
        for (const std::string& token : tokens)
            text += byteLevelBytes(token);
        return {replaceInvalidUtf8(text)};
    }
    std::string bytes(std::string token) const override { return byteLevelBytes(token); }
};

/// "<0xE2>" is a byte. Neighbouring bytes that are no UTF-8 together are one U+FFFD each.
class ByteFallback : public Decoder {
public:
    std::vector<std::string> decode(std::vector<std::string> tokens) const override {
        std::vector<std::string> parts;
        std::string pending;
        for (std::string& token : tokens) {
            if (const auto byte = byteOf(token)) {
                pending += static_cast<char>(*byte);
                continue;
            }
            flush(pending, parts);
            parts.push_back(std::move(token));
        }
        flush(pending, parts);
        return parts;
    }

    std::string bytes(std::string token) const override {
        const auto byte = byteOf(token);
        return byte ? std::string(1, static_cast<char>(*byte)) : token;
    }

private:
    static std::optional<std::uint8_t> byteOf(const std::string& token) {
        if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>'))
            return std::nullopt;
        std::uint8_t byte = 0;
        const char* const end = token.data() + 5;
        const auto parsed = std::from_chars(token.data() + 3, end, byte, 16);
        return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(byte) : std::nullopt;
    }

    static void flush(std::string& pending, std::vector<std::string>& parts) {
        if (firstInvalidUtf8(pending) != std::string::npos)
            parts.insert(parts.end(), pending.size(), "\uFFFD");
        else if (!pending.empty())
            parts.push_back(pending);
        pending.clear();
    }
};

class ReplaceDecoder : public Decoder {
public:
    ReplaceDecoder(std::string pattern, std::string content)
        : pattern_(std::move(pattern)), content_(std::move(content)) {}

    std::vector<std::string> decode(std::vector<std::string> tokens) const override {
        for (std::string& token : tokens)
            token = bytes(std::move(token));
        return tokens;
    }

    std::string bytes(std::string token) const override {
        for (std::size_t at = token.find(pattern_); at != std::string::npos;
             at = token.find(pattern_, at + content_.size()))
            token.replace(at, pattern_.size(), content_);
        return token;
    }

private:
    std::string pattern_;
    std::string content_;
};

/// Takes up to `start` and `stop` times `content`, one character, off the ends of every part.
class StripDecoder : public Decoder {
public:
    StripDecoder(std::string content, std::size_t start, std::size_t stop)
        : content_(std::move(content)), start_(start), stop_(stop) {}

    std::vector<std::string> decode(std::vector<std::string> tokens) const override {
        for (std::string& token : tokens) {
            for (std::size_t i = 0; i < start_ && token.starts_with(content_); ++i)
                token.erase(0, content_.size());
            for (std::size_t i = 0; i < stop_ && token.ends_with(content_); ++i)
                token.resize(token.size() - content_.size());
        }
        return tokens;
    }

private:
    std::string content_;
    std::size_t start_;
    std::size_t stop_;
};

class DecoderSequence : public Decoder {
public:
    explicit DecoderSequence(std::vector<std::unique_ptr<const Decoder>> steps)
        : steps_(std::move(steps)) {}

    std::vector<std::string> decode(std::vector<std::string> tokens) const override {
        for (const auto& step : steps_)
            tokens = step->decode(std::move(tokens));
        return tokens;
    }
    std::string bytes(std::string token) const override {
        for (const auto& step : steps_)
            token = step->bytes(std::move(token));
        return token;
    }

private:
    std::vector<std::unique_ptr<const Decoder>> steps_;
};

template <class T, class... Arguments>
DecoderResult make(const Result<void>& known, Arguments&&... arguments) {
    if (!known)
        return known.error();
    return std::unique_ptr<const Decoder>(
        std::make_unique<T>(std::forward<Arguments>(arguments)...));
}

DecoderResult readReplace(const JsonView& json) {
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
    return make<ReplaceDecoder>(json.allowOnly({"type", "pattern", "content"}), *std::move(text),
                                *std::move(content));
}

DecoderResult readStrip(const JsonView& json) {
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
    return make<StripDecoder>(json.allowOnly({"type", "content", "start", "stop"}),
                              *std::move(content), *start, *stop);
}

DecoderResult readSequence(const JsonView& json) {
    const auto elements = json.elements("decoders");
    if (!elements)
        return elements.error();
    std::vector<std::unique_ptr<const Decoder>> steps;
    for (const JsonView& element : *elements) {
        auto step = Decoder::read(element);
        if (!step)
            return step;
        steps.push_back(*std::move(step));
    }
    return make<DecoderSequence>(json.allowOnly({"type", "decoders"}), std::move(steps));
}

} // namespace

DecoderResult Decoder::read(const JsonView& json) {
    if (json.isNull())
        return std::unique_ptr<const Decoder>(std::make_unique<SpaceJoin>());
    const auto type = json.string("type");
    if (!type)
        return type.error();
    if (*type == "Sequence")
        return readSequence(json);
    if (*type == "Replace")
        return readReplace(json);
    if (*type == "Strip")
        return readStrip(json);
    if (*type == "Fuse")
        return make<Fuse>(json.allowOnly({"type"}));
    if (*type == "ByteFallback")
        return make<ByteFallback>(json.allowOnly({"type"}));
    if (*type == "ByteLevel")
        return make<ByteLevelDecoder>(
            json.allowOnly({"type", "add_prefix_space", "trim_offsets", "use_regex"}));
    return json.unsupported("the type " + json.member("type")->shown());
}

} // namespace headscope
