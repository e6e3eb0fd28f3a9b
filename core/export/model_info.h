#pragma once

#include "core/base/table.h"
#include "core/model/model.h"

namespace headscope {

/// {"bos": {"added", "reason"}, "card": {…}, "description", "load_report": {…}, "name", "path",
/// "sha256", "spec": {…}}: what a weight file holds, and what was read from where. Null is what a
/// model that cannot be run does not have.
Record modelInfo(const Model& model);

} // namespace headscope
