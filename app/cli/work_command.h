#pragma once

#include "app/cli/command.h"
#include "app/cli/work.h"

namespace headscope::cli {

/// The command with plan, run, merge and status below it, by which its question is spread over any
/// number of tasks. No positional option of the command itself may be required (requireModel()).
Command withWork(Command command, MakeWork make);

} // namespace headscope::cli
