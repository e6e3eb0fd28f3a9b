#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/interventions/ablation_effect.h"
#include "core/interventions/sweep.h"
#include "core/model/model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// Whether the network needs all heads of a type: what is lost when they are ablated together,
/// compared with random sets of as many heads of the same layers. Heads that make up for one
/// another show here, and not when they are ablated one by one.
struct SetEffectQuestion {
    HeadSet heads; ///< at least one
    ReplacedBy by = {};
    std::size_t sets = 10; ///< to compare with
    std::uint64_t seed = 0;
    std::optional<double> least_effect = std::nullopt; ///< nats; nothing: leastEffect()
};

struct SetEffect : EffectReading {
    struct Other {
        HeadSet heads;
        double difference = 0.0;
    };

    SetEffectQuestion question;
    std::vector<Other> others; ///< the least loss first; none where too few heads are left

    std::size_t above() const; ///< how many of the others cost less
    EffectVerdict verdict() const;
};

/// For each head of a random set one of its layer is drawn that is in neither set, and where the
/// layer has none left, of the nearest. Fails as sweepHeads() does, without heads or sequences, and
/// with ErrorCode::Cancelled on a stop request.
Result<SetEffect> setEffect(const std::shared_ptr<const Model>& model, const EffectInput& input,
                            const SetEffectQuestion& question, const Progress& progress = {},
                            const std::stop_token& stop = {});

/// The effect of all heads of a type that are still to be found.
struct TypeEffectQuestion {
    HeadTypeId type = HeadTypeId::Induction;
    ReplacedBy by = {};
    std::size_t sets = 10;
    std::vector<InputSequence> sequences = {}; ///< empty: what the type is read from
    RepeatOptions repeats = {};                ///< whose seed also draws the sets
    std::optional<double> least_effect = std::nullopt;
    std::size_t most_sequences = 80;
};

/// Scores all heads and measures those that have the type. Fails where none has, and as
/// scoreHeads(), scoreSequences(), effectSequences() and setEffect() do.
Result<SetEffect> typeEffect(const std::shared_ptr<const Model>& model,
                             const TypeEffectQuestion& question, const Progress& progress = {},
                             const std::stop_token& stop = {});

/// "Needed: ablating the 2 heads 4.1 5.0 by mean raises the loss by …, more than 10 of 10 random
/// sets of as many heads near them."
std::string setEffectText(const SetEffect& result);

} // namespace headscope
