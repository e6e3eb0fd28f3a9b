#pragma once

#include "core/base/result.h"
#include "core/base/table.h"

#include <filesystem>

namespace headscope {

/// A group named like Table::key, or "table", with a dataset [row] for each column that CSV has:
/// int64, float64 with NaN for what is nothing, or UTF-8 text of equal length. Fields and
/// provenance are text attributes of the root. Whole or not at all.
Result<void> writeTableHdf5(const std::filesystem::path& path, const Table& table);

} // namespace headscope
