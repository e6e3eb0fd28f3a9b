#pragma once

#include "core/engine/pattern_observer.h"
#include "core/engine/run.h"

namespace headscope::test {

/// Shows an observer the patterns of a run that is there already, each head's as one block.
inline void showPatterns(const Run& run, PatternObserver& observer) {
    const PositionRange all{0, run.positions()};
    for (const LayerHead head : run.model->spec.allHeads()) {
        const Tensor pattern = run.pattern(head);
        observer.observe({head, all, all, pattern.matrix()});
    }
}

} // namespace headscope::test
