#pragma once

#include "core/base/progress.h"

namespace headscope {

/// The same progress with the time that is left in its stages, as far as the time so far tells:
/// "weight: 3 of 48 removed, about 12 s left". An empty one stays empty.
Progress withTimeLeft(Progress progress);

} // namespace headscope
