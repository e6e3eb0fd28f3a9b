#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// Checks every C++ file below ui/ and app/: rich text is made in ui/markup/ alone, from templates
/// that are literals; labels and message boxes say what they show; and what Qt takes for HTML where
/// it looks like that, a tool tip, goes through asTip() unless it is a literal of ours. One
/// sentence per breach, each starting with "file:line"; empty when all is well.
std::vector<std::string> markupBreaches(const std::filesystem::path& root);

} // namespace headscope
