#pragma once

#include "core/tensor/tensor.h"

namespace headscope {

/// Whether no number is NaN or infinite.
bool allFinite(MatrixView x);

} // namespace headscope
