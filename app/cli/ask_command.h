#pragma once

#include "app/cli/command.h"
#include "core/ask/analysis.h"

namespace headscope::cli {

/// The command of an analysis: its options, their help and the errors are made of its parameters
/// and rules. `analysis` must outlive it.
Command askCommand(CLI::App& parent, const Analysis& analysis);

} // namespace headscope::cli
