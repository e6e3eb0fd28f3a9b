#pragma once

#include "core/base/layer_head.h"
#include "core/base/token_id.h"

#include <span>
#include <string>
#include <string_view>

namespace headscope {

/// A string of Python, in quotation marks and on one line.
std::string pythonText(std::string_view text);

/// "[1, 2, 3]"
std::string pythonIds(std::span<const TokenId> ids);

/// "(4, 1)"
std::string pythonHead(LayerHead head);

/// "[(4, 1), (4, 2)]"
std::string pythonHeads(std::span<const LayerHead> heads);

} // namespace headscope
