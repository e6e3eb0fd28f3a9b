#pragma once

#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/heads/input_sequence.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace headscope {

/// Prompts that say whether a model does the task: each of eight templates three times.
inline constexpr std::size_t kNamePrompts = 24;

/// A name is copied when its logit is among the five best (Wang et al. 2022).
inline constexpr std::size_t kBestLogits = 5;

/// Where the names of an indirect-object prompt are (Wang et al. 2022): "When Mary and John walked
/// to the store, John handed a book to". IO comes once, S twice.
struct NameTask {
    std::size_t io = 0;
    std::size_t s1 = 0;
    std::size_t s2 = 0;
    std::size_t end = 0; ///< the last token, which predicts IO
    TokenId io_token = 0;
    TokenId s_token = 0;
    PerHead<bool> copies;  ///< its OV circuit puts IO among the five best logits
    PerHead<bool> negates; ///< −OV does
};

/// `count` prompts of the task as the model reads them. Fails for networks that do not predict the
/// next token or prefer IO to S in fewer than three of four prompts, whose heads do not do the
/// task, as indirectObjectPrompts() and copiedRanks() do, and with ErrorCode::Cancelled on a stop
/// request.
Result<std::vector<InputSequence>> nameSequences(const std::shared_ptr<const Model>& model,
                                                 std::size_t count, std::uint64_t seed, BosMode bos,
                                                 const Progress& progress = {},
                                                 const std::stop_token& stop = {});

} // namespace headscope
