#pragma once

#include "core/base/result.h"

namespace headscope {

/// Gives this program, and the threads that it starts from now on, the stack that they need, where
/// the session allows that. First of all in main(), or when Python loads the module. Fails with a
/// sentence where it does not (ulimit -s).
Result<void> reserveStack();

} // namespace headscope
