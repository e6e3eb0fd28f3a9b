#include "core/loading/dialects/gguf/gguf_keys.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace headscope {

namespace {

constexpr std::size_t kMostRotaryFactors = 65'536;

/// Keys that change what a network computes; a family that has the feature reads its key.
constexpr std::array<std::string_view, 27> kMeaningfulKeys{
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
    "interleave_moe_layer_step",
    "leading_dense_block_count",
    "logit_scale",
    "nextn_predict_layers",
    "residual_scale",
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

std::size_t GgufKeys::nHeads() {
    return size(has(kGgufWholeHeads) ? kGgufWholeHeads : "attention.head_count");
}

std::size_t GgufKeys::nKvHeads() {
    return has(kGgufWholeHeads) ? size(kGgufWholeKvHeads)
                                : sizeOr("attention.head_count_kv", nHeads());
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

} // namespace headscope
