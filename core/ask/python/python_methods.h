#pragma once

#include "core/ask/analysis.h"

#include <span>
#include <string>

namespace headscope {

/// The Python module that has a method for each analysis: its signature, what it says in help(),
/// and how its arguments reach core. app/python/headscope/analyses.py is this text.
std::string pythonMethods(std::span<const Analysis> analyses);

} // namespace headscope
