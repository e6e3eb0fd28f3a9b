#pragma once

#include "core/ask/analysis.h"

#include <span>
#include <string>

namespace headscope {

/// The Python module that has a method for each analysis: its signature, what it says in help(),
/// and how its arguments reach core. The build writes it as headscope/analyses.py.
std::string pythonMethods(std::span<const Analysis> analyses);

} // namespace headscope
