#pragma once

#include "core/attribution/head_steps.h"
#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "ui/document/prompt_run.h"

#include <QString>

#include <cstddef>
#include <memory>
#include <stop_token>
#include <vector>

namespace headscope::ui {

/// Which query of which head of which run is followed.
struct InsideQuestion {
    std::shared_ptr<const RunResult> result; ///< prompt and mask
    LayerHead head;
    std::size_t query = 0;
    double temperature = 1.0; ///< StepsQuestion::temperature
};

/// What a head computes, with the run that it is of.
struct InsideReading {
    std::shared_ptr<const RunResult> result;
    std::shared_ptr<const StepsRun> run;
    HeadSteps steps;

    /// The position of a row of HeadSteps::keys.
    std::size_t positionOf(std::size_t row) const { return steps.dimensions.positions.begin + row; }
    /// How many positions the prompt has; those that the query does not see are hidden from it.
    std::size_t positions() const { return result->prompt.ids.size(); }
};

/// Computes the steps. The run of `known`, which may be null, is taken over where it is of the same
/// result and layer. Called from worker threads; fails as StepsRun does.
Result<std::shared_ptr<const InsideReading>>
readInside(const InsideQuestion& question, const std::shared_ptr<const InsideReading>& known,
           const std::stop_token& stop);

/// The key with the largest weight, as a row of HeadSteps::keys; there is at least one key.
std::size_t strongestRow(const HeadSteps& steps);

/// The rows with the largest weights, at most `count`, in the order of the prompt.
std::vector<std::size_t> strongestRows(const HeadSteps& steps, std::size_t count);

/// "L4 H1 gives 80 % of its attention at 14 ·to to 2 ·Mary."
QString insideSentence(const InsideReading& reading);

} // namespace headscope::ui
