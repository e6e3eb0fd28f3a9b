#pragma once

#include "app/cli/work.h"

#include <memory>

namespace headscope::cli {

/// A sweep, in the steps of core/interventions/sweep_steps.h.
std::unique_ptr<Work> makeSweepWork();

} // namespace headscope::cli
