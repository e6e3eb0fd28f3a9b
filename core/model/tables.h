#pragma once

#include "core/base/table.h"
#include "core/model/prompt.h"

namespace headscope {

/// One row per token: position, id, piece, begin and end of the code points that it spells (equal
/// for an added token), in JSON both as offsets. Fields: has_bos, bos_reason, in CSV prompt. The
/// rows are "tokens".
Table promptTable(const Prompt& prompt, const Provenance& provenance);

} // namespace headscope
