#include "core/tokenizer/ggml/ggml_parts.h"

#include <algorithm>
#include <array>
#include <span>

namespace headscope {

namespace {

using Json = nlohmann::json;
using Regexes = std::span<const std::string_view>;

// Regular expressions of src/llama-vocab.cpp in llama.cpp, one after the other. Some are there in
// two forms, as the tokenizer.json of the model has them and as std::regex can run them, which
// knows no cases beyond ASCII: here they are as the model has them.

constexpr std::array<std::string_view, 1> kLlama3{
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<std::string_view, 2> kMiniCpm5{
    R"(\p{N}{1,3})",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<std::string_view, 1> kQwen2{
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<std::string_view, 1> kQwen35{
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|)"
    R"( ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<std::string_view, 1> kBailing{
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|)"
    R"(\s*[\r\n]|\s+(?!\S)|\s+)"};
constexpr std::array<std::string_view, 1> kSeedCoder{
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<std::string_view, 1> kExaoneMoe{
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)"};
constexpr std::array<std::string_view, 1> kTekken{
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<std::string_view, 1> kGpt4o{
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)"};
constexpr std::array<std::string_view, 2> kTinyAya{
    R"(\d{1,3}(?=(?:\d{3})*(?!\w)))", // its \b is (?!\w) after a digit
    kGpt4o[0]};
constexpr std::array<std::string_view, 1> kBloom{R"( ?[^(\s|.,!?…。，、।۔،)]+)"};
constexpr std::array<std::string_view, 2> kViking{kBloom[0], R"(\p{N})"};
constexpr std::array<std::string_view, 2> kSuperBpe{R"(\p{N}+)", R"((?=(\d{3})+(?!\d)))"};
constexpr std::array<std::string_view, 6> kDeepSeekLlm{
    "[\r\n]",
    R"(\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷ)"
    R"(ᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-\x{1F7D}ᾀ-ᾴᾶ-ᾼ\x{1FBE}ῂ-ῄῆ-ῌῐ-\x{1FD3}ῖ-\x{1FDB}ῠ-Ῥῲ-ῴῶ-)"
    R"(ῼℂℇℊ-ℓℕℙ-ℝℤ\x{2126}ℨ\x{212A}-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ)"
    R"(-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+)",
    R"(\s?[!-/:-~！-／：-～‘-‟　-。]+)",
    R"(\s+$)",
    R"([一-龥ࠀ-一가-퟿]+)",
    R"(\p{N}+)"};
constexpr std::array<std::string_view, 5> kDeepSeekCoder{"[\r\n]", R"(\s?\p{L}+)", R"(\s?\p{P}+)",
                                                         R"([一-龥ࠀ-一가-퟿]+)", R"(\p{N})"};
constexpr std::array<std::string_view, 3> kDeepSeek3{
    R"(\p{N}{1,3})", R"([一-龥぀-ゟ゠-ヿ]+)",
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^)"
    "\r\n"
    R"(\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[)"
    "\r\n"
    R"(]*|\s*[)"
    "\r\n"
    R"(]+|\s+(?!\S)|\s+)"};
/// What llama.cpp does where a file does not say how the model splits texts.
constexpr std::string_view kDefaultName = "default";
constexpr std::array<std::string_view, 4> kDefault{
    R"([\p{P}\$\+<=>\^~\|]+)",
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", R"(\p{N}+)",
    R"([0-9][0-9][0-9])"};

Json byteLevel(bool use_regex) {
    return {{"type", "ByteLevel"},
            {"add_prefix_space", false},
            {"trim_offsets", true},
            {"use_regex", use_regex}};
}

Json sequence(Json::array_t steps) {
    return {{"type", "Sequence"}, {"pretokenizers", std::move(steps)}};
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
Json plainBytes(Regexes) {
    return byteLevel(true);
}

Json splitBytes(Regexes regexes) {
    Json::array_t steps;
    for (const std::string_view regex : regexes)
        steps.push_back(isolated(regex));
    steps.push_back(byteLevel(false));
    return sequence(std::move(steps));
}

/// Every digit alone, then the words of GPT-2.
Json digitBytes(Regexes) {
    return sequence({digits(true), byteLevel(true)});
}

Json falconBytes(Regexes) {
    return sequence({{{"type", "Punctuation"}, {"behavior", "Contiguous"}},
                     byteLevel(true),
                     digits(false),
                     isolated("[0-9][0-9][0-9]")});
}

struct NamedPreTokenizer {
    std::string_view name;
    Json (*make)(Regexes regexes);
    Regexes regexes = {};
    bool composes = false; ///< llama.cpp never does; the originals that are known to
    bool ignores_merges = false;
    bool adds_bos = false;
};

// Where several fit a tokenizer that is written, the first is taken.
constexpr auto kNamedPreTokenizers = std::to_array<NamedPreTokenizer>({
    {"gpt-2", plainBytes},
    {"phi-2", plainBytes},
    {"roberta-bpe", plainBytes},
    {"jina-v1-en", plainBytes},
    {"gigachat", plainBytes},
    {"a.x-4.0", plainBytes},
    {"mellum", plainBytes},
    {"modern-bert", plainBytes},
    {"exaone4", plainBytes},
    {"jais", plainBytes},
    {"trillion", plainBytes},
    {"granite-docling", plainBytes},
    {"mpt", plainBytes, {}, true},
    {"olmo", plainBytes, {}, true}, // also of GPT-NeoX and Pythia
    {"llama3", splitBytes, kLlama3, false, true, true},
    {"llama-v3", splitBytes, kLlama3, false, true, true},
    {"llama-bpe", splitBytes, kLlama3, false, true, true},
    {"falcon3", splitBytes, kLlama3, false, true, true},
    {"falcon-h1", splitBytes, kLlama3, false, true, true},
    {"pixtral", splitBytes, kLlama3, false, true, true},
    {"midm-2.0", splitBytes, kLlama3, false, true, true},
    {"lfm2", splitBytes, kLlama3, false, true, true},
    {"jina-v5-nano", splitBytes, kLlama3, false, true, true},
    {"glm4", splitBytes, kLlama3, false, true},
    {"glm5", splitBytes, kLlama3, false, true},
    {"dbrx", splitBytes, kLlama3}, // also of Phi-4
    {"smaug-bpe", splitBytes, kLlama3},
    {"chatglm-bpe", splitBytes, kLlama3},
    {"minicpm5", splitBytes, kMiniCpm5, false, true},
    {"qwen2", splitBytes, kQwen2, true},
    {"deepseek-r1-qwen", splitBytes, kQwen2},
    {"hunyuan", splitBytes, kQwen2},
    {"kormo", splitBytes, kQwen2},
    {"f2llmv2", splitBytes, kQwen2},
    {"solar-open", splitBytes, kQwen2},
    {"grok-2", splitBytes, kQwen2},
    {"megrez", splitBytes, kQwen2},
    {"stablelm2", splitBytes, kQwen2},
    {"qwen35", splitBytes, kQwen35},
    {"bailingmoe", splitBytes, kBailing},
    {"bailingmoe2", splitBytes, kBailing},
    {"llada-moe", splitBytes, kBailing},
    {"seed-coder", splitBytes, kSeedCoder},
    {"exaone-moe", splitBytes, kExaoneMoe},
    {"tekken", splitBytes, kTekken, false, true, true},
    {"gpt-4o", splitBytes, kGpt4o},
    {"llama4", splitBytes, kGpt4o},
    {"kanana2", splitBytes, kGpt4o},
    {"minimax-m2", splitBytes, kGpt4o},
    {"talkie", splitBytes, kGpt4o},
    {"tiny_aya", splitBytes, kTinyAya},
    {"cohere2moe", splitBytes, kTinyAya},
    {"bloom", splitBytes, kBloom},
    {"poro-chat", splitBytes, kBloom},
    {"gpt3-finnish", splitBytes, kBloom},
    {"viking", splitBytes, kViking},
    {"superbpe", splitBytes, kSuperBpe},
    {"deepseek-llm", splitBytes, kDeepSeekLlm},
    {"deepseek-coder", splitBytes, kDeepSeekCoder},
    {"deepseek-v3", splitBytes, kDeepSeek3},
    {"hunyuan-dense", splitBytes, kDeepSeek3},
    {"joyai-llm", splitBytes, kDeepSeek3},
    {"hy_v4", splitBytes, kDeepSeek3},
    {"starcoder", digitBytes},
    {"refact", digitBytes},
    {"smollm", digitBytes},
    {"codeshell", digitBytes},
    {"exaone", digitBytes},
    {"minerva-7b", digitBytes},
    {"mellum2", digitBytes},
    {"command-r", digitBytes, {}, true},
    {"falcon", falconBytes},
    {kDefaultName, splitBytes, kDefault},
});

} // namespace

bool isDefaultPreTokenizer(std::string_view name) {
    return name.empty() || name == kDefaultName;
}

std::vector<std::string_view> ggmlPreTokenizerNames() {
    std::vector<std::string_view> names;
    names.reserve(std::size(kNamedPreTokenizers));
    for (const NamedPreTokenizer& named : kNamedPreTokenizers)
        names.push_back(named.name);
    return names;
}

std::optional<GgmlPreTokenizer> ggmlPreTokenizer(std::string_view name) {
    const auto found =
        std::ranges::find(kNamedPreTokenizers, isDefaultPreTokenizer(name) ? kDefaultName : name,
                          &NamedPreTokenizer::name);
    if (found == kNamedPreTokenizers.end())
        return std::nullopt;
    return GgmlPreTokenizer{found->make(found->regexes), found->composes, found->ignores_merges,
                            found->adds_bos};
}

} // namespace headscope
