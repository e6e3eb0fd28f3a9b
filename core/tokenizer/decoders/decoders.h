#pragma once

#include "core/tokenizer/pre_tokenizers/pre_tokenizers.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// Turns tokens as written in the vocabulary back into text.
class Decoder {
public:
    virtual ~Decoder() = default;

    /// The parts of the text, one after the other. Valid UTF-8 gives valid UTF-8.
    virtual std::vector<std::string> decode(std::vector<std::string> tokens) const = 0;

    /// The bytes of one token wherever in a text it is; they need not be UTF-8.
    virtual std::string bytes(std::string token) const { return token; }
};

/// One decoder after the other.
class DecoderSequence : public Decoder {
public:
    explicit DecoderSequence(std::vector<std::unique_ptr<const Decoder>> steps)
        : steps_(std::move(steps)) {}

    std::vector<std::string> decode(std::vector<std::string> tokens) const override;
    std::string bytes(std::string token) const override;

private:
    std::vector<std::unique_ptr<const Decoder>> steps_;
};

/// The tokens with a space between them.
class SpaceJoin : public Decoder {
public:
    std::vector<std::string> decode(std::vector<std::string> tokens) const override;
};

/// The tokens as one part.
class Fuse : public Decoder {
public:
    std::vector<std::string> decode(std::vector<std::string> tokens) const override;
};

/// Tokens in the byte-level alphabet of GPT-2.
class ByteLevelDecoder : public Decoder {
public:
    std::vector<std::string> decode(std::vector<std::string> tokens) const override;
    std::string bytes(std::string token) const override;
};

/// "<0xE2>" is a byte. Neighbouring bytes that are no UTF-8 together are one U+FFFD each.
class ByteFallbackDecoder : public Decoder {
public:
    std::vector<std::string> decode(std::vector<std::string> tokens) const override;
    std::string bytes(std::string token) const override;
};

/// Writes the replacement as a space; a text's first token has none.
class MetaspaceDecoder : public Decoder {
public:
    explicit MetaspaceDecoder(Metaspace metaspace) : metaspace_(std::move(metaspace)) {}

    std::vector<std::string> decode(std::vector<std::string> tokens) const override;
    std::string bytes(std::string token) const override;

private:
    Metaspace metaspace_;
};

/// Replaces a text in every token.
class ReplaceDecoder : public Decoder {
public:
    ReplaceDecoder(std::string pattern, std::string content)
        : pattern_(std::move(pattern)), content_(std::move(content)) {}

    std::vector<std::string> decode(std::vector<std::string> tokens) const override;
    std::string bytes(std::string token) const override;

private:
    std::string pattern_;
    std::string content_;
};

/// Takes up to `start` and `stop` times `content`, one character, off the ends of every part.
class StripDecoder : public Decoder {
public:
    StripDecoder(std::string content, std::size_t start, std::size_t stop)
        : content_(std::move(content)), start_(start), stop_(stop) {}

    std::vector<std::string> decode(std::vector<std::string> tokens) const override;

private:
    std::string content_;
    std::size_t start_;
    std::size_t stop_;
};

/// A space before every token that does not go on from the one before it ("##ing"). `cleanup` takes
/// away the spaces that English does not put before punctuation.
class WordPieceDecoder : public Decoder {
public:
    WordPieceDecoder(std::string prefix, bool cleanup)
        : prefix_(std::move(prefix)), cleanup_(cleanup) {}

    std::vector<std::string> decode(std::vector<std::string> tokens) const override;

private:
    std::string prefix_;
    bool cleanup_;
};

/// A space wherever a token says that a word ends ("ing</w>"), but not after the text.
class BpeDecoder : public Decoder {
public:
    explicit BpeDecoder(std::string suffix) : suffix_(std::move(suffix)) {}

    std::vector<std::string> decode(std::vector<std::string> tokens) const override;
    std::string bytes(std::string token) const override;

private:
    std::string suffix_;
};

} // namespace headscope
