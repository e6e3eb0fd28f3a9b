#include "core/model/prompt.h"

#include "core/base/text.h"
#include "core/base/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>

namespace headscope {

namespace {

/// Names under which tokenizers keep a BOS token that no config mentions.
constexpr std::array<std::string_view, 6> kBosNames{
    "<BOS>", "[BOS]", "<bos>", "<s>", "<|begin_of_text|>", "<|endoftext|>"};

/// The token that BOS means for this model, also where prompts do not begin with it by themselves.
std::optional<TokenId> bosToken(const Model& model) {
    if (model.spec.bos_token || !model.tokenizer)
        return model.spec.bos_token;
    for (const std::string_view name : kBosNames)
        if (const auto id = model.tokenizer->id(name); id && model.tokenizer->isSpecial(*id))
            return id;
    return std::nullopt;
}

enum class PromptSource { Text, Ids };

/// Puts BOS in front where the mode asks for it, and says why it is there or not.
Result<void> settleBos(const Model& model, BosMode mode, PromptSource source, Prompt& prompt) {
    const BosRule rule = bosRule(model);
    const std::optional<TokenId> bos = bosToken(model);
    const bool wanted =
        mode == BosMode::Yes || (mode == BosMode::Auto && source == PromptSource::Text && rule.add);
    if (wanted && !bos)
        return Error{ErrorCode::InvalidArgument,
                     model.name + " names no BOS token in its config or tokenizer; turn BOS off or "
                                  "begin the prompt with the token you mean."};
    const bool begins = bos && !prompt.ids.empty() && prompt.ids.front() == *bos;
    // What the tokenizer itself put in front has an empty range.
    const bool typed =
        begins && (source == PromptSource::Ids || prompt.offsets.front() != TextRange{});
    if (wanted && !begins) {
        prompt.ids.insert(prompt.ids.begin(), *bos);
        prompt.offsets.insert(prompt.offsets.begin(), TextRange{});
    }
    prompt.has_bos = wanted || begins;
    if (typed)
        prompt.bos_reason = "The prompt itself begins with token " + idAndToken(model, *bos) + ".";
    else if (mode == BosMode::Auto)
        prompt.bos_reason = source == PromptSource::Text
                                ? rule.reason
                                : "Token ids are run as they are given, without BOS.";
    else if (mode == BosMode::Yes)
        prompt.bos_reason = "BOS is switched on: token " + idAndToken(model, *bos) + ".";
    else
        prompt.bos_reason = "BOS is switched off.";
    return {};
}

bool isInVocabulary(const Model& model, TokenId id) {
    return id >= 0 && static_cast<std::size_t>(id) < model.spec.d_vocab;
}

Result<void> checkIds(const Model& model, const TokenIds& ids) {
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (!isInVocabulary(model, ids[i]))
            return Error{ErrorCode::InvalidArgument,
                         "The token id " + idAndToken(model, ids[i]) + " at position " +
                             std::to_string(i) + " is outside the vocabulary of " + model.name +
                             ", expected 0 to " + std::to_string(model.spec.d_vocab - 1) + "."};
    return {};
}

Result<void> checkLength(const Model& model, const Prompt& prompt) {
    const std::size_t length = prompt.ids.size();
    const std::size_t n_ctx = model.spec.n_ctx;
    if (length <= n_ctx)
        return {};
    return Error{ErrorCode::TooLarge, "The prompt has " + std::to_string(length) + " tokens" +
                                          (prompt.has_bos ? " with BOS" : "") + ", but " +
                                          model.name + " reads at most " + std::to_string(n_ctx) +
                                          "; shorten it by " + std::to_string(length - n_ctx) +
                                          "."};
}

Result<Prompt> finish(const Model& model, Prompt prompt, BosMode mode, PromptSource source) {
    if (auto good = checkIds(model, prompt.ids); !good)
        return good.error();
    if (auto settled = settleBos(model, mode, source, prompt); !settled)
        return settled.error();
    if (auto good = checkLength(model, prompt); !good)
        return good.error();
    for (const TokenId id : prompt.ids)
        prompt.pieces.push_back(tokenPiece(model, id));
    prompt.segments = model.spec.segmentsOf(prompt.ids);
    return prompt;
}

/// A text that begins with BOS got another one from the post-processor.
void dropDoubleBos(const Model& model, Encoding& encoding) {
    const auto prefix = model.tokenizer->prefixToken();
    TokenIds& ids = encoding.ids;
    if (!prefix || ids.size() < 2 || ids[0] != *prefix || ids[1] != *prefix)
        return;
    ids.erase(ids.begin());
    encoding.offsets.erase(encoding.offsets.begin());
}

/// A prompt of at least one token.
Result<Prompt> readText(const Model& model, std::string_view text, BosMode bos) {
    auto prompt = tokensOfText(model, text, bos);
    if (prompt && prompt->ids.empty())
        return Error{ErrorCode::InvalidArgument,
                     "The prompt is empty, expected at least one token; type some text."};
    return prompt;
}

Result<Prompt> takeIds(const Model& model, TokenIds ids, BosMode bos) {
    if (ids.empty())
        return Error{ErrorCode::InvalidArgument,
                     "The prompt is empty, expected at least one token id."};
    Prompt prompt;
    prompt.offsets.resize(ids.size());
    prompt.ids = std::move(ids);
    return finish(model, std::move(prompt), bos, PromptSource::Ids);
}

/// The tokenizer puts `prefix` before every text by itself.
std::string reasonOfPrefix(const Model& model, TokenId prefix) {
    const BosFacts& facts = model.bos_facts;
    std::string reason = "The tokenizer begins every text with token " + idAndToken(model, prefix);
    if (facts.config_token == prefix)
        reason += ", the config's bos_token_id";
    else if (facts.config_token)
        reason +=
            " and not with the config's bos_token_id " + idAndToken(model, *facts.config_token);
    if (facts.add_bos_token == false)
        reason += ", although its settings say add_bos_token false";
    return reason + "; prompts begin with it once.";
}

} // namespace

std::string tokenPiece(const Model& model, TokenId id) {
    if (model.tokenizer && model.tokenizer->token(id))
        return model.tokenizer->piece(id);
    return "⟨" + std::to_string(id) + "⟩";
}

std::string idAndToken(const Model& model, TokenId id) {
    const auto name = model.tokenizer ? model.tokenizer->token(id) : std::nullopt;
    return std::to_string(id) + (name ? " (" + *name + ")" : "");
}

std::string outputPiece(const Model& model, TokenId id) {
    return model.spec.predictsClasses() ? "class " + std::to_string(id) : tokenPiece(model, id);
}

std::string displayOutput(const Model& model, TokenId id) {
    return model.spec.predictsClasses() ? outputPiece(model, id)
                                        : displayPiece(tokenPiece(model, id));
}

Result<TokenId> outputFromText(const Model& model, std::string_view text) {
    if (!model.spec.predictsClasses())
        return tokenFromText(model, text);
    if (const auto id = parseNumber<TokenId>(text))
        return *id;
    return Error{ErrorCode::InvalidArgument,
                 "\"" + std::string(text) + "\" is no class: the logits of " + model.name +
                     " are of classes 0 to " + std::to_string(model.spec.outputs() - 1) + "."};
}

BosRule bosRule(const Model& model) {
    const BosFacts& facts = model.bos_facts;
    if (const auto prefix = model.tokenizer ? model.tokenizer->prefixToken() : std::nullopt)
        return {true, reasonOfPrefix(model, *prefix)};
    const auto bos = model.spec.bos_token;
    const std::string_view own = model.tokenizer ? "The tokenizer adds no BOS token by itself" : "";
    if (facts.add_bos_token == false)
        return {false, std::string(own) +
                           " and its settings say add_bos_token false, so "
                           "prompts have none" +
                           (facts.config_token ? ", although the config names bos_token_id " +
                                                     idAndToken(model, *facts.config_token)
                                               : "") +
                           "."};
    if (facts.add_bos_token == true && bos)
        return {true, std::string(own) +
                          ", but its settings say add_bos_token, so "
                          "prompts begin with token " +
                          idAndToken(model, *bos) + " once."};
    if (facts.config_token && !model.tokenizer)
        return {true, "The config names bos_token_id " + idAndToken(model, *facts.config_token) +
                          ", so random sequences begin with it once; token ids are run as they "
                          "are given."};
    if (facts.config_token)
        return {true, std::string(own) + (own.empty() ? "The" : "; the") +
                          " config names bos_token_id " + idAndToken(model, *facts.config_token) +
                          ", so prompts begin with it once."};
    return {false, "Neither the config nor the tokenizer says that texts begin with a BOS token, "
                   "so prompts have none."};
}

Error noTokenizer(ErrorCode code, const Model& model, std::string_view what_follows) {
    const std::string& reason = model.report.unused_tokenizer;
    return {code, reason.empty() ? model.name + " has no tokenizer" + std::string(what_follows)
                                 : model.name + " reads token ids only, because " + reason};
}

Result<Prompt> tokensOfText(const Model& model, std::string_view text, BosMode bos) {
    if (!model.tokenizer)
        return noTokenizer(ErrorCode::InvalidArgument, model,
                           ", so it cannot read text; give token ids, or put the model's "
                           "tokenizer.json beside its file.");
    auto encoding = model.tokenizer->encode(text, bos != BosMode::No);
    if (!encoding)
        return encoding.error();
    dropDoubleBos(model, *encoding);
    Prompt prompt;
    prompt.text = std::string(text);
    prompt.ids = std::move(encoding->ids);
    prompt.offsets = std::move(encoding->offsets);
    return finish(model, std::move(prompt), bos, PromptSource::Text);
}

Result<Prompt> promptFromText(const Model& model, std::string_view text, BosMode bos) {
    if (auto runnable = checkRunnable(model); !runnable)
        return runnable.error();
    return readText(model, text, bos);
}

Result<Prompt> promptFromIds(const Model& model, TokenIds ids, BosMode bos) {
    if (auto runnable = checkRunnable(model); !runnable)
        return runnable.error();
    return takeIds(model, std::move(ids), bos);
}

Result<Prompt> promptFromInput(const Model& model, std::string_view typed, BosMode bos) {
    if (auto runnable = checkRunnable(model); !runnable)
        return runnable.error();
    if (model.tokenizer)
        return readText(model, typed, bos);
    auto ids = parseTokenIds(typed);
    if (!ids)
        return ids.error();
    return takeIds(model, *std::move(ids), bos);
}

namespace {

/// What the template makes of two texts, and the segment of each token.
struct Paired {
    TokenIds ids;
    std::vector<std::size_t> segments;
};

Result<Paired> pairedByTemplate(const Tokenizer& tokenizer, std::string_view first,
                                std::string_view second) {
    Paired paired;
    for (const PairPlace& place : tokenizer.pairTemplate()) {
        TokenIds ids{place.id};
        if (place.kind != PairPlace::Kind::Token) {
            auto encoding =
                tokenizer.encode(place.kind == PairPlace::Kind::First ? first : second, false);
            if (!encoding)
                return encoding.error();
            ids = std::move(encoding->ids);
        }
        paired.ids.insert(paired.ids.end(), ids.begin(), ids.end());
        paired.segments.insert(paired.segments.end(), ids.size(), place.segment);
    }
    return paired;
}

} // namespace

std::optional<std::string> pairSeparator(const Model& model) {
    if (!model.tokenizer)
        return std::nullopt;
    std::string separator;
    bool is_between = false;
    for (const PairPlace& place : model.tokenizer->pairTemplate()) {
        if (place.kind == PairPlace::Kind::Second)
            return separator;
        if (is_between)
            separator += model.tokenizer->token(place.id).value_or("");
        is_between = is_between || place.kind == PairPlace::Kind::First;
    }
    return std::nullopt;
}

Result<std::string> pairText(const Model& model, std::string_view first, std::string_view second) {
    const auto separator = pairSeparator(model);
    if (!separator && !model.tokenizer)
        return noTokenizer(ErrorCode::InvalidArgument, model,
                           ", so it cannot read two texts; give token ids.");
    if (!separator)
        return Error{ErrorCode::InvalidArgument,
                     "The tokenizer of " + model.name +
                         " does not say how two texts are separated; write them as one prompt."};
    std::string text = std::string(first) + *separator + std::string(second);
    auto as_one = model.tokenizer->encode(text, true);
    if (!as_one)
        return as_one.error();
    dropDoubleBos(model, *as_one); // as prompts are read
    const auto as_two = pairedByTemplate(*model.tokenizer, first, second);
    if (!as_two)
        return as_two.error();
    const auto segments = model.spec.segmentsOf(as_one->ids);
    if (as_one->ids != as_two->ids || (!segments.empty() && segments != as_two->segments))
        return Error{ErrorCode::InvalidArgument,
                     first.find(*separator) != std::string_view::npos
                         ? "The first text holds " + *separator + ", so the tokenizer of " +
                               model.name +
                               " does not read these as two texts; write them as one prompt."
                         : "The tokenizer of " + model.name + " does not read \"" + text +
                               "\" as two texts; write them as one prompt."};
    return text;
}

std::optional<TextPair> pairOf(const Model& model, std::string_view prompt) {
    const auto separator = pairSeparator(model);
    const std::size_t at = separator ? prompt.find(*separator) : std::string_view::npos;
    if (at == std::string_view::npos)
        return std::nullopt;
    TextPair pair{std::string(prompt.substr(0, at)),
                  std::string(prompt.substr(at + separator->size()))};
    return pairText(model, pair.first, pair.second) ? std::optional(std::move(pair)) : std::nullopt;
}

std::string segmentsText(const Model& model, const Prompt& prompt) {
    if (prompt.segments.empty())
        return "";
    if (!model.spec.segment_separator)
        return "0 for all tokens, as no template of two texts says otherwise";
    const std::string separator = tokenPiece(model, *model.spec.segment_separator);
    const auto second = static_cast<std::size_t>(std::ranges::count(prompt.segments, 1U));
    if (second == 0)
        return "0 for all tokens; 1 begins after the first " + separator;
    return "0 for " + counted(prompt.segments.size() - second, "token") + ", 1 for the " +
           std::to_string(second) + " after " + separator;
}

std::string typedPiece(const Model& model, TokenId id) {
    if (!model.tokenizer)
        return " " + std::to_string(id);
    return model.tokenizer->isSpecial(id) ? std::string() : model.tokenizer->piece(id);
}

std::string promptText(const Prompt& prompt) {
    if (!prompt.text.empty())
        return prompt.text;
    std::vector<std::string> ids;
    for (const TokenId id : prompt.ids)
        ids.push_back(std::to_string(id));
    return join(ids, " ");
}

Result<TokenId> tokenFromText(const Model& model, std::string_view text) {
    if (!model.tokenizer)
        return noTokenizer(ErrorCode::InvalidArgument, model,
                           " to look up " + inQuotes(text) +
                               "; give the prompt and its tokens by ids.");
    const auto encoding = model.tokenizer->encode(text, false);
    if (!encoding)
        return encoding.error();
    if (encoding->ids.size() != 1)
        return Error{ErrorCode::InvalidArgument,
                     "\"" + std::string(text) + "\" is " + std::to_string(encoding->ids.size()) +
                         " tokens, not one; mind the space in front of a word, as in \" Mary\"."};
    if (!isInVocabulary(model, encoding->ids.front()))
        return Error{ErrorCode::InvalidArgument,
                     "The token id " + idAndToken(model, encoding->ids.front()) +
                         " is outside the vocabulary of " + model.name + ", expected 0 to " +
                         std::to_string(model.spec.d_vocab - 1) + "."};
    return encoding->ids.front();
}

namespace {

/// Whether there is no id before a comma. At the end there may be one: somebody types.
bool lacksId(std::string_view text) {
    bool is_expected = true;
    for (const char letter : text) {
        const bool is_comma = letter == ',';
        if (is_comma && is_expected)
            return true;
        if (is_comma || std::string_view(" \t\r\n").find(letter) == std::string_view::npos)
            is_expected = is_comma;
    }
    return false;
}

} // namespace

Result<TokenIds> parseTokenIds(std::string_view text) {
    constexpr std::string_view separators = ", \t\r\n";
    TokenIds ids;
    for (std::size_t begin = text.find_first_not_of(separators); begin != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
        const std::string_view word = text.substr(begin, end - begin);
        const auto id = parseNumber<TokenId>(word);
        if (!id)
            return Error{ErrorCode::InvalidArgument, "'" + std::string(word) +
                                                         "' is no token id, expected whole numbers "
                                                         "separated by commas or spaces."};
        ids.push_back(*id);
        begin = text.find_first_not_of(separators, end);
    }
    if (ids.empty())
        return Error{ErrorCode::InvalidArgument,
                     "There are no token ids, expected whole numbers separated by commas or "
                     "spaces."};
    if (lacksId(text))
        return Error{ErrorCode::InvalidArgument,
                     "There is a comma without a token id before it; leave it out."};
    return ids;
}

namespace {

/// Code points that draw nothing or move what is around them. The zero-width joiner stays: it
/// holds emoji together.
bool isInvisible(char32_t code) {
    constexpr char32_t zero_width_joiner = 0x200D;
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return true;
    case UTF8PROC_CATEGORY_CF:
        return code != zero_width_joiner;
    default:
        return false;
    }
}

std::string visible(char32_t code, std::string_view bytes) {
    if (code == ' ')
        return "·";
    if (code == '\n')
        return "⏎";
    if (code == '\t')
        return "⇥";
    return isInvisible(code) ? escapedCodePoint(code) : std::string(bytes);
}

} // namespace

std::string displayPiece(std::string_view piece) {
    std::string text;
    while (!piece.empty()) {
        const auto [code, bytes] = decodeCharacter(piece);
        text += code ? visible(*code, piece.substr(0, bytes)) : "\uFFFD";
        piece.remove_prefix(bytes);
    }
    return text;
}

std::string positionText(std::span<const std::string> pieces, std::size_t position) {
    const std::string number = std::to_string(position);
    return position < pieces.size() ? number + " " + displayPiece(pieces[position]) : number;
}

} // namespace headscope
