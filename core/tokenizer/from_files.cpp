#include "core/tokenizer/from_files.h"

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/tokenizer/json/parts.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace headscope {

namespace {

using Json = nlohmann::json;

/// "<s>" or {"content": "<s>", …}; empty when it is missing.
Result<std::string> readTokenText(const JsonView& token) {
    if (token.isNull())
        return std::string();
    return token.value().isObject() ? token.string("content") : token.string();
}

Result<void> readFlags(const JsonView& file, TokenizerSettings& settings) {
    const std::array<std::pair<std::string_view, std::optional<bool>*>, 6> flags{
        {{"add_bos_token", &settings.add_bos_token},
         {"add_eos_token", &settings.add_eos_token},
         {"add_prefix_space", &settings.add_prefix_space},
         {"do_lower_case", &settings.do_lower_case},
         {"strip_accents", &settings.strip_accents},
         {"tokenize_chinese_chars", &settings.tokenize_chinese_chars}}};
    for (const auto& [key, flag] : flags) {
        if (file.member(key)->isNull())
            continue;
        const auto value = file.boolean(key);
        if (!value)
            return value.error();
        *flag = *value;
    }
    return {};
}

/// {"32000": {"content": "<tool>", …}}
Result<void> readAddedTokensDecoder(const JsonView& list, std::vector<AddedToken>& added_tokens) {
    if (list.isNull())
        return {};
    if (!list.value().isObject())
        return list.expected("an object");
    for (const auto& [key, value] : list.value().members()) {
        const auto id = parseNumber<TokenId>(key);
        if (!id || *id < 0 || static_cast<std::size_t>(*id) > kLargestTokenId)
            return list.member(key)->malformed("has no token id as its key");
        auto token = readAddedToken(*list.member(key), *id, false);
        if (!token)
            return token.error();
        added_tokens.push_back(*std::move(token));
    }
    return {};
}

Result<void> readSpecialTokens(const JsonView& file, TokenizerSettings& settings) {
    for (const std::string_view key : {"bos_token", "eos_token", "unk_token", "sep_token",
                                       "pad_token", "cls_token", "mask_token"}) {
        const auto token = readTokenText(*file.member(key));
        if (!token)
            return token.error();
        if (token->empty())
            continue;
        if (std::ranges::find(settings.special_tokens, *token) == settings.special_tokens.end())
            settings.special_tokens.push_back(*token);
        if (key == "bos_token" && settings.bos_token.empty())
            settings.bos_token = *token;
        if (key == "mask_token" && settings.mask_token.empty())
            settings.mask_token = *token;
    }
    return {};
}

/// The lines of a text without their ends; a last line that is empty does not count.
std::vector<std::string> linesOf(std::string_view text) {
    auto lines = split(text, '\n');
    for (std::string& line : lines)
        if (line.ends_with('\r'))
            line.pop_back();
    if (lines.back().empty())
        lines.pop_back();
    return lines;
}

Error malformed(std::string_view source, const std::string& what) {
    return {ErrorCode::Malformed, std::string(source) + ": " + what + "."};
}

/// JSON strings cannot hold other bytes.
Result<void> checkUtf8(std::string_view text, std::string_view name, std::string_view source) {
    const std::size_t byte = firstInvalidUtf8(text);
    if (byte == std::string_view::npos)
        return {};
    const auto line = std::ranges::count(text.substr(0, byte), '\n') + 1;
    return malformed(source,
                     "line " + std::to_string(line) + " of " + std::string(name) + " is not UTF-8");
}

std::optional<TokenId> idOf(const Json& vocabulary, std::string_view token) {
    const auto found = vocabulary.find(token);
    return found == vocabulary.end() ? std::nullopt : std::optional(found->get<TokenId>());
}

Json addedTokenJson(const AddedToken& token) {
    return {
        {"id", token.id},          {"content", token.content}, {"single_word", token.single_word},
        {"lstrip", token.lstrip},  {"rstrip", token.rstrip},   {"normalized", token.normalized},
        {"special", token.special}};
}

/// Those whose ids are stated, and the special ones of the vocabulary.
Json addedTokens(const Json& vocabulary, const TokenizerSettings& settings,
                 const std::vector<std::string_view>& usual_tokens) {
    Json list = Json::array();
    for (const AddedToken& token : settings.added_tokens)
        list.push_back(addedTokenJson(token));
    std::vector<std::string_view> names(settings.special_tokens.begin(),
                                        settings.special_tokens.end());
    if (names.empty())
        names = usual_tokens;
    for (const std::string_view name : names) {
        const auto id = idOf(vocabulary, name);
        const auto has = [&](const Json& token) { return token["id"] == id; };
        if (!id || std::ranges::any_of(list, has))
            continue;
        AddedToken token;
        token.id = *id;
        token.content = name;
        token.lstrip = name == "<mask>"; // RoBERTa's takes the space before it along
        token.special = true;
        list.push_back(addedTokenJson(token));
    }
    return list;
}

Result<Json> readVocabularyFile(std::string_view text, std::string_view source) {
    const auto file = JsonView::parse(text, source);
    if (!file)
        return file.error();
    Json vocabulary = Json::object();
    for (const auto& [token, number] : file->value().members()) {
        const auto id = number.whole();
        if (!id || *id > kLargestTokenId)
            return readTokenId(*file->member(token)).error();
        vocabulary[std::string(token)] = *id;
    }
    return vocabulary;
}

/// A token such as "ing</w>", of OpenAI's first GPT, XLM, FlauBERT and BioGPT.
std::optional<std::string> tokenAtWordEnd(const Json& vocabulary) {
    constexpr std::string_view end = "</w>";
    for (const auto& [token, id] : vocabulary.items())
        if (token.size() > end.size() && token.ends_with(end))
            return token;
    return std::nullopt;
}

Json bosTemplate(const std::string& token, TokenId id) {
    Json processor = {{"type", "TemplateProcessing"}};
    processor["single"] = Json::array({{{"SpecialToken", {{"id", token}, {"type_id", 0}}}},
                                       {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}});
    processor["special_tokens"][token] = {
        {"id", token}, {"ids", Json::array({id})}, {"tokens", Json::array({token})}};
    return processor;
}

/// RoBERTa and LUKE put <s> and </s> around a text; others at most BOS before it.
Json mergesPostProcessor(const Json& vocabulary, const TokenizerSettings& settings) {
    const auto start = idOf(vocabulary, "<s>");
    const auto end = idOf(vocabulary, "</s>");
    const bool prefix_space = settings.add_prefix_space.value_or(false);
    const bool roberta = settings.tokenizer_class.empty()
                             ? idOf(vocabulary, "<mask>").has_value()
                             : settings.tokenizer_class.starts_with("Roberta") ||
                                   settings.tokenizer_class.starts_with("Luke");
    if (roberta && start && end)
        return {{"type", "RobertaProcessing"},
                {"cls", Json::array({"<s>", *start})},
                {"sep", Json::array({"</s>", *end})},
                {"trim_offsets", true},
                {"add_prefix_space", prefix_space}};
    const auto bos = idOf(vocabulary, settings.bos_token);
    if (settings.add_bos_token.value_or(false) && bos)
        return bosTemplate(settings.bos_token, *bos);
    return nullptr;
}

/// Whether no token has a capital letter, apart from "[MASK]" and its like.
bool isLowerCase(const std::vector<std::string>& tokens) {
    return std::ranges::none_of(tokens, [](const std::string& token) {
        return !token.starts_with('[') &&
               std::ranges::any_of(token, [](char c) { return c >= 'A' && c <= 'Z'; });
    });
}

Result<Json> readWordList(const std::vector<std::string>& lines, std::string_view source) {
    if (lines.empty())
        return malformed(source, "the vocabulary is empty");
    Json vocabulary = Json::object();
    for (std::size_t id = 0; id < lines.size(); ++id) {
        const std::string line = "line " + std::to_string(id + 1);
        if (lines[id].empty())
            return malformed(source, line + " of the vocabulary is empty");
        if (const auto other = idOf(vocabulary, lines[id]))
            return malformed(source, line + " of the vocabulary repeats " + inQuotes(lines[id]) +
                                         " of line " + std::to_string(*other + 1));
        vocabulary[lines[id]] = id;
    }
    for (const std::string_view token : {"[UNK]", "[CLS]", "[SEP]"})
        if (!idOf(vocabulary, token))
            return malformed(source, "the vocabulary has no token " + inQuotes(token) +
                                         ", which every text of a WordPiece model needs");
    return vocabulary;
}

} // namespace

Result<void> TokenizerSettings::readTokenizerConfig(std::string_view json,
                                                    std::string_view source) {
    const auto file = JsonView::parse(json, source);
    if (!file)
        return file.error();
    if (const auto done = readFlags(*file, *this); !done)
        return done;
    const auto name = file->optionalString("tokenizer_class");
    if (!name)
        return name.error();
    tokenizer_class = name->value_or("");
    const auto list = file->member("added_tokens_decoder");
    if (const auto done = readAddedTokensDecoder(*list, added_tokens); !done)
        return done;
    return readSpecialTokens(*file, *this);
}

Result<void> TokenizerSettings::readSpecialTokensMap(std::string_view json,
                                                     std::string_view source) {
    const auto file = JsonView::parse(json, source);
    return file ? readSpecialTokens(*file, *this) : file.error();
}

Result<void> TokenizerSettings::readAddedTokens(std::string_view json, std::string_view source) {
    const auto file = JsonView::parse(json, source);
    if (!file)
        return file.error();
    for (const auto& [content, number] : file->value().members()) {
        const auto id = readTokenId(*file->member(content));
        if (!id)
            return id.error();
        const auto same = [&](const AddedToken& token) { return token.id == *id; };
        if (std::ranges::any_of(added_tokens, same))
            continue;
        AddedToken token;
        token.id = *id;
        token.content = token.form = content;
        added_tokens.push_back(std::move(token));
    }
    return {};
}

Result<RewrittenTokenizer> rewriteMerges(std::string_view vocab_json, std::string_view merges_txt,
                                         const TokenizerSettings& settings,
                                         std::string_view source) {
    const auto vocabulary = readVocabularyFile(vocab_json, source);
    if (!vocabulary)
        return vocabulary.error();
    if (const auto token = tokenAtWordEnd(*vocabulary))
        return Error{
            ErrorCode::Unsupported,
            std::string(source) + ": the tokens mark the ends of words (" + inQuotes(*token) +
                "), so that they are of no byte-level BPE, and nothing here says how texts "
                "become words; put the model's tokenizer.json there."};
    if (const auto good = checkUtf8(merges_txt, "the merges", source); !good)
        return good.error();
    Json file;
    file["added_tokens"] = addedTokens(
        *vocabulary, settings, {"<|endoftext|>", "<s>", "<pad>", "</s>", "<unk>", "<mask>"});
    file["pre_tokenizer"] = {{"type", "ByteLevel"},
                             {"add_prefix_space", settings.add_prefix_space.value_or(false)}};
    file["post_processor"] = mergesPostProcessor(*vocabulary, settings);
    file["decoder"] = {{"type", "ByteLevel"}};
    file["model"] = {{"type", "BPE"}, {"vocab", *vocabulary}, {"merges", linesOf(merges_txt)}};
    return RewrittenTokenizer{file.dump(), {}};
}

Result<RewrittenTokenizer> rewriteWordPieces(std::string_view vocab_txt,
                                             const TokenizerSettings& settings,
                                             std::string_view source) {
    if (const auto good = checkUtf8(vocab_txt, "the vocabulary", source); !good)
        return good.error();
    const auto lines = linesOf(vocab_txt);
    const auto vocabulary = readWordList(lines, source);
    if (!vocabulary)
        return vocabulary.error();
    RewrittenTokenizer result;
    const bool lower_case = settings.do_lower_case.value_or(isLowerCase(lines));
    if (!settings.do_lower_case)
        result.notes.emplace_back(
            lower_case ? "Texts are made lower case, because no token of the vocabulary has a "
                         "capital letter and no tokenizer_config.json says do_lower_case."
                       : "Texts keep their capital letters, because the vocabulary has some and no "
                         "tokenizer_config.json says do_lower_case.");
    Json file;
    file["added_tokens"] =
        addedTokens(*vocabulary, settings, {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"});
    file["normalizer"] = {{"type", "BertNormalizer"},
                          {"clean_text", true},
                          {"handle_chinese_chars", settings.tokenize_chinese_chars.value_or(true)},
                          {"strip_accents", settings.strip_accents.value_or(lower_case)},
                          {"lowercase", lower_case}};
    file["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
    file["post_processor"] = {{"type", "BertProcessing"},
                              {"cls", Json::array({"[CLS]", *idOf(*vocabulary, "[CLS]")})},
                              {"sep", Json::array({"[SEP]", *idOf(*vocabulary, "[SEP]")})}};
    file["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
    file["model"] = {{"type", "WordPiece"}, {"unk_token", "[UNK]"}, {"vocab", *vocabulary}};
    result.json = file.dump();
    return result;
}

} // namespace headscope
