#pragma once

#include "core/base/table.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

namespace headscope {

/// One row per token: position, id, piece, begin and end of the code points that it spells (equal
/// for an added token), in JSON both as offsets. Fields: has_bos, bos_reason, in CSV prompt. The
/// rows are "tokens".
Table promptTable(const Prompt& prompt, const Provenance& provenance);

/// For the screen: a row for each kind of matrix that the network has.
Table matrixTable(const ModelCard& card);

/// For the screen: what was read from where; tensors that every layer has alike are one row.
Table usedTensorTable(const LoadReport& report);
/// For the screen: what was not read, and why.
Table ignoredTensorTable(const LoadReport& report);
/// For the screen: what the network that the config describes has and the file has not.
Table missingTensorTable(const LoadReport& report);

} // namespace headscope
