#pragma once

#include "core/base/progress.h"
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/heads/head_score.h"
#include "core/heads/head_type.h"
#include "core/heads/input_sequence.h"
#include "core/model/model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace headscope {

/// The ids of a control of this sequence, as many as it has; nothing where it has none of this
/// kind. Special tokens keep their places.
std::optional<TokenIds> controlIds(const Model& model, const InputSequence& sequence,
                                   ControlInput input, Random& random);

/// scoreSequences() with the controls of the types, each on the sequences that it is compared with.
/// Controls on changed ids take a run of their own, and so only every `every`-th sequence has them.
/// Fails as scoreSequences() does.
Result<HeadScores> scoreWithControls(const std::shared_ptr<const Model>& model,
                                     std::span<const InputSequence> sequences,
                                     const std::string& input, std::size_t every,
                                     std::uint64_t seed, const Progress& progress = {},
                                     const std::stop_token& stop = {},
                                     std::span<const HeadTypeId> types = {});

} // namespace headscope
