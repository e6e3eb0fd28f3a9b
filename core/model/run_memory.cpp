#include "core/model/run_memory.h"

#include "core/base/checked.h"
#include "core/base/text.h"

#include <limits>
#include <string>

namespace headscope {

namespace {

/// Half the largest number, so that two of them can be added.
constexpr std::size_t kTooMany = std::numeric_limits<std::size_t>::max() / 2;

std::size_t bytesOf(std::size_t floats_per_position, std::size_t positions) {
    const auto floats = checkedMultiply(floats_per_position, positions);
    const auto bytes = floats ? checkedMultiply(*floats, sizeof(float)) : std::nullopt;
    return bytes && *bytes < kTooMany ? *bytes : kTooMany;
}

} // namespace

RunMemory runMemory(const ModelSpec& spec, std::size_t positions, bool logits) {
    // Residual, a branch's input and output, and one part of the embedding; q, k, v and z; the MLP.
    const std::size_t workspace =
        4 * spec.d_model + spec.qkvWidth() + spec.queryWidth() + 2 * spec.d_mlp;
    const std::size_t per_layer = spec.queryWidth() + spec.kvWidth() + spec.n_heads;
    const std::size_t kept = spec.n_layers * per_layer + (logits ? spec.d_vocab : 0);
    return {bytesOf(workspace, positions), bytesOf(kept, positions)};
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
