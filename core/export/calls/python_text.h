#pragma once

#include "core/base/layer_head.h"
#include "core/base/token_id.h"
#include "core/export/call.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

/// A string of Python, in quotation marks and on one line. What a terminal obeys is escaped, and
/// broken bytes of a path are what os.fsdecode() makes of them.
std::string pythonText(std::string_view text);

/// "[1, 2, 3]"
std::string pythonIds(std::span<const TokenId> ids);

/// "(4, 1)"
std::string pythonHead(LayerHead head);

/// "[(4, 1), (4, 2)]"
std::string pythonHeads(std::span<const LayerHead> heads);

/// The call as a statement. If its model is not `open`, a statement that opens it comes first, and
/// `open` becomes that model.
std::string pythonStatements(const Call& call, std::optional<CalledModel>& open);

/// A comment of a shell and of Python, whatever the text holds.
std::string commentLines(const std::string& text);

} // namespace headscope
