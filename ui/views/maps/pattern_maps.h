#pragma once

#include "core/base/result.h"
#include "core/tensor/tensor.h"
#include "ui/document/prompt_run.h"
#include "ui/views/maps/head_pattern.h"

#include <memory>
#include <stop_token>

namespace headscope::ui {

/// The maps of all heads of one source, with what has to be computed for them once.
class PatternMaps {
public:
    PatternMaps() = default; ///< of nothing

    /// Computes what the map needs beside the runs; `known` may have it. For worker threads; fails
    /// as valueNorms() does.
    static Result<PatternMaps> read(const PatternSource& source, PatternMap map,
                                    const PatternMaps& known, const std::stop_token& stop);

    const PatternSource& source() const { return source_; }
    PatternMap map() const { return map_; }
    /// Whether values have a sign: changes, not weights.
    bool areDifferences() const { return map_ == PatternMap::Difference || source_.other; }

    /// The head must exist.
    HeadPattern of(LayerHead head) const;

private:
    using Norms = std::shared_ptr<const Tensor>; ///< valueNorms() of a run

    PatternSource source_;
    PatternMap map_ = PatternMap::Attention;
    Norms norms_; ///< of the result; null unless the map needs them
    Norms other_norms_;
};

} // namespace headscope::ui
