#pragma once

#include "core/base/result.h"

namespace headscope {

/// OpenBLAS asks for its buffers, one per thread, again and again for ever where the system refuses
/// them. This asks for all of them at once, before a model takes the room. On failure a thread is
/// left that still asks: the program can only end, by std::_Exit(), which waits for nobody. A
/// program that calls this is watched while it is loaded, and ends by itself where that takes
/// seconds.
Result<void> reserveBlasMemory();

} // namespace headscope
