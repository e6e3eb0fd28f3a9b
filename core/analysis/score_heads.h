#pragma once

#include "core/analysis/detectors/detector.h"
#include "core/analysis/head_score.h"
#include "core/analysis/measure.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/engine/run.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

struct ProbeOptions {
    std::size_t sequences = 10;
    std::size_t period = 50; ///< length of the repeated part; shortened to fit the context
    std::uint64_t seed = 0;
    BosMode bos = BosMode::Auto;
};

/// BOS + X + X with X random and without special tokens, `sequences` times. Fails for a context
/// too short for a repeat.
Result<std::vector<ProbeSequence>> repeatedRandomSequences(const Model& model,
                                                           const ProbeOptions& options);

/// Scores all heads on given sequences, in batches whose patterns are watched and not kept.
Result<HeadScores> scoreSequences(const std::shared_ptr<const Model>& model,
                                  std::span<const ProbeSequence> sequences,
                                  const Progress& progress = {}, const std::stop_token& stop = {});

/// Scores all heads on repeated random tokens.
Result<HeadScores> scoreHeads(const std::shared_ptr<const Model>& model,
                              const ProbeOptions& options = {}, const Progress& progress = {},
                              const std::stop_token& stop = {});

/// Scores all heads on the user's own prompt while it runs, or afterwards. The interval is that of
/// one sequence: none (low = high = score).
class PromptScores : public PatternObserver {
public:
    PromptScores(const ModelSpec& spec, const TokenIds& ids, bool has_bos);

    void observe(const PatternBlock& block) override;
    HeadScores scores() const;

private:
    ModelSpec spec_;
    ProbeSequence sequence_;
    TargetAttention attention_;
};

/// The same for a run that exists already; its patterns are computed once more.
HeadScores scoreRun(const Run& run, bool has_bos);

} // namespace headscope
