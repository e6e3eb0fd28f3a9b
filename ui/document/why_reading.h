#pragma once

#include "core/attribution/score_parts.h"
#include "core/attribution/score_row.h"
#include "core/attribution/score_trace.h"
#include "core/attribution/stream_parts.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/interventions/part_removal.h"
#include "ui/document/prompt_run.h"
#include "ui/markup/markup.h"

#include <QString>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace headscope::ui {

/// Which cell of which run is explained.
struct WhyQuestion {
    std::shared_ptr<const RunResult> result; ///< prompt and mask
    LayerHead head;
    std::size_t query = 0;
    /// None, or one that the query does not see: the one with the largest weight.
    std::optional<std::size_t> key;
    /// What its score is compared with; Nothing where the query sees no other key, and OtherKeys in
    /// place of a key that it does not see or that is the key itself.
    ScoreContrast contrast = ScoreContrast::OtherKeys;
    std::size_t other = 0;            ///< the other key, with ScoreContrast::Key
    double least_share = 0.2;         ///< of the graph, as TraceQuestion has it
    std::vector<TracePlace> followed; ///< heads that the user wants followed
};

struct WhyReading {
    std::shared_ptr<const RunResult> result;
    std::shared_ptr<const StreamRun> run;
    ScoreParts parts;
    Trace trace;
    std::vector<std::pair<std::size_t, double>> keys; ///< that the query sees, with their weights
};

/// Takes the cell apart and walks back from it. `known` is the reading before, whose run is taken
/// over where it is of the same result. Called from worker threads; fails as StreamRun::read(),
/// takeScoreApart() and traceBack() do.
Result<WhyReading> readWhy(const WhyQuestion& question, const WhyReading& known,
                           const std::stop_token& stop);

/// Patterns of the heads in the trace, pooled to few cells as Run::pooledPattern() does. Called
/// from worker threads; those that are there on a stop request.
std::map<LayerHead, Tensor> tracedPatterns(const WhyReading& reading, const std::stop_token& stop);

/// "L4 H1", "MLP of layer 2", "the embedding", "the biases"
QString writerName(const StreamWriter& writer);

/// "the other keys", "2 ·Mary"; empty where a score is compared with nothing.
QString contrastName(const WhyReading& reading);

/// "L4 H1 looks from 14 ·to to 2 ·Mary with 80 % of its attention …"
Markup whyMarkup(const WhyReading& reading);

/// The same of a part that is taken away: "direction 2", too.
QString partName(const RemovedPart& part);

/// What removePart() found, one or two sentences.
QString removalText(const WhyReading& reading, const PartRemoval& removal);

/// "62 %", "-29 %"
QString shareText(double share);

/// What else can be said of a cell than what each side reads.
enum class WhyDetail {
    Pairs,      ///< what the query reads × what the key reads
    Directions, ///< the singular directions of the head's QK form
    Dimensions, ///< query × key, dimension by dimension
    AllKeys,    ///< the same of every key the query sees, as a picture
    Tokens,     ///< what the weight changes by without each token of the prompt
};

/// How many Directions are shown with words.
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
