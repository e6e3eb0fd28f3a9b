#pragma once

#include "core/attribution/score_row.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "ui/document/why_reading.h"

#include <QString>

#include <cstddef>
#include <memory>
#include <stop_token>

namespace headscope::ui {

/// What else can be said of a cell than what each side reads.
enum class WhyDetail {
    Pairs,      ///< what the query reads × what the key reads
    Directions, ///< the singular directions of the head's QK form
    Dimensions, ///< query × key, dimension by dimension
    AllKeys,    ///< the same of every key the query sees, as a picture
    Tokens,     ///< what the weight changes by without each token of the prompt
};

/// Of Directions, how many stand with words.
inline constexpr std::size_t kWordedDirections = 12;

struct WhyDetailTable {
    Table table;
    QString heading; ///< what it adds up to, one or two sentences
    std::shared_ptr<const QueryDimensions> dimensions = nullptr; ///< of AllKeys, with no table
};

/// "4 d, dimension 5: query 1.20 times key −0.45 adds −0.10.", and the values before rotary
/// positions; `key` is the name of the row's.
QString dimensionText(const QString& key, const QueryDimensions& dimensions, std::size_t row,
                      std::size_t dimension);

/// Called from worker threads. Tokens take a run for each of them and are of the whole network:
/// fails where heads are ablated, and as takeScoreApart() and tokenDependence() do.
Result<WhyDetailTable> readWhyDetail(WhyDetail detail, const WhyReading& reading,
                                     const Progress& progress, const std::stop_token& stop);

} // namespace headscope::ui
