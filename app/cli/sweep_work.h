#pragma once

#include "app/cli/work.h"

#include <memory>

namespace headscope::cli {

/// A sweep, in the steps of core/interventions/sweep.h.
std::unique_ptr<Work> makeSweepWork();

} // namespace headscope::cli
