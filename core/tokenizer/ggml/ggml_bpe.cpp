#include "core/base/utf8.h"
#include "core/tokenizer/ggml/ggml_parts.h"

#include <algorithm>
#include <array>

namespace headscope {

namespace {

using Json = nlohmann::json;

// Regular expressions as the tokenizer.json of the models has them.
constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kTekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kGpt4o =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";
constexpr std::string_view kBloom = R"( ?[^(\s|.,!?…。，、।۔،)]+)";

Json byteLevel(bool use_regex) {
    return {{"type", "ByteLevel"},
            {"add_prefix_space", false},
            {"trim_offsets", true},
            {"use_regex", use_regex}};
}

Json sequence(Json first, Json second) {
    return {{"type", "Sequence"},
            {"pretokenizers", Json::array({std::move(first), std::move(second)})}};
}

Json isolated(std::string_view regex) {
    return {{"type", "Split"},
            {"pattern", {{"Regex", regex}}},
            {"behavior", "Isolated"},
            {"invert", false}};
}

Json digits(bool individual) {
    return {{"type", "Digits"}, {"individual_digits", individual}};
}

/// The words of GPT-2.
Json plainBytes(std::string_view) {
    return byteLevel(true);
}

Json splitBytes(std::string_view regex) {
    return sequence(isolated(regex), byteLevel(false));
}

/// Every digit alone, then the words of GPT-2.
Json digitBytes(std::string_view) {
    return sequence(digits(true), byteLevel(true));
}

Json falconBytes(std::string_view) {
    return {{"type", "Sequence"},
            {"pretokenizers", Json::array({{{"type", "Punctuation"}, {"behavior", "Contiguous"}},
                                           byteLevel(true),
                                           digits(false),
                                           isolated("[0-9][0-9][0-9]")})}};
}

struct NamedPreTokenizer {
    std::string_view name;
    Json (*make)(std::string_view regex);
    std::string_view regex = {};
    bool composes = false;
    bool ignores_merges = false;
    bool adds_bos = false;
};

constexpr std::array kNamedPreTokenizers{
    NamedPreTokenizer{"gpt-2", plainBytes},
    NamedPreTokenizer{"phi-2", plainBytes},
    NamedPreTokenizer{"roberta-bpe", plainBytes},
    NamedPreTokenizer{"mpt", plainBytes, {}, true},
    NamedPreTokenizer{"olmo", plainBytes, {}, true}, // also of GPT-NeoX and Pythia
    NamedPreTokenizer{"llama3", splitBytes, kLlama3, false, true, true},
    NamedPreTokenizer{"llama-v3", splitBytes, kLlama3, false, true, true},
    NamedPreTokenizer{"llama-bpe", splitBytes, kLlama3, false, true, true},
    NamedPreTokenizer{"dbrx", splitBytes, kLlama3}, // also of Phi-4
    NamedPreTokenizer{"qwen2", splitBytes, kQwen2, true},
    NamedPreTokenizer{"tekken", splitBytes, kTekken, false, true, true},
    NamedPreTokenizer{"gpt-4o", splitBytes, kGpt4o},
    NamedPreTokenizer{"bloom", splitBytes, kBloom},
    NamedPreTokenizer{"starcoder", digitBytes},
    NamedPreTokenizer{"refact", digitBytes},
    NamedPreTokenizer{"smollm", digitBytes},
    NamedPreTokenizer{"command-r", digitBytes, {}, true},
    NamedPreTokenizer{"falcon", falconBytes},
};

} // namespace

std::vector<std::string_view> ggmlPreTokenizerNames() {
    std::vector<std::string_view> names;
    names.reserve(std::size(kNamedPreTokenizers));
    for (const NamedPreTokenizer& named : kNamedPreTokenizers)
        names.push_back(named.name);
    return names;
}

std::optional<GgmlPreTokenizer> ggmlPreTokenizer(std::string_view name) {
    const auto found = std::ranges::find(kNamedPreTokenizers, name, &NamedPreTokenizer::name);
    if (found == kNamedPreTokenizers.end())
        return std::nullopt;
    return GgmlPreTokenizer{found->make(found->regex), found->composes, found->ignores_merges,
                            found->adds_bos};
}

Result<nlohmann::json> ggmlBpe(const GgmlTokenizer& tokenizer) {
    const auto pre = ggmlPreTokenizer(tokenizer.pre_tokenizer);
    if (!pre)
        return Error{ErrorCode::Unsupported,
                     tokenizer.pre_tokenizer.empty()
                         ? "it is a BPE and names no pre-tokenizer, as files of before May 2024; "
                           "convert the model again, or put its tokenizer.json beside the file"
                         : "its pre-tokenizer " + inQuotes(tokenizer.pre_tokenizer) +
                               " is not known; put the model's tokenizer.json beside the file"};
    if (tokenizer.merges.empty())
        return Error{ErrorCode::Malformed, "it is a BPE without merges"};
    auto vocabulary = ggmlVocabulary(tokenizer);
    if (!vocabulary)
        return vocabulary.error();
    const bool adds_bos = tokenizer.add_bos.value_or(pre->adds_bos);
    const bool adds_eos = tokenizer.add_eos.value_or(false);
    const bool adds_separator = tokenizer.add_separator.value_or(false);
    nlohmann::json file;
    file["added_tokens"] = ggmlAddedTokens(tokenizer);
    if (pre->composes)
        file["normalizer"] = {{"type", "NFC"}};
    file["pre_tokenizer"] = pre->pre_tokenizer;
    file["post_processor"] = ggmlAround(tokenizer, adds_bos ? tokenizer.bos : std::nullopt,
                                        adds_eos         ? tokenizer.eos
                                        : adds_separator ? tokenizer.separator
                                                         : std::nullopt);
    file["decoder"] = {{"type", "ByteLevel"},
                       {"add_prefix_space", true},
                       {"trim_offsets", true},
                       {"use_regex", true}};
    file["model"] = {{"type", "BPE"},
                     {"ignore_merges", pre->ignores_merges},
                     {"vocab", *std::move(vocabulary)},
                     {"merges", tokenizer.merges}};
    return file;
}

} // namespace headscope
