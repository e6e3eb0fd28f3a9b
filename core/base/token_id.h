#pragma once

#include <cstdint>
#include <vector>

namespace headscope {

using TokenId = std::int32_t;
using TokenIds = std::vector<TokenId>;

} // namespace headscope
