#include "core/base/utf8.h"
#include "core/io/sealed_reading.h"
#include "core/tokenizer/from_ggml.h"
#include "core/tokenizer/ggml/ggml_parts.h"
#include "core/tokenizer/json/json_view.h"
#include "core/tokenizer/tokenizer.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope {

namespace {

using Json = nlohmann::json;

/// Without what has no say in the ids.
Json withoutOffsets(Json part) {
    if (part.is_object()) {
        part.erase("trim_offsets");
        if (part.value("type", "") == "ByteLevel" && !part.contains("use_regex"))
            part["use_regex"] = true;
    }
    if (part.is_structured())
        for (Json& inner : part)
            inner = withoutOffsets(inner);
    return part;
}

/// The name of the pre-tokenizer that a byte-level BPE has; empty for any other.
std::string preTokenizerName(const Json& file) {
    const Json& model = file["model"];
    const Json normalizer = file.value("normalizer", Json());
    const bool composes = normalizer.is_object() && normalizer.value("type", "") == "NFC";
    if (!composes && !normalizer.is_null())
        return {};
    for (const std::string_view name : ggmlPreTokenizerNames()) {
        const GgmlPreTokenizer pre = *ggmlPreTokenizer(name);
        if (pre.composes == composes && pre.ignores_merges == model.value("ignore_merges", false) &&
            withoutOffsets(pre.pre_tokenizer) ==
                withoutOffsets(file.value("pre_tokenizer", Json())))
            return std::string(name);
    }
    return {};
}

/// Merges as "a b", whose tokens hold no spaces.
std::vector<std::string> mergesIn(const Json& list) {
    std::vector<std::string> merges;
    for (const Json& merge : list)
        if (merge.is_string())
            merges.push_back(merge.get<std::string>());
        else
            merges.push_back(merge[0].get<std::string>() + " " + merge[1].get<std::string>());
    return merges;
}

void fillTokens(const Json& file, const Tokenizer& tokenizer, GgmlTokenizer& lists) {
    for (std::size_t id = 0; id < tokenizer.vocabularySize(); ++id) {
        const auto token = tokenizer.token(static_cast<TokenId>(id));
        lists.tokens.push_back(token.value_or("[PAD" + std::to_string(id) + "]"));
        lists.types.push_back(token ? GgmlTokenType::Normal : GgmlTokenType::Unused);
    }
    for (const Json& added : file.value("added_tokens", Json::array()))
        lists.types[added["id"].get<std::size_t>()] =
            added.value("special", false) ? GgmlTokenType::Control : GgmlTokenType::UserDefined;
}

/// What comes around an empty text: at most one token before it and one after.
bool fillAround(const Tokenizer& tokenizer, GgmlTokenizer& lists) {
    const auto around = tokenizer.encode("", true);
    lists.bos = tokenizer.prefixToken();
    lists.add_bos = lists.bos.has_value();
    const std::size_t before = lists.bos ? 1 : 0;
    lists.add_eos = around && around->ids.size() > before;
    if (*lists.add_eos)
        lists.eos = around->ids.back();
    return around && around->ids.size() <= before + 1;
}

/// Options of a BPE that GGUF has no word for.
bool isPlainBpe(const Json& file) {
    const Json& model = file["model"];
    const auto isSet = [&](const char* key) {
        const Json value = model.value(key, Json());
        if (value.is_string())
            return !value.get_ref<const std::string&>().empty();
        return !value.is_null() && value != false && value != 0.0;
    };
    return model.value("type", "BPE") == "BPE" && model.contains("merges") && !isSet("unk_token") &&
           !isSet("continuing_subword_prefix") && !isSet("end_of_word_suffix") &&
           !isSet("byte_fallback") && !isSet("dropout");
}

bool takesSpaces(const Json& added) {
    return added.value("lstrip", false) || added.value("rstrip", false) ||
           added.value("single_word", false) || added.value("normalized", false);
}

} // namespace

std::optional<GgmlTokenizer> ggmlOf(std::string_view tokenizer_json) {
    const SealedReading one_reader({});
    const auto tokenizer = readTokenizerJson(tokenizer_json, "");
    const auto parsed = JsonView::parse(tokenizer_json, "");
    if (!tokenizer || !parsed)
        return std::nullopt;
    const Json& file = parsed->value().json();
    if (!isPlainBpe(file) ||
        std::ranges::any_of(file.value("added_tokens", Json::array()), takesSpaces))
        return std::nullopt;
    GgmlTokenizer lists;
    lists.model = "gpt2";
    lists.pre_tokenizer = preTokenizerName(file);
    lists.merges = mergesIn(file["model"]["merges"]);
    if (lists.pre_tokenizer.empty() || lists.merges.empty() || !fillAround(**tokenizer, lists))
        return std::nullopt;
    fillTokens(file, **tokenizer, lists);
    return lists;
}

} // namespace headscope
