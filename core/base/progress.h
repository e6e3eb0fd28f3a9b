#pragma once

#include <functional>
#include <string_view>

namespace headscope {

/// Called from the thread that does the work: the fraction done in 0..1, and what is being done in
/// a few words ("reading blocks.3"). An empty function is allowed; call it through report().
using Progress = std::function<void(double fraction, std::string_view stage)>;

inline void report(const Progress& progress, double fraction, std::string_view stage) {
    if (progress)
        progress(fraction, stage);
}

} // namespace headscope
