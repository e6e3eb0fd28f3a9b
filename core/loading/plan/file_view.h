#pragma once

#include "core/loading/plan/tensor_plan.h"

#include <cstddef>
#include <vector>

namespace headscope {

/// Where the elements of a role are in a tensor of a file: element [r, c] is at rows[r].offset +
/// cols[c].offset of the stored values. Rows and columns that the file does not have are left out.
/// Of a role of all experts the rows are those of all matrices.
struct FileView {
    struct Line {
        std::size_t index;  ///< in the role
        std::size_t offset; ///< in the file, in elements
    };
    std::vector<Line> rows;
    std::vector<Line> cols;
    float addend = 0.0f; ///< added to every stored value
    float factor = 1.0f; ///< on it before that
};

FileView fileView(const PlannedTensor& planned, const ModelSpec& spec);

} // namespace headscope
