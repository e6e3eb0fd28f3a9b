#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/tokenizer/json/parts.h"
#include "core/tokenizer/models/bpe_model.h"
#include "core/tokenizer/models/token_model.h"
#include "core/tokenizer/models/unigram_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace headscope {

namespace {

/// Cutting a word takes steps that grow with the square of its length.
constexpr std::size_t kMostCharacters = 1000;

/// From {"token": id, …}.
Result<Vocabulary> readVocabulary(const JsonView& object) {
    if (!object.value().isObject())
        return object.expected("an object");
    Vocabulary vocabulary;
    vocabulary.reserve(object.value().size());
    for (const auto& [token, number] : object.value().members()) {
        const auto id = number.whole();
        if (!id || *id > kLargestTokenId)
            return readTokenId(*object.member(token)).error();
        if (const auto done = vocabulary.add(token, *id); !done)
            return object.malformed(done.error().message);
    }
    return vocabulary;
}

/// Tokens whose ids are their places in the list; `place` is where an error is.
Result<Vocabulary> listedVocabulary(const std::vector<std::string>& tokens, const JsonView& place) {
    Vocabulary vocabulary;
    if (tokens.size() > kLargestTokenId)
        return place.malformed("has " + std::to_string(tokens.size()) + " tokens, at most " +
                               std::to_string(kLargestTokenId) + " are read");
    vocabulary.reserve(tokens.size());
    for (std::size_t id = 0; id < tokens.size(); ++id)
        if (const auto done = vocabulary.add(tokens[id], id); !done)
            return place.malformed(done.error().message);
    return vocabulary;
}

/// The tokens of all bytes where `byte_fallback` is true, else none.
Result<std::vector<TokenId>> readByteTokens(const JsonView& model, const Vocabulary& vocabulary) {
    const auto byte_fallback = model.boolean("byte_fallback", false);
    if (!byte_fallback)
        return byte_fallback.error();
    std::vector<TokenId> ids;
    for (unsigned byte = 0; *byte_fallback && byte < 256; ++byte) {
        const std::string token = byteToken(static_cast<std::uint8_t>(byte));
        const auto id = vocabulary.id(token);
        if (!id)
            return model.malformed("has byte_fallback, and its vocabulary has no token " +
                                   inQuotes(token));
        ids.push_back(*id);
    }
    return ids;
}

/// The two tokens of a merge: "a b" in old files, ["a", "b"] in new ones.
Result<std::array<std::string, 2>> readPair(const JsonView& list, std::size_t index) {
    const JsonValue pair = list.value().element(index);
    if (const std::string* const text = pair.text()) {
        auto parts = split(*text, ' ');
        if (parts.size() == 2)
            return std::array{std::move(parts[0]), std::move(parts[1])};
    } else if (pair.isArray() && pair.size() == 2) {
        const std::string* const left = pair.element(0).text();
        const std::string* const right = pair.element(1).text();
        if (left != nullptr && right != nullptr)
            return std::array{*left, *right};
    }
    return list.element(index).expected("two tokens (\"a b\" or [\"a\", \"b\"])");
}

bool isVersionLine(JsonValue merge) {
    return merge.text() != nullptr && merge.text()->starts_with("#version");
}

Result<BpeModel::Options> readBpeOptions(const JsonView& model) {
    const auto known = model.allowOnly({"type", "dropout", "unk_token", "continuing_subword_prefix",
                                        "end_of_word_suffix", "fuse_unk", "byte_fallback",
                                        "ignore_merges", "vocab", "merges"});
    if (!known)
        return known.error();
    const auto dropout = model.member("dropout");
    if (!dropout->isNull() && !dropout->value().number())
        return dropout->expected("a number");
    const bool drops = dropout->value().number().value_or(0.0) != 0.0;
    const auto unknown_token = model.optionalString("unk_token");
    if (!unknown_token)
        return unknown_token.error();
    const auto prefix = model.optionalString("continuing_subword_prefix");
    if (!prefix)
        return prefix.error();
    const auto suffix = model.optionalString("end_of_word_suffix");
    if (!suffix)
        return suffix.error();
    const auto fuse_unknown = model.boolean("fuse_unk", false);
    if (!fuse_unknown)
        return fuse_unknown.error();
    const auto byte_fallback = model.boolean("byte_fallback", false);
    if (!byte_fallback)
        return byte_fallback.error();
    const auto ignore_merges = model.boolean("ignore_merges", false);
    if (!ignore_merges)
        return ignore_merges.error();
    if (*byte_fallback && (*prefix || *suffix))
        return model.unsupported("byte_fallback together with a prefix or suffix of subwords");
    return BpeModel::Options{*unknown_token,
                             prefix->value_or(""),
                             suffix->value_or(""),
                             *fuse_unknown,
                             *ignore_merges,
                             drops,
                             {}};
}

/// The part of a merge after the prefix of subwords, of `prefix_bytes`, goes to the whole.
Result<BpeMerges> readMerges(const JsonView& list, const Vocabulary& vocabulary,
                             std::size_t prefix_bytes) {
    if (!list.value().isArray())
        return list.expected("an array");
    BpeMerges merges;
    for (std::size_t rank = 0; rank < list.value().size(); ++rank) {
        if (isVersionLine(list.value().element(rank)))
            continue;
        const auto pair = readPair(list, rank);
        if (!pair)
            return pair.error();
        const auto& [left, right] = *pair;
        const std::string merged = left + right.substr(std::min(prefix_bytes, right.size()));
        std::array<TokenId, 3> ids{};
        for (std::size_t i = 0; const std::string* token : {&left, &right, &merged}) {
            const auto id = vocabulary.id(*token);
            if (!id)
                return list.element(rank).malformed("needs the token " + inQuotes(*token) +
                                                    ", which is not in the vocabulary");
            ids[i++] = *id;
        }
        merges.add(ids[0], ids[1], ids[2], rank);
    }
    return merges;
}

PartResult<TokenModel> readBpe(const JsonView& model) {
    auto options = readBpeOptions(model);
    if (!options)
        return options.error();
    auto vocabulary = readVocabulary(*model.member("vocab"));
    if (!vocabulary)
        return vocabulary.error();
    auto merges =
        readMerges(*model.member("merges"), *vocabulary, options->continuing_prefix.size());
    if (!merges)
        return merges.error();
    auto byte_ids = readByteTokens(model, *vocabulary);
    if (!byte_ids)
        return byte_ids.error();
    options->byte_ids = *std::move(byte_ids);
    return makePart<BpeModel, TokenModel>({}, *std::move(vocabulary), *std::move(merges),
                                          *std::move(options));
}

struct ScoredTokens {
    std::vector<std::string> tokens;
    std::vector<double> scores;
};

Result<ScoredTokens> readScoredTokens(const JsonView& list) {
    if (!list.value().isArray())
        return list.expected("an array");
    if (list.value().size() == 0)
        return list.malformed("is empty");
    ScoredTokens result;
    for (std::size_t id = 0; id < list.value().size(); ++id) {
        const JsonValue entry = list.value().element(id);
        const bool is_pair = entry.isArray() && entry.size() == 2;
        const std::string* const token = is_pair ? entry.element(0).text() : nullptr;
        const auto score = is_pair ? entry.element(1).number() : std::nullopt;
        if (token == nullptr || !score)
            return list.element(id).expected("a token and its log-probability");
        result.tokens.push_back(*token);
        result.scores.push_back(*score);
        if (!std::isfinite(result.scores.back()))
            return list.element(id).malformed("has a log-probability that is not finite");
    }
    return result;
}

Result<std::optional<TokenId>> readUnknownId(const JsonView& id, std::size_t n_tokens) {
    if (id.isNull())
        return std::optional<TokenId>();
    const auto number = id.number(n_tokens - 1);
    if (!number)
        return number.error();
    return std::optional(static_cast<TokenId>(*number));
}

/// {"type": "Unigram", "vocab": [["▁the", -3.2], …], "unk_id": 0}
PartResult<TokenModel> readUnigram(const JsonView& model) {
    const auto known = model.allowOnly({"type", "vocab", "unk_id", "byte_fallback"});
    if (!known)
        return known.error();
    const auto list = model.member("vocab");
    auto scored = readScoredTokens(*list);
    if (!scored)
        return scored.error();
    const auto unknown_id = readUnknownId(*model.member("unk_id"), scored->tokens.size());
    if (!unknown_id)
        return unknown_id.error();
    auto vocabulary = listedVocabulary(scored->tokens, *list);
    if (!vocabulary)
        return vocabulary.error();
    auto byte_ids = readByteTokens(model, *vocabulary);
    if (!byte_ids)
        return byte_ids.error();
    return makePart<UnigramModel, TokenModel>(
        {}, *std::move(vocabulary),
        UnigramModel::Options{std::move(scored->scores), *unknown_id, *std::move(byte_ids)});
}

PartResult<TokenModel> readWordLevel(const JsonView& model) {
    if (const auto known = model.allowOnly({"type", "vocab", "unk_token"}); !known)
        return known.error();
    const auto unknown_token = model.string("unk_token");
    if (!unknown_token)
        return unknown_token.error();
    const auto entries = model.member("vocab");
    if (!entries)
        return entries.error();
    auto vocabulary = readVocabulary(*entries);
    if (!vocabulary)
        return vocabulary.error();
    return makePart<WordLevelModel, TokenModel>({}, *std::move(vocabulary), *unknown_token);
}

PartResult<TokenModel> readWordPiece(const JsonView& model) {
    const auto known = model.allowOnly(
        {"type", "vocab", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word"});
    if (!known)
        return known.error();
    WordPieceModel::Options options;
    auto unknown_token = model.string("unk_token");
    if (!unknown_token)
        return unknown_token.error();
    options.unknown_token = *std::move(unknown_token);
    const auto prefix = model.optionalString("continuing_subword_prefix");
    if (!prefix)
        return prefix.error();
    options.continuing_prefix = prefix->value_or("##");
    if (const auto most = model.member("max_input_chars_per_word"); !most->isNull()) {
        const auto number = most->number(kMostCharacters);
        if (!number)
            return number.error();
        options.most_characters = *number;
    }
    auto vocabulary = readVocabulary(*model.member("vocab"));
    if (!vocabulary)
        return vocabulary.error();
    return makePart<WordPieceModel, TokenModel>({}, *std::move(vocabulary), std::move(options));
}

constexpr std::array<PartReader<TokenModel>, 4> kModels{{
    {"BPE", readBpe},
    {"Unigram", readUnigram},
    {"WordLevel", readWordLevel},
    {"WordPiece", readWordPiece},
}};

} // namespace

Result<TokenId> readTokenId(const JsonView& number) {
    const auto id = number.number(kLargestTokenId);
    if (!id)
        return id.error();
    return static_cast<TokenId>(*id);
}

PartResult<TokenModel> readTokenModel(const JsonView& json) {
    const auto type = json.member("type");
    if (!type)
        return type.error();
    // Files of 2020, that of GPT-2 among them, leave out the type.
    if (type->isNull() && !json.member("merges")->isNull())
        return readBpe(json);
    return readPart<TokenModel>(json, kModels);
}

} // namespace headscope
