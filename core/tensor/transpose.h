#pragma once

#include "core/tensor/tensor.h"

namespace headscope {

/// from [rows, cols] to `to` [cols, rows], in square tiles, which suit both orders.
void transposeInto(MatrixView from, MutableMatrixView to);

} // namespace headscope
