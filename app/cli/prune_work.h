#pragma once

#include "app/cli/work.h"

#include <memory>

namespace headscope::cli {

/// Pruning curves, each order with its cuts a unit.
std::unique_ptr<Work> makePruneWork();

} // namespace headscope::cli
