#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/interventions/sweep.h"
#include "core/model/model.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// A part of a sweep that is measured by itself: one prompt with the sets of heads that begin in
/// one layer, or with all of them.
struct SweepStep {
    std::size_t prompt = 0;
    std::optional<std::size_t> layer; ///< nothing: all of them
    std::vector<std::size_t> units;   ///< places in SweepQuestion::units, as they are run
    std::size_t cost = 0;             ///< layers that are run

    /// "prompt 3, layer 4", both counted from 0
    std::string name() const;
};

/// What a step measured.
struct SweepPart {
    double full = 0.0;          ///< the metric of the whole network
    std::vector<double> values; ///< with each of SweepStep::units ablated
};

/// From this number of prompts on, and for gradients always, a step is a whole prompt: there are
/// enough of them then, and the whole network runs once for all layers of a prompt.
inline constexpr std::size_t kPromptsTakenWhole = 64;

/// A sweep step by step. Which runs make a batch is a matter of the step alone, so that a part has
/// the same bits whatever else was measured before, on machines with the same kernels and threads.
class SweepSteps {
public:
    /// Fails as sweepHeads() does for questions that make no sense.
    static Result<SweepSteps> make(std::shared_ptr<const Model> model,
                                   const SweepQuestion& question);
    ~SweepSteps();
    SweepSteps(SweepSteps&& other) noexcept;
    SweepSteps& operator=(SweepSteps&& other) noexcept;

    /// With the units that are run.
    const SweepQuestion& question() const;
    const std::vector<SweepStep>& steps() const;

    /// Hears how many more units are measured.
    using UnitsFinished = std::function<void(std::size_t)>;
    /// What the whole network makes of a prompt stays until a step of another prompt is run. Fails
    /// as sweepHeads() does.
    Result<SweepPart> run(std::size_t step, const UnitsFinished& finished = {},
                          const std::stop_token& stop = {});

    /// One part for each step, with a value for each of its units.
    SweepResult merge(std::span<const SweepPart> parts) const;

private:
    struct State;
    explicit SweepSteps(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace headscope
