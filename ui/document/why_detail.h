#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "ui/document/why_reading.h"

#include <QString>

#include <stop_token>

namespace headscope::ui {

/// What else can be said of a cell than what each side reads.
enum class WhyDetail {
    Pairs,      ///< what the query reads × what the key reads
    Directions, ///< the singular directions of the head's QK form
    Dimensions, ///< query × key, dimension by dimension
    Tokens,     ///< what the weight changes by without each token of the prompt
};

struct WhyDetailTable {
    Table table;
    QString heading; ///< what it adds up to, one or two sentences
};

/// Called from worker threads. Tokens take a run for each of them and are of the whole network:
/// fails where heads are ablated, and as takeScoreApart() and tokenDependence() do.
Result<WhyDetailTable> readWhyDetail(WhyDetail detail, const WhyReading& reading,
                                     const Progress& progress, const std::stop_token& stop);

} // namespace headscope::ui
