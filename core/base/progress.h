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

/// The progress of a part of the work, from one fraction of it to another. `progress` must outlive
/// it.
inline Progress partOf(const Progress& progress, double begin, double end) {
    return [&progress, begin, end](double fraction, std::string_view stage) {
        report(progress, begin + fraction * (end - begin), stage);
    };
}

/// The same progress with the time that is left in its stages, as far as the time so far tells:
/// "weight: 3 of 48 removed, about 12 s left". An empty one stays empty.
Progress withTimeLeft(Progress progress);

} // namespace headscope
