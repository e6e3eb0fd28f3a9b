#pragma once

#include "core/base/table.h"
#include "core/model/model.h"

namespace headscope {

/// What a weight file holds, and what was read from where: one row per tensor and what it was read
/// as, with role, tensor, shape, type, transform and, of one that was not read, the reason. JSON
/// has no rows, but bos {"added", "reason"}, card {…}, description, load_report {…}, name, path,
/// sha256 and spec {…}, in which null is what a model that cannot be run does not have.
Table modelTable(const Model& model);

} // namespace headscope
