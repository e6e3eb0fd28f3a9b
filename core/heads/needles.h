#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/position_range.h"
#include "core/heads/input_sequence.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// A sentence, the needle, that stands in a text and once more at its end, where the model goes on
/// with it after its first tokens.
struct NeedleTask {
    PositionRange needle; ///< where it comes first
    /// The positions at the end, ascending, whose next token is one of the needle and the one that
    /// the model gives.
    std::vector<std::size_t> queries = {};
    /// The sequence with the needle's tokens in random order where it comes first.
    TokenIds shuffled_ids = {};
};

/// Needles that say whether a model goes on with them.
inline constexpr std::size_t kNeedles = 12;

/// `count` bundled sentences of 10 to 20 tokens, each in 96 tokens of the bundled stories or as
/// many as the context holds, at changing depths and more than 32 tokens before it comes again.
/// Four tokens of it are given; those after them are read. Fails without a tokenizer, for networks
/// that do not predict the next token, for a context too short, for those that go on rightly with
/// fewer than half of the tokens, whose heads do not do this, and with ErrorCode::Cancelled on a
/// stop request.
Result<std::vector<InputSequence>> needleSequences(const std::shared_ptr<const Model>& model,
                                                   std::size_t count, std::uint64_t seed,
                                                   BosMode bos, const Progress& progress = {},
                                                   const std::stop_token& stop = {});

/// "12 sentences that come again, seed 0"
std::string needlesText(std::size_t count, std::uint64_t seed);

/// The earlier places of the next token in the needle; empty for other queries.
std::vector<std::size_t> nextInNeedle(const InputSequence& sequence, std::size_t q);

} // namespace headscope
