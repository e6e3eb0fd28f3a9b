#pragma once

#include "core/base/result.h"

namespace headscope {

/// Gives this program, and the threads that it starts from now on, the stack that they need. Must
/// be called first in main(), or when Python loads the module. Fails with a sentence if the session
/// does not allow that much (ulimit -s).
Result<void> reserveStack();

} // namespace headscope
