#include "core/tokenizer/tokenizer.h"

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/tokenizer/json/parts.h"
#include "core/tokenizer/pipeline/pipeline_tokenizer.h"

#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kMostTextBytes = 50'000'000;

} // namespace

Result<Encoding> Tokenizer::encode(std::string_view text, bool add_special_tokens) const {
    if (text.size() > kMostTextBytes)
        return Error{ErrorCode::TooLarge, "The text is " + byteText(text.size()) +
                                              " long; use at most " + byteText(kMostTextBytes) +
                                              "."};
    if (const std::size_t byte = firstInvalidUtf8(text); byte != std::string_view::npos)
        return Error{ErrorCode::InvalidArgument, "The text is not valid UTF-8 at byte " +
                                                     std::to_string(byte) +
                                                     "; convert it to UTF-8."};
    return encodeValid(text, add_special_tokens);
}

namespace {

Result<TokenizerParts> readParts(const JsonView& file) {
    const auto known =
        file.allowOnly({"version", "truncation", "padding", "added_tokens", "normalizer",
                        "pre_tokenizer", "model", "post_processor", "decoder"});
    if (!known)
        return known.error();
    const JsonValue version = file.value().member("version");
    if (!version.isNull() && (version.text() == nullptr || *version.text() != "1.0"))
        return file.unsupported("the version " + version.shown());
    auto normalizer = readNormalizer(*file.member("normalizer"));
    if (!normalizer)
        return normalizer.error();
    auto pre_tokenizer = readPreTokenizer(*file.member("pre_tokenizer"));
    if (!pre_tokenizer)
        return pre_tokenizer.error();
    auto model = readTokenModel(*file.member("model"));
    if (!model)
        return model.error();
    auto added =
        readAddedTokens(*file.member("added_tokens"), (*model)->vocabulary(), **normalizer);
    if (!added)
        return added.error();
    auto post_processor = readPostProcessor(*file.member("post_processor"));
    if (!post_processor)
        return post_processor.error();
    auto decoder = readDecoder(*file.member("decoder"));
    if (!decoder)
        return decoder.error();
    return TokenizerParts{*std::move(normalizer),     *std::move(added),
                          *std::move(pre_tokenizer),  *std::move(model),
                          *std::move(post_processor), *std::move(decoder)};
}

} // namespace

Result<std::shared_ptr<const Tokenizer>> readTokenizerJson(std::string_view json,
                                                           std::string_view source) {
    const auto file = JsonView::parse(json, source);
    if (!file)
        return file.error();
    auto parts = readParts(*file);
    if (!parts)
        return parts.error();
    auto tokenizer = std::make_shared<const PipelineTokenizer>(*std::move(parts));
    if (const auto foreign = tokenizer->foreignSpecialToken())
        return file->member("post_processor")
            ->malformed("adds the id " + std::to_string(*foreign) + ", which has no token");
    return std::shared_ptr<const Tokenizer>(std::move(tokenizer));
}

} // namespace headscope
