#include "core/engine/run_memory.h"

#include "core/base/text.h"
#include "core/engine/attention.h"
#include "core/engine/block_plan.h"
#include "core/engine/forward/steps.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

namespace headscope {

namespace {

/// The sizes of a run, in numbers; double, so that absurd lengths do not overflow.
struct Sizes {
    double rows = 0.0;       ///< that are run
    double positions = 0.0;  ///< of the prompts, known ones among them
    double with_known = 0.0; ///< of those prompts alone whose known start is looked at
    std::size_t longest = 0;
    double rotary_rows = 0.0; ///< positions of the different lengths of prompts
    std::size_t prompts = 1;
    bool hooked = false;
    bool reads_logits = false; ///< without keeping them
    double captured = 0.0;
    double materialised = 0.0; ///< scores and patterns that hooks look at
};

double numbers(std::size_t count) {
    return static_cast<double>(count);
}

/// Half the largest number at most, so that two of them can be added.
std::size_t bytesOf(double floats) {
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / 2;
    const double bytes = floats * sizeof(float);
    return bytes < numbers(kMost) ? static_cast<std::size_t>(bytes) : kMost;
}

double logitRows(const Sizes& sizes, const Request& request) {
    if (request.logit_positions.empty())
        return sizes.rows;
    return numbers(request.logit_positions.size() * sizes.prompts);
}

/// Queries, keys, values, their latents and z, a block of scores per thread, and the turns of
/// rotary positions.
double attentionWorkspace(const ModelSpec& spec, const Sizes& sizes) {
    const std::size_t normed = spec.qk_norm != QkNorm::None ? spec.queryWidth() : 0;
    const std::size_t positions = spec.positions == PositionKind::Shortformer ? spec.d_model : 0;
    double workspace =
        sizes.rows *
            numbers(spec.qkvWidth() + spec.zWidth() + spec.widestLatent() + normed + positions) +
        sizes.with_known * numbers(spec.zWidth()) +
        numbers(threads()) * numbers(blockRows(sizes.longest)) * numbers(sizes.longest);
    if (spec.positions == PositionKind::Rotary)
        workspace +=
            sizes.rotary_rows * numbers(spec.rotary.d_rotary) * (spec.window_rotary ? 2.0 : 1.0);
    return workspace;
}

double mlpWorkspace(const ModelSpec& spec, const Sizes& sizes) {
    const std::size_t d_mlp = spec.widestMlp();
    const double step = numbers(rowsPerStep(spec.d_model, d_mlp));
    const double panel = sizes.hooked ? sizes.rows : std::min(sizes.rows, step);
    double workspace = panel * numbers(d_mlp) * (spec.mlp == MlpKind::Gated ? 2.0 : 1.0);
    if (spec.experts) // what goes in and comes out, the router's logits, who uses an expert
        workspace +=
            panel * 2.0 * numbers(spec.d_model) +
            sizes.rows * numbers(spec.experts->n_experts + 2 * spec.experts->n_chosen + 5) +
            numbers(spec.experts->n_experts + spec.experts->n_groups);
    return workspace;
}

/// What the steps of a block work on, which all blocks share: x, what branches read of it and what
/// they add [position, d_model], and what attention and the MLP hold meanwhile.
double blockWorkspace(const ModelSpec& spec, const Sizes& sizes) {
    std::set<BlockValue> values;
    double workspace = 0.0;
    for (const BlockStep& step : blockPlan(spec, 0).steps) {
        values.insert(step.on);
        if (step.kind == BlockStepKind::Attention)
            workspace += attentionWorkspace(spec, sizes);
        if (step.kind == BlockStepKind::Mlp)
            workspace += mlpWorkspace(spec, sizes);
    }
    return workspace + sizes.rows * numbers(values.size() * spec.d_model);
}

/// Logits while they come: all that are kept, twice in a batch that hands each prompt its own, or
/// a few rows at a time.
double logitNumbers(const ModelSpec& spec, const Sizes& sizes, const Request& request) {
    const double all = logitRows(sizes, request) * numbers(spec.outputs());
    if (request.logits)
        return sizes.prompts > 1 ? 2.0 * all : all;
    return sizes.reads_logits ? std::min(logitRows(sizes, request), numbers(kLogitRowsPerStep)) *
                                    numbers(spec.outputs())
                              : 0.0;
}

RunMemory runMemory(const ModelSpec& spec, const Sizes& sizes, const Request& request) {
    const std::size_t end = request.layers.value_or(spec.n_layers);
    const double workspace = blockWorkspace(spec, sizes);
    double kept = sizes.captured;
    if (request.keep_attention)
        for (std::size_t layer = request.first_layer; layer < end; ++layer)
            kept += sizes.positions * numbers(spec.queryWidth(layer) + spec.keyWidth(layer) +
                                              (request.keep_values ? spec.valueWidth(layer) : 0) +
                                              2 * spec.headsIn(layer));
    // One after the other: a part of the embedding, materialised patterns, logits.
    const double embedding = sizes.rows * numbers(spec.d_model);
    const double logits = logitNumbers(spec, sizes, request);
    const double peak = workspace + kept + std::max({embedding, sizes.materialised, logits});
    if (request.logits)
        kept += logitRows(sizes, request) * numbers(spec.outputs());
    return {bytesOf(peak - kept), bytesOf(kept)};
}

} // namespace

RunMemory runMemory(const ModelSpec& spec, std::span<const PackedPrompt> prompts,
                    const Request& request) {
    Sizes sizes;
    sizes.prompts = prompts.size();
    std::set<std::size_t> lengths;
    for (const PackedPrompt& prompt : prompts) {
        const std::size_t positions = prompt.positions();
        sizes.rows += numbers(prompt.rows.size());
        sizes.positions += numbers(positions);
        sizes.with_known += prompt.showsKnown() ? numbers(positions) : 0.0;
        sizes.longest = std::max(sizes.longest, prompt.textLength());
        lengths.insert(prompt.rows.size());
        sizes.hooked |= !prompt.item->hooks.empty();
        sizes.reads_logits |= static_cast<bool>(prompt.item->read_logits);
        sizes.captured += prompt.hooks.capturedNumbers(positions);
        for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
            sizes.materialised =
                std::max(sizes.materialised, numbers(prompt.hooks.patternHeads(layer).size()) *
                                                 numbers(positions) * numbers(positions));
    }
    for (const std::size_t length : lengths)
        sizes.rotary_rows += numbers(length);
    return runMemory(spec, sizes, request);
}

RunMemory runMemory(const ModelSpec& spec, std::size_t positions, const Request& request) {
    Sizes sizes;
    sizes.rows = sizes.positions = sizes.rotary_rows = numbers(positions);
    sizes.longest = positions;
    return runMemory(spec, sizes, request);
}

Result<void> checkRunMemory(const RunMemory& memory, std::size_t positions, std::size_t available,
                            std::string_view model) {
    if (memory.total() <= available)
        return {};
    return Error{ErrorCode::TooLarge,
                 "A run of " + std::string(model) + " over " + std::to_string(positions) +
                     " tokens needs " + byteText(memory.total()) + " of memory, but " +
                     byteText(available) +
                     " are available; close other programs or shorten the prompt."};
}

} // namespace headscope
