#include "core/tokenizer/decoders/decoders.h"

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/tokenizer/models/token_model.h"
#include "core/tokenizer/pre_tokenizers/pre_tokenizers.h"

#include <array>
#include <string_view>

namespace headscope {

namespace {

/// Ends a run of bytes.
void flush(std::string& pending, std::vector<std::string>& parts) {
    if (firstInvalidUtf8(pending) != std::string::npos)
        parts.insert(parts.end(), pending.size(), "\uFFFD");
    else if (!pending.empty())
        parts.push_back(pending);
    pending.clear();
}

std::string cleanedUp(std::string text) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> changes{
        {{" .", "."},
         {" ?", "?"},
         {" !", "!"},
         {" ,", ","},
         {" ' ", "'"},
         {" n't", "n't"},
         {" 'm", "'m"},
         {" do not", " don't"},
         {" 's", "'s"},
         {" 've", "'ve"},
         {" 're", "'re"}}};
    for (const auto& [what, by] : changes)
        text = replaceAll(text, what, by);
    return text;
}

} // namespace

std::vector<std::string> DecoderSequence::decode(std::vector<std::string> tokens) const {
    for (const auto& step : steps_)
        tokens = step->decode(std::move(tokens));
    return tokens;
}

std::string DecoderSequence::bytes(std::string token) const {
    for (const auto& step : steps_)
        token = step->bytes(std::move(token));
    return token;
}

std::vector<std::string> SpaceJoin::decode(std::vector<std::string> tokens) const {
    return {join(tokens, " ")};
}

std::vector<std::string> Fuse::decode(std::vector<std::string> tokens) const {
    return {join(tokens, "")};
}

std::vector<std::string> ByteLevelDecoder::decode(std::vector<std::string> tokens) const {
    std::string text;
    for (const std::string& token : tokens)
        text += byteLevelBytes(token);
    return {replaceInvalidUtf8(text)};
}

std::string ByteLevelDecoder::bytes(std::string token) const {
    return byteLevelBytes(token);
}

std::vector<std::string> ByteFallbackDecoder::decode(std::vector<std::string> tokens) const {
    std::vector<std::string> parts;
    std::string pending;
    for (std::string& token : tokens) {
        if (const auto byte = byteOfToken(token)) {
            pending += static_cast<char>(*byte);
            continue;
        }
        flush(pending, parts);
        parts.push_back(std::move(token));
    }
    flush(pending, parts);
    return parts;
}

std::string ByteFallbackDecoder::bytes(std::string token) const {
    const auto byte = byteOfToken(token);
    return byte ? std::string(1, static_cast<char>(*byte)) : token;
}

std::vector<std::string> MetaspaceDecoder::decode(std::vector<std::string> tokens) const {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool drops = i == 0 && metaspace_.prepend != Metaspace::Prepend::Never;
        tokens[i] = replaceAll(tokens[i], metaspace_.replacement, drops ? "" : " ");
    }
    return tokens;
}

std::string MetaspaceDecoder::bytes(std::string token) const {
    return replaceAll(token, metaspace_.replacement, " ");
}

std::vector<std::string> ReplaceDecoder::decode(std::vector<std::string> tokens) const {
    for (std::string& token : tokens)
        token = replaceAll(token, pattern_, content_);
    return tokens;
}

std::string ReplaceDecoder::bytes(std::string token) const {
    return replaceAll(token, pattern_, content_);
}

std::vector<std::string> StripDecoder::decode(std::vector<std::string> tokens) const {
    for (std::string& token : tokens) {
        for (std::size_t i = 0; i < start_ && token.starts_with(content_); ++i)
            token.erase(0, content_.size());
        for (std::size_t i = 0; i < stop_ && token.ends_with(content_); ++i)
            token.resize(token.size() - content_.size());
    }
    return tokens;
}

std::vector<std::string> WordPieceDecoder::decode(std::vector<std::string> tokens) const {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i > 0 && tokens[i].starts_with(prefix_))
            tokens[i].erase(0, prefix_.size());
        else if (i > 0)
            tokens[i] = ' ' + tokens[i];
        if (cleanup_)
            tokens[i] = cleanedUp(std::move(tokens[i]));
    }
    return tokens;
}

std::vector<std::string> BpeDecoder::decode(std::vector<std::string> tokens) const {
    for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i] = replaceAll(tokens[i], suffix_, i + 1 < tokens.size() ? " " : "");
    return tokens;
}

std::string BpeDecoder::bytes(std::string token) const {
    return replaceAll(token, suffix_, " ");
}

} // namespace headscope
