#pragma once

#include <string_view>

namespace headscope {

/// resources/hugging_face/load_model.py: a Python module that opens a folder whose layers have
/// different numbers of heads with transformers.
std::string_view loadModelScript();

} // namespace headscope
