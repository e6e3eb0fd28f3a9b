#pragma once

#include "core/base/provenance.h"
#include "core/base/table.h"

#include <cstddef>
#include <vector>

namespace headscope {

/// The result of an analysis that leads from some things to others. All nodes have the same names
/// for their values, in the same order, and all edges, too.
struct Graph {
    struct Edge {
        std::size_t from = 0; ///< index in nodes
        std::size_t to = 0;
        Record values;
    };
    std::vector<Record> nodes;
    std::vector<Edge> edges;
    std::vector<Field> fields; ///< of the whole
    Provenance provenance;
};

} // namespace headscope
