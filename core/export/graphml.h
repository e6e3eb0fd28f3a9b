#pragma once

#include "core/base/result.h"
#include "core/base/table.h"

#include <filesystem>
#include <string>

namespace headscope {

/// A directed graph as GraphML (graphml.graphdrawing.org), which networkx, Gephi, yEd and igraph
/// read: node ids n0, n1 … in their order, values as data with typed keys (missing values and NaN
/// are left out), fields and provenance (model, model_sha256, prompt, ablation, app_version) as
/// data of the graph. Text is escaped as htmlText() does, so that XML can hold it.
std::string graphMl(const Graph& graph);

/// Writes it whole or not at all.
Result<void> writeGraphMl(const std::filesystem::path& path, const Graph& graph);

} // namespace headscope
