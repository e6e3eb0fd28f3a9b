#include "core/loading/dialects/gguf/gguf_metadata.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace headscope {

namespace {

constexpr std::size_t kMostRotaryFactors = 65'536;

/// Keys that change what a network computes; a family that has the feature reads its key.
constexpr std::array<std::string_view, 30> kMeaningfulKeys{
    "attention.clamp_kqv",
    "attention.max_alibi_bias",
    "attention.output_scale",
    "attention.q_lora_rank",
    "attention.kv_lora_rank",
    "attention.scale",
    "attention.shared_kv_layers",
    "attention.sliding_window",
    "attention.sliding_window_pattern",
    "attention.temperature_length",
    "attention.temperature_scale",
    "attn_logit_softcapping",
    "embedding_scale",
    "expert_count",
    "expert_group_count",
    "expert_shared_count",
    "expert_shared_feed_forward_length",
    "final_logit_softcapping",
    "hidden_activation",
    "interleave_moe_layer_step",
    "leading_dense_block_count",
    "logit_scale",
    "moe_every_n_layers",
    "nextn_predict_layers",
    "residual_scale",
    "rope.freq_base_swa",
    "rope.scaling.alpha",
    "rope.scaling.yarn_log_multiplier",
    "swin_norm",
    "use_parallel_residual",
};

} // namespace

std::size_t GgufKeys::rows(std::string_view name) const {
    const TensorInfo* const tensor = tensors_.find(name);
    return tensor == nullptr || tensor->shape.empty() ? 0 : tensor->shape.front();
}

std::vector<double> GgufKeys::numbers(std::string_view name) {
    const TensorInfo* const tensor = tensors_.find(name);
    if (tensor == nullptr)
        return {};
    if (tensor->shape.size() != 1 || tensor->shape.front() > kMostRotaryFactors) {
        reader.fail(ErrorCode::Malformed, "comes with the tensor '" + std::string(name) +
                                              "' of shape " + shapeText(tensor->shape) +
                                              ", expected a few numbers in a row; convert the "
                                              "model again.");
        return {};
    }
    std::vector<float> values(tensor->shape.front());
    if (const auto read = tensors_.read(*tensor, values); !read)
        reader.fail(read.error().code, "needs a tensor: " + read.error().message);
    return {values.begin(), values.end()};
}

std::vector<std::string> GgufKeys::layerTypes(std::string_view key) {
    std::vector<std::string> types;
    for (const bool is_sliding : flags(key))
        types.emplace_back(is_sliding ? "sliding_attention" : "full_attention");
    return types;
}

std::size_t GgufKeys::size(std::string_view key) {
    if (!isList(key))
        return reader.size({full(key)});
    const std::vector<std::size_t> sizes = sizesByLayer(key);
    if (sizes.empty() ||
        std::ranges::count(sizes, sizes.front()) != static_cast<std::ptrdiff_t>(sizes.size())) {
        reader.fail(ErrorCode::Unsupported, "has a '" + full(key) +
                                                "' that differs from layer to layer, which is not "
                                                "supported; open another model.");
        return 1;
    }
    return std::max<std::size_t>(1, sizes.front());
}

std::vector<std::size_t> GgufKeys::sizesByLayer(std::string_view key) {
    std::vector<std::size_t> sizes;
    if (isList(key))
        for (const double number : reader.numbers(full(key)))
            sizes.push_back(static_cast<std::size_t>(
                std::clamp(number, 0.0, static_cast<double>(ConfigReader::kLargestSize))));
    return sizes;
}

std::size_t GgufKeys::headsUnder(std::string_view key, std::string_view whole_key) {
    if (has(whole_key))
        return size(whole_key);
    if (!isList(key))
        return size(key);
    const std::vector<std::size_t> counts = sizesByLayer(key);
    if (architecture_ == "deci" && !counts.empty())
        return std::max<std::size_t>(1, std::ranges::max(counts));
    if (std::ranges::count(counts, std::size_t{0}) > 0)
        reader.fail(ErrorCode::Unsupported, "has layers without attention, expected key-value "
                                            "heads in all layers; open another model.");
    return size(key);
}

std::size_t GgufKeys::nHeads() {
    return headsUnder("attention.head_count", kGgufWholeHeads);
}

std::size_t GgufKeys::nKvHeads() {
    constexpr std::string_view key = "attention.head_count_kv";
    return has(key) ? headsUnder(key, kGgufWholeKvHeads) : nHeads();
}

std::size_t GgufKeys::headSize() {
    const std::size_t usual = std::max<std::size_t>(1, size("embedding_length") / nHeads());
    const std::size_t keys = sizeOr("attention.key_length", usual);
    const std::size_t values = sizeOr("attention.value_length", keys);
    if (keys != values)
        reader.fail(ErrorCode::Unsupported, "has keys of " + std::to_string(keys) +
                                                " and values of " + std::to_string(values) +
                                                " numbers, which is not supported; open a model "
                                                "whose heads have one width.");
    return keys;
}

void GgufKeys::refuseUnread() {
    const std::vector<std::string> unread = reader.unusedKeys();
    for (const std::string_view key : kMeaningfulKeys) {
        const std::string name = full(key);
        const JsonValue value = metadata_.member(name);
        const bool is_off = value.number() == 0.0 || value.boolean() == false;
        if (is_off || std::ranges::find(unread, name) == unread.end())
            continue;
        reader.fail(ErrorCode::Unsupported,
                    "has '" + name + "', which the family '" + architecture_ +
                        "' has not as far as Headscope describes it; open another model.");
    }
    if (!flagOr("attention.causal", true) && std::ranges::count(unread, full("attention.causal")))
        reader.fail(ErrorCode::Unsupported,
                    "is not causal, which the family '" + architecture_ +
                        "' is as far as Headscope describes it; open another model.");
    std::vector<std::string> rest;
    for (const std::string& name : reader.unusedKeys())
        if (name.starts_with(architecture_ + "."))
            rest.push_back(name);
    if (!rest.empty())
        reader.note("Metadata without effect: " + join(rest, ", ") + ".");
}

namespace {

JsonValue tokenizerMember(JsonValue metadata, std::string_view key) {
    return metadata.member("tokenizer.ggml." + std::string(key));
}

/// Empty when it is missing or no text.
std::string textOf(JsonValue metadata, std::string_view key) {
    const std::string* const text = tokenizerMember(metadata, key).text();
    return text != nullptr ? *text : std::string();
}

/// Values that are no texts become empty texts, which no token is.
std::vector<std::string> textsOf(JsonValue metadata, std::string_view key) {
    const JsonValue list = tokenizerMember(metadata, key);
    std::vector<std::string> texts;
    texts.reserve(list.size());
    for (std::size_t i = 0; list.isArray() && i < list.size(); ++i) {
        const std::string* const text = list.element(i).text();
        texts.push_back(text != nullptr ? *text : std::string());
    }
    return texts;
}

template <class Number>
std::vector<Number> numbersOf(JsonValue metadata, std::string_view key) {
    const JsonValue list = tokenizerMember(metadata, key);
    std::vector<Number> numbers;
    numbers.reserve(list.size());
    for (std::size_t i = 0; list.isArray() && i < list.size(); ++i)
        numbers.push_back(static_cast<Number>(list.element(i).number().value_or(0.0)));
    return numbers;
}

std::optional<TokenId> idOf(JsonValue metadata, std::string_view key, std::size_t n_tokens) {
    const auto id = tokenizerMember(metadata, key).whole();
    return id && *id < n_tokens ? std::optional(static_cast<TokenId>(*id)) : std::nullopt;
}

} // namespace

Result<RewrittenTokenizer> ggufTokenizer(JsonValue metadata, std::string_view source) {
    if (const std::string* const json = metadata.member("tokenizer.huggingface.json").text())
        return RewrittenTokenizer{*json, {}};
    GgmlTokenizer tokenizer;
    tokenizer.model = textOf(metadata, "model");
    tokenizer.pre_tokenizer = textOf(metadata, "pre");
    tokenizer.tokens = textsOf(metadata, "tokens");
    tokenizer.merges = textsOf(metadata, "merges");
    tokenizer.scores = numbersOf<double>(metadata, "scores");
    for (const int type : numbersOf<int>(metadata, "token_type"))
        tokenizer.types.push_back(static_cast<GgmlTokenType>(type));
    for (const int byte : numbersOf<int>(metadata, "precompiled_charsmap"))
        tokenizer.chars_map.push_back(static_cast<char>(byte));
    const std::size_t n_tokens = tokenizer.tokens.size();
    tokenizer.bos = idOf(metadata, "bos_token_id", n_tokens);
    tokenizer.eos = idOf(metadata, "eos_token_id", n_tokens);
    tokenizer.unknown = idOf(metadata, "unknown_token_id", n_tokens);
    tokenizer.separator = idOf(metadata, "seperator_token_id", n_tokens); // as it is spelled there
    tokenizer.add_bos = tokenizerMember(metadata, "add_bos_token").boolean();
    tokenizer.add_eos = tokenizerMember(metadata, "add_eos_token").boolean();
    tokenizer.add_separator = tokenizerMember(metadata, "add_sep_token").boolean();
    tokenizer.add_space_prefix = tokenizerMember(metadata, "add_space_prefix").boolean();
    return rewriteGgml(tokenizer, source);
}

} // namespace headscope
