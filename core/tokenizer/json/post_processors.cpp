#include "core/tokenizer/post_processors/post_processors.h"

#include "core/tokenizer/json/parts.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace headscope {

namespace {

using TemplatePiece = TemplateProcessing::Piece;

PartResult<PostProcessor> readPostProcessorSequence(const JsonView& json) {
    auto steps = readSequence<PostProcessor>(json, "processors", readPostProcessor);
    if (!steps)
        return steps.error();
    return makePart<PostProcessorSequence, PostProcessor>({}, *std::move(steps));
}

/// From trim_offsets and add_prefix_space.
PartResult<PostProcessor> readTrimming(const JsonView& processor) {
    const auto trim = processor.boolean("trim_offsets");
    if (!trim)
        return trim.error();
    const auto add_prefix_space = processor.boolean("add_prefix_space");
    if (!add_prefix_space)
        return add_prefix_space.error();
    return makePart<OffsetTrimming, PostProcessor>({}, *trim, *add_prefix_space);
}

/// {"id": "[CLS]", "ids": [101], "tokens": ["[CLS]"]}
Result<TemplatePiece> readSpecialToken(const JsonView& special_token) {
    if (const auto known = special_token.allowOnly({"id", "ids", "tokens"}); !known)
        return known.error();
    const auto ids = special_token.elements("ids");
    if (!ids)
        return ids.error();
    const auto tokens = special_token.elements("tokens");
    if (!tokens)
        return tokens.error();
    if (ids->size() != tokens->size())
        return special_token.malformed("has " + std::to_string(ids->size()) + " ids for " +
                                       std::to_string(tokens->size()) + " tokens");
    TemplatePiece piece{false, {}, {}};
    for (std::size_t i = 0; i < ids->size(); ++i) {
        const auto id = readTokenId((*ids)[i]);
        if (!id)
            return id.error();
        auto token = (*tokens)[i].string();
        if (!token)
            return token.error();
        piece.ids.push_back(*id);
        piece.tokens.push_back(*std::move(token));
    }
    return piece;
}

/// {"Sequence": {"id": "A", …}} or {"SpecialToken": {"id": "[CLS]", …}}
Result<TemplatePiece> readPiece(const JsonView& piece, const JsonView& special_tokens) {
    if (const auto known = piece.allowOnly({"Sequence", "SpecialToken"}); !known)
        return known.error();
    const bool is_text = piece.member("SpecialToken")->isNull();
    const auto content = piece.member(is_text ? "Sequence" : "SpecialToken");
    const auto id = content->string("id");
    if (!id)
        return id.error();
    if (is_text)
        return *id == "A" ? Result(TemplatePiece()) : content->expected("the sequence A");
    const auto special_token = special_tokens.member(*id);
    return special_token ? readSpecialToken(*special_token) : special_token.error();
}

/// {"type": "TemplateProcessing", …}: `single` is the template of one text.
PartResult<PostProcessor> readTemplate(const JsonView& processor) {
    const auto known = processor.allowOnly({"type", "single", "pair", "special_tokens"});
    if (!known)
        return known.error();
    const auto elements = processor.elements("single");
    if (!elements)
        return elements.error();
    std::vector<TemplatePiece> pieces;
    for (const JsonView& element : *elements) {
        auto piece = readPiece(element, *processor.member("special_tokens"));
        if (!piece)
            return piece.error();
        pieces.push_back(*std::move(piece));
    }
    if (std::ranges::count_if(pieces, &TemplatePiece::is_text) > 1)
        return processor.unsupported("the text more than once");
    return makePart<TemplateProcessing, PostProcessor>({}, std::move(pieces));
}

/// ["[CLS]", 101]
Result<TemplatePiece> readTokenAndId(const JsonView& pair) {
    if (!pair.value().isArray() || pair.value().size() != 2)
        return pair.expected("a token and its id");
    auto token = pair.element(0).string();
    if (!token)
        return token.error();
    const auto id = readTokenId(pair.element(1));
    if (!id)
        return id.error();
    return TemplatePiece{false, {*id}, {*std::move(token)}};
}

/// From `cls` and `sep`, each ["token", id].
PartResult<PostProcessor> readClsSep(const JsonView& processor) {
    auto cls = readTokenAndId(*processor.member("cls"));
    if (!cls)
        return cls.error();
    auto sep = readTokenAndId(*processor.member("sep"));
    if (!sep)
        return sep.error();
    return makePart<TemplateProcessing, PostProcessor>(
        {}, std::vector<TemplatePiece>{*std::move(cls), TemplatePiece(), *std::move(sep)});
}

PartResult<PostProcessor> readByteLevelTrimming(const JsonView& json) {
    const auto known = json.allowOnly({"type", "add_prefix_space", "trim_offsets", "use_regex"});
    if (!known)
        return known.error();
    return readTrimming(json);
}

PartResult<PostProcessor> readBertProcessing(const JsonView& json) {
    if (const auto known = json.allowOnly({"type", "cls", "sep"}); !known)
        return known.error();
    return readClsSep(json);
}

PartResult<PostProcessor> readRobertaProcessing(const JsonView& json) {
    const auto known = json.allowOnly({"type", "cls", "sep", "trim_offsets", "add_prefix_space"});
    if (!known)
        return known.error();
    auto trimming = readTrimming(json);
    if (!trimming)
        return trimming;
    auto around = readClsSep(json);
    if (!around)
        return around;
    std::vector<std::unique_ptr<const PostProcessor>> steps;
    steps.push_back(*std::move(trimming));
    steps.push_back(*std::move(around));
    return makePart<PostProcessorSequence, PostProcessor>({}, std::move(steps));
}

constexpr std::array<PartReader<PostProcessor>, 5> kPostProcessors{{
    {"Sequence", readPostProcessorSequence},
    {"BertProcessing", readBertProcessing},
    {"ByteLevel", readByteLevelTrimming},
    {"RobertaProcessing", readRobertaProcessing},
    {"TemplateProcessing", readTemplate},
}};

} // namespace

PartResult<PostProcessor> readPostProcessor(const JsonView& json) {
    if (json.isNull())
        return makePart<PostProcessorSequence, PostProcessor>(
            {}, std::vector<std::unique_ptr<const PostProcessor>>());
    return readPart<PostProcessor>(json, kPostProcessors);
}

} // namespace headscope
