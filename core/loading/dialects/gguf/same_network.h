#pragma once

#include "core/loading/architectures/architecture.h"

#include <string>

namespace headscope {

/// What tells two descriptions apart ("its windows"); empty when the networks compute the same.
/// Numbers may differ as much as float32 rounds them.
std::string networkDifference(const Architecture& a, const Architecture& b);

} // namespace headscope
