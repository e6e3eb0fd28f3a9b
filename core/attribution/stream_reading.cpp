#include "core/attribution/stream_reading.h"

#include "core/attribution/frozen_norm.h"
#include "core/attribution/parts/head_reader.h"
#include "core/attribution/parts/logit_direction.h"
#include "core/attribution/vocabulary_check.h"
#include "core/engine/attention.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace headscope {

namespace {

Tensor columnOf(const std::vector<double>& direction) {
    Tensor column({direction.size(), 1});
    std::ranges::transform(direction, column.data(),
                           [](double value) { return static_cast<float>(value); });
    return column;
}

} // namespace

std::vector<double> writersOf(const StreamRun& run, const StreamReading& reading) {
    const StreamParts parts = partsOfStream(run, reading.depth, columnOf(reading.direction),
                                            {reading.position, reading.position + 1});
    std::vector<double> values(parts.values.values().begin(), parts.values.values().end());
    values.back() += reading.constant;
    return values;
}

Result<StreamReading> logitReading(const StreamRun& run, const LogitTarget& target) {
    const Model& model = run.model();
    for (const auto& checked : {checkVocabulary(model), checkLinearReadout(model),
                                checkTokens(model, target.token, target.against),
                                checkPosition(run.positions(), target.position)})
        if (!checked)
            return checked.error();
    const ModelSpec& spec = run.spec();
    auto [direction, constant] = logitDirection(model, target.token, target.against);
    if (spec.final_norm)
        constant +=
            throughFrozenNorm(spec.finalNorm().kind, model.weights.ln_final,
                              run.scale({HookKind::LnFinalScale, 0}, target.position), direction);
    return StreamReading{spec.n_layers, target.position, std::move(direction), constant};
}

StreamReading headReading(const StreamRun& run, LayerHead head, HeadSide side, std::size_t position,
                          const std::vector<double>& direction) {
    const HeadReader reader(run, head, side);
    return {head.layer, position, reader.readoutAlong(direction, position), 0.0};
}

double HeadMoves::of(std::size_t key) const {
    double sum = 0.0;
    for (std::size_t writer = 0; writer < writers.size(); ++writer)
        sum += values(writer, key - keys.begin);
    return sum;
}

double HeadMoves::sum() const {
    return std::accumulate(values.values.begin(), values.values.end(), 0.0);
}

HeadMoves movesOf(const StreamRun& run, LayerHead head, const StreamReading& reading) {
    const ModelSpec& spec = run.spec();
    HeadMoves moves;
    const Tensor of_z =
        readoutOfZ(run, reading.depth, columnOf(reading.direction), reading.position, head);
    moves.direction.assign(of_z.values().begin(), of_z.values().end());
    moves.keys = keyMask(spec, head.layer).visibleKeys(reading.position, run.positions());
    const Tensor row =
        run.run().pattern(head, {reading.position, reading.position + 1}, moves.keys);
    const HeadReader reader(run, head, HeadSide::Value);
    const StreamParts parts = partsOfStream(
        run, head.layer, columnOf(timesColumn(reader.readout().matrix(), moves.direction)),
        moves.keys);
    moves.writers = parts.writers;
    moves.values = DoubleMatrix(moves.writers.size(), moves.keys.size());
    for (std::size_t key = moves.keys.begin; key < moves.keys.end; ++key) {
        const std::size_t column = key - moves.keys.begin;
        const auto weight = static_cast<double>(row(0u, column));
        for (std::size_t writer = 0; writer < moves.writers.size(); ++writer)
            moves.values(writer, column) =
                weight * reader.factor(key) * static_cast<double>(parts.at(writer, key)[0]);
        const std::vector<double> biases = reader.biases(key);
        moves.values(moves.writers.size() - 1, column) +=
            weight * std::inner_product(biases.begin(), biases.end(), moves.direction.begin(), 0.0);
    }
    return moves;
}

} // namespace headscope
