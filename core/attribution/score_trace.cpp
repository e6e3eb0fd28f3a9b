#include "core/attribution/score_trace.h"

#include "core/attribution/frozen_norm.h"
#include "core/attribution/parts/readers.h"
#include "core/attribution/score_row.h"
#include "core/attribution/vocabulary_check.h"
#include "core/engine/attention.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
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

namespace {

/// What one place gives to a side of a node.
struct Contribution {
    TracePlace place;
    double value = 0.0;
};

/// How the reader reads the stream at a place.
using ReadingAt = std::function<StreamReading(const TracePlace&)>;

std::vector<Contribution> atOnePosition(const std::vector<StreamWriter>& writers,
                                        const std::vector<double>& values, std::size_t position) {
    std::vector<Contribution> contributions;
    std::ranges::transform(writers, values, std::back_inserter(contributions),
                           [&](const StreamWriter& writer, double value) {
                               return Contribution{{writer, position}, value};
                           });
    return contributions;
}

/// Whether there is something that these are shares of.
bool addUp(double all, const std::vector<Contribution>& contributions) {
    double size = 0.0;
    for (const Contribution& part : contributions)
        size += std::abs(part.value);
    return isMoreThanRounding(all, size);
}

class Tracer {
public:
    Tracer(const StreamRun& run, const TraceQuestion& question) : run_(run) {
        trace_.question = question;
    }

    Result<Trace> operator()(const std::stop_token& stop) && {
        if (auto begun = begin(); !begun)
            return begun.error();
        while (const auto node = next()) {
            if (stop.stop_requested())
                return Error{ErrorCode::Cancelled, "The trace was stopped."};
            if (auto done = follow(*node); !done)
                return done.error();
        }
        return std::move(trace_);
    }

private:
    Result<void> begin() {
        if (const auto* const target = std::get_if<LogitTarget>(&trace_.question.root))
            return beginAtLogit(*target);
        const auto& question = std::get<ScoreQuestion>(trace_.question.root);
        if (auto checked = checkScore(run_, question); !checked)
            return checked;
        const TracePlace place{{WriterKind::Head, question.head}, question.query};
        trace_.nodes.push_back({place, 1.0, true, std::nullopt, 0.0});
        readings_.emplace_back();
        return followCell(0, question, 1.0);
    }

    Result<void> beginAtLogit(const LogitTarget& target) {
        const auto reading = logitReading(run_, target);
        if (!reading)
            return reading.error();
        trace_.nodes.push_back({std::nullopt, 1.0, true, std::nullopt, 0.0});
        readings_.emplace_back();
        const std::vector<double> values = writersOf(run_, *reading);
        trace_.root = std::accumulate(values.begin(), values.end(), 0.0);
        addEdges({0, TraceSide::Logit, 1.0, trace_.root},
                 atOnePosition(streamWriters(run_.spec(), reading->depth), values, target.position),
                 [&](const TracePlace&) { return *reading; });
        return {};
    }

    bool isAsked(const TraceNode& node) const {
        return node.place && std::ranges::find(trace_.question.followed, *node.place) !=
                                 trace_.question.followed.end();
    }

    /// The head that is followed next: the one through which most goes.
    std::optional<std::size_t> next() const {
        const double least_followed =
            std::max(trace_.question.least_share, trace_.question.least_followed);
        std::optional<std::size_t> best;
        for (std::size_t node = 0; node < trace_.nodes.size(); ++node) {
            const TraceNode& candidate = trace_.nodes[node];
            const bool wanted = !candidate.followed &&
                                candidate.place->writer.kind == WriterKind::Head &&
                                (isAsked(candidate) || candidate.through >= least_followed);
            if (wanted && (!best || candidate.through > trace_.nodes[*best].through))
                best = node;
        }
        return best;
    }

    /// What a head moved to its reader, and why it looked where most of that was.
    Result<void> follow(std::size_t node) {
        trace_.nodes[node].followed = true;
        const TracePlace place = *trace_.nodes[node].place;
        const LayerHead head = place.writer.of;
        if (auto checked = checkUnclipped(
                run_, head, HeadSide::Value,
                keyMask(run_.spec(), head.layer).visibleKeys(place.position, run_.positions()));
            !checked)
            return checked;
        const HeadMoves moves = movesOf(run_, head, readings_[node]);
        const double all = moves.sum();
        const double through = trace_.nodes[node].through;
        std::vector<Contribution> moved;
        std::size_t most = moves.keys.begin;
        for (std::size_t key = moves.keys.begin; key < moves.keys.end; ++key) {
            for (std::size_t writer = 0; writer < moves.writers.size(); ++writer)
                moved.push_back(
                    {{moves.writers[writer], key}, moves.values(writer, key - moves.keys.begin)});
            if (std::abs(moves.of(key)) > std::abs(moves.of(most)))
                most = key;
        }
        addEdges({node, TraceSide::Value, through, all}, moved, [&](const TracePlace& from) {
            StreamReading reading =
                headReading(run_, head, HeadSide::Value, from.position, moves.direction);
            const auto weight =
                static_cast<double>(run_.run().weight(head, place.position, from.position));
            for (double& value : reading.direction)
                value *= weight;
            return reading;
        });
        const double share =
            addUp(all, moved) ? std::min(1.0, std::abs(moves.of(most) / all)) : 0.0;
        if (moves.keys.size() == 1)
            return {};
        return followCell(node, {head, place.position, most, ScoreContrast::OtherKeys},
                          through * share);
    }

    /// Why a head looked at a key.
    Result<void> followCell(std::size_t node, const ScoreQuestion& question, double through) {
        const auto parts = takeScoreApart(run_, question);
        if (!parts)
            return parts.error();
        const auto dimensions = scoreDimensions(run_, question);
        if (!dimensions)
            return dimensions.error();
        trace_.nodes[node].key = question.key;
        trace_.nodes[node].weight = parts->weight;
        if (node == 0)
            trace_.root = parts->difference();
        const double scale = run_.spec().attention_scale[question.head.layer];
        const double asked_share =
            ScoreRow(run_, question.head, question.query).shares(question).front().of_product;
        const double all = parts->difference() == 0.0 ? 0.0 : parts->sum();
        addEdges({node, TraceSide::Query, through, all},
                 atOnePosition(parts->writers, parts->of(HeadSide::Query), question.query),
                 [&](const TracePlace& place) {
                     return headReading(run_, question.head, HeadSide::Query, place.position,
                                        scaled(dimensions->key, scale));
                 });
        addEdges({node, TraceSide::Key, through, all},
                 atOnePosition(parts->writers, parts->of(HeadSide::Key), question.key),
                 [&](const TracePlace& place) {
                     return headReading(run_, question.head, HeadSide::Key, place.position,
                                        scaled(dimensions->query, scale * asked_share));
                 });
        return {};
    }

    static std::vector<double> scaled(std::vector<double> x, double factor) {
        for (double& value : x)
            value *= factor;
        return x;
    }

    /// What arrives at a node on one side.
    struct Arrival {
        std::size_t node = 0;
        TraceSide side = TraceSide::Query;
        double through = 0.0; ///< of the root, by way of this side
        double all = 0.0;     ///< what the contributions are shares of
    };

    void addEdges(const Arrival& arrival, std::vector<Contribution> contributions,
                  const ReadingAt& reading_at) {
        if (!addUp(arrival.all, contributions))
            return;
        std::ranges::stable_sort(contributions, std::greater(),
                                 [](const Contribution& part) { return std::abs(part.value); });
        // Below what is shown from the root, a head that was asked for shows its own strongest.
        const bool asked = isAsked(trace_.nodes[arrival.node]);
        double rest = 1.0;
        for (const Contribution& part : contributions) {
            const double share = part.value / arrival.all;
            const double through = arrival.through * std::min(1.0, std::abs(share));
            if ((asked ? std::abs(share) : through) < trace_.question.least_share)
                break;
            const auto from = nodeAt(part.place, through, reading_at);
            if (!from)
                continue;
            trace_.edges.push_back({*from, arrival.node, arrival.side, part.value, share});
            rest -= share;
        }
        trace_.rests.push_back({arrival.node, arrival.side, rest});
    }

    /// The node of a place, perhaps a new one; nothing where there are too many.
    std::optional<std::size_t> nodeAt(const TracePlace& place, double through,
                                      const ReadingAt& reading_at) {
        const auto found = std::ranges::find_if(
            trace_.nodes, [&](const TraceNode& node) { return node.place == place; });
        const auto index = static_cast<std::size_t>(found - trace_.nodes.begin());
        const bool known = found != trace_.nodes.end();
        if (!known && trace_.nodes.size() >= trace_.question.most_nodes)
            return std::nullopt;
        if (!known) {
            trace_.nodes.push_back({place, through, false, std::nullopt, 0.0});
            readings_.push_back(reading_at(place));
            return trace_.nodes.size() - 1;
        }
        if (!found->followed && through > found->through) {
            found->through = through;
            readings_[index] = reading_at(place);
        }
        return index;
    }

    const StreamRun& run_;
    Trace trace_;
    std::vector<StreamReading> readings_; ///< by node, how what it writes is read
};

} // namespace

std::string_view traceSideName(TraceSide side) {
    static constexpr std::array<std::string_view, 4> names{"query", "key", "value", "logit"};
    return names[static_cast<std::size_t>(side)];
}

Result<Trace> traceBack(const StreamRun& run, const TraceQuestion& question, std::stop_token stop) {
    return Tracer(run, question)(stop);
}

} // namespace headscope
