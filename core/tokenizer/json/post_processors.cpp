#include "core/tokenizer/post_processors/post_processors.h"

#include "core/tokenizer/json/parts.h"

#include <algorithm>
#include <array>
#include <iterator>
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

/// Templates of another form, such as one without a token between the texts, count as none.
std::vector<PairPlace> separated(std::vector<PairPlace> places) {
    const auto first = std::ranges::find(places, PairPlace::Kind::First, &PairPlace::kind);
    const auto second = std::ranges::find(places, PairPlace::Kind::Second, &PairPlace::kind);
    const auto texts = std::ranges::count_if(
        places, [](const PairPlace& place) { return place.kind != PairPlace::Kind::Token; });
    const bool is_usual =
        texts == 2 && second != places.end() && first < second && std::next(first) != second;
    return is_usual ? places : std::vector<PairPlace>();
}

/// The segment number of a piece; a missing one is 0.
Result<std::size_t> readSegment(const JsonView& content) {
    constexpr std::size_t most = 1000; // token types of any network
    const auto segment = content.member("type_id");
    return segment->isNull() ? Result<std::size_t>(0) : segment->number(most);
}

/// One element of `pair`: {"Sequence": {"id": "B", "type_id": 1}} or a special token likewise.
Result<void> addPairPlaces(const JsonView& piece, const JsonView& special_tokens,
                           std::vector<PairPlace>& places) {
    if (const auto known = piece.allowOnly({"Sequence", "SpecialToken"}); !known)
        return known.error();
    const bool is_text = piece.member("SpecialToken")->isNull();
    const auto content = piece.member(is_text ? "Sequence" : "SpecialToken");
    const auto id = content->string("id");
    if (!id)
        return id.error();
    const auto segment = readSegment(*content);
    if (!segment)
        return segment.error();
    if (is_text) {
        if (*id != "A" && *id != "B")
            return content->expected("the sequence A or B");
        places.push_back(
            {*id == "A" ? PairPlace::Kind::First : PairPlace::Kind::Second, 0, *segment});
        return {};
    }
    const auto token = special_tokens.member(*id);
    if (!token)
        return token.error();
    const auto read = readSpecialToken(*token);
    if (!read)
        return read.error();
    for (const TokenId each : read->ids)
        places.push_back({PairPlace::Kind::Token, each, *segment});
    return {};
}

/// The template of two texts; null or missing: none.
Result<std::vector<PairPlace>> readPair(const JsonView& processor) {
    std::vector<PairPlace> places;
    if (processor.member("pair")->isNull())
        return places;
    const auto elements = processor.elements("pair");
    if (!elements)
        return elements.error();
    for (const JsonView& element : *elements)
        if (auto added = addPairPlaces(element, *processor.member("special_tokens"), places);
            !added)
            return added.error();
    return separated(std::move(places));
}

/// {"type": "TemplateProcessing", …}: `single` is the template of one text, `pair` of two.
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
    auto pair = readPair(processor);
    if (!pair)
        return pair.error();
    return makePart<TemplateProcessing, PostProcessor>({}, std::move(pieces), *std::move(pair));
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

/// How a pair is separated: BERT by one token, the second text being segment 1; RoBERTa by the same
/// token twice, all being segment 0.
enum class ClsSep { Bert, Roberta };

std::vector<PairPlace> clsSepPair(TokenId cls, TokenId sep, ClsSep kind) {
    using Kind = PairPlace::Kind;
    const bool is_bert = kind == ClsSep::Bert;
    std::vector<PairPlace> places{
        {Kind::Token, cls, 0}, {Kind::First, 0, 0}, {Kind::Token, sep, 0}};
    if (!is_bert)
        places.push_back({Kind::Token, sep, 0});
    const std::size_t segment = is_bert ? 1 : 0;
    places.push_back({Kind::Second, 0, segment});
    places.push_back({Kind::Token, sep, segment});
    return places;
}

/// From `cls` and `sep`, each ["token", id].
PartResult<PostProcessor> readClsSep(const JsonView& processor, ClsSep kind) {
    auto cls = readTokenAndId(*processor.member("cls"));
    if (!cls)
        return cls.error();
    auto sep = readTokenAndId(*processor.member("sep"));
    if (!sep)
        return sep.error();
    auto pair = clsSepPair(cls->ids.front(), sep->ids.front(), kind);
    return makePart<TemplateProcessing, PostProcessor>(
        {}, std::vector<TemplatePiece>{*std::move(cls), TemplatePiece(), *std::move(sep)},
        std::move(pair));
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
    return readClsSep(json, ClsSep::Bert);
}

PartResult<PostProcessor> readRobertaProcessing(const JsonView& json) {
    const auto known = json.allowOnly({"type", "cls", "sep", "trim_offsets", "add_prefix_space"});
    if (!known)
        return known.error();
    auto trimming = readTrimming(json);
    if (!trimming)
        return trimming;
    auto around = readClsSep(json, ClsSep::Roberta);
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
