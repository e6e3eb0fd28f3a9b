#pragma once

#include "core/attribution/score_parts.h"
#include "core/attribution/stream_parts.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/model/model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope {

/// What the stream holds along a direction.
struct StreamDirection {
    std::string name;        ///< "direction 2"
    std::vector<float> unit; ///< [d_model], of length 1, before the norm
};

using RemovedPart = std::variant<StreamWriter, StreamDirection>;

/// "head 3.5", "direction 2"
std::string removedPartText(const RemovedPart& part);

/// Which part is taken out of what a head reads for one cell.
struct RemovalQuestion {
    LayerHead head;
    std::size_t query = 0;
    std::size_t key = 0;
    HeadSide side = HeadSide::Key; ///< Query or Key
    RemovedPart part;
    std::size_t random_directions = 10;
    std::uint64_t seed = 1;
};

/// What is left of the cell, and what that does to the prediction.
struct CellReading {
    double score = 0.0;
    double weight = 0.0;
    /// Kullback-Leibler divergence of the prediction at the query from that of the whole run, nats;
    /// nothing in networks without a vocabulary, and for what was not run.
    std::optional<double> kl;
};

struct PartRemoval {
    RemovalQuestion question;
    CellReading whole;     ///< with the part
    CellReading predicted; ///< by takeScoreApart(): linear until the soft-cap and the softmax
    CellReading held;      ///< measured, the norms before the score held at their scales
    CellReading measured;  ///< measured, the norms taken anew of what is left
    /// As `measured`, with as long a part along random directions taken away in its place.
    std::vector<CellReading> random;

    /// The mean of the scores that are left with random directions.
    double meanRandomScore() const;
};

/// Whether a decomposition is true: the prompt is run again with one writer's part, or what the
/// stream holds along one direction (of biases nothing), subtracted from what one head reads as its
/// query, or as its key, at one position, and nowhere else; heads that share the key keep the
/// scores they had. Everything after it is computed as usual. Fails as takeScoreApart() and
/// runBatch() do, for writers that do not write before the head or are no part of the stream
/// (biases), and with ErrorCode::Cancelled on a stop request.
Result<PartRemoval> removePart(const StreamRun& run, const RemovalQuestion& question,
                               std::stop_token stop = {});

/// The question that removes what one side of a cell holds along a singular direction of its head:
/// the one at place `rank`, from 1, in scoreSignals() of the cell. Fails as scoreSignals() does,
/// and where there are fewer directions.
Result<RemovalQuestion> directionRemoval(const StreamRun& run, const ScoreQuestion& cell,
                                         HeadSide side, std::size_t rank);

/// One row per reading: reading (whole, predicted, norms held, norms anew, random 1 …), score,
/// weight, kl. Fields: the cell, side, part, and the seed of the random directions. The rows are
/// "readings".
Table removalTable(const PartRemoval& removal, const Model& model, const Provenance& provenance);

/// "key:3.5", "query:mlp 2", "key:embedding", "key:direction 2": the side of a part, and its writer
/// or singular direction. Fails on a writer or direction that the network does not have.
Result<RemovalQuestion> parseRemoval(std::string_view text, const ScoreQuestion& cell,
                                     const StreamRun& run);

} // namespace headscope
