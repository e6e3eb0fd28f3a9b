#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/interventions/ablation_effect.h"
#include "core/interventions/sweep.h"
#include "core/model/model.h"

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

/// What tells an effect on this sequence.
EffectMeasure effectMeasureOf(const ModelSpec& spec, const InputSequence& sequence);

/// What ablating sets of heads changes, sequence by sequence.
class EffectRuns {
public:
    /// For Resample it leaves out sequences that have no other of the same length. `sequences` must
    /// outlive this.
    EffectRuns(std::shared_ptr<const Model> model, std::span<const InputSequence> sequences,
               ReplacedBy by, std::vector<HeadSet> units);

    /// How many sequences can be measured.
    std::size_t size() const { return usable_.size(); }
    /// Goes on until `count` of them are measured. Fails as sweepHeads() does.
    Result<void> measureUpTo(std::size_t count, const Progress& progress,
                             const std::stop_token& stop);

    /// The sequences that were measured so far.
    std::vector<InputSequence> used() const;

    const std::vector<double>& full() const { return full_; } ///< one for each sequence
    const std::vector<double>& differences(std::size_t unit) const { return differences_[unit]; }

private:
    struct Usable {
        std::size_t sequence = 0;
        std::size_t other = 0; ///< of Resample: whose z replaces that of the head
    };

    std::shared_ptr<const Model> model_;
    std::span<const InputSequence> sequences_;
    ReplacedBy by_;
    std::vector<HeadSet> units_;
    std::vector<Usable> usable_;
    std::vector<double> full_;
    std::vector<std::vector<double>> differences_; ///< [unit, sequence]
};

} // namespace headscope
