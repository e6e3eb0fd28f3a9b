#include "core/interventions/part_removal.h"

#include "core/attribution/score_row.h"
#include "core/attribution/score_signals.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/engine/attention.h"
#include "core/interventions/metric.h"
#include "core/interventions/runs/kept_run.h"
#include "core/model/prompt.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

double lengthOf(std::span<const float> x) {
    double sum = 0.0;
    for (const float value : x)
        sum += static_cast<double>(value) * static_cast<double>(value);
    return std::sqrt(sum);
}

class Removal {
public:
    Removal(const StreamRun& run, const RemovalQuestion& question)
        : run_(run), spec_(run.spec()), question_(question),
          of_query_(question.side == HeadSide::Query),
          position_(of_query_ ? question.query : question.key),
          place_(of_query_ ? spec_.headPlace(question.head) : spec_.kvPlace(question.head)),
          row_(run, question.head, question.query) {}

    Result<PartRemoval> operator()(const std::stop_token& stop) {
        result_.question = question_;
        const auto removed = removedPart();
        if (!removed)
            return removed.error();
        predict(removed->read);
        addRun(withPartTaken(finalPoint(), removed->read));
        const std::vector<float>& written = removed->written;
        const HookPoint input{of_query_ ? HookKind::QInput : HookKind::KInput,
                              question_.head.layer};
        addRun(withPartTaken(input, written));
        for (std::size_t i = 0; i < question_.random_directions; ++i)
            addRun(withPartTaken(input, randomDirection(lengthOf(written))));
        return measure(stop);
    }

private:
    /// What is taken away.
    struct Removed {
        std::vector<float> read;    ///< [d_head], of the query or key as the score is made of it
        std::vector<float> written; ///< [d_model], of the stream
    };

    Result<Removed> removedPart() const {
        if (const auto* direction = std::get_if<StreamDirection>(&question_.part))
            return along(direction->unit);
        const StreamWriter& asked = std::get<StreamWriter>(question_.part);
        const std::vector<StreamWriter> writers = streamWriters(spec_, question_.head.layer);
        const auto found = std::ranges::find(writers, asked);
        if (found == writers.end() || found + 1 == writers.end())
            return Error{ErrorCode::InvalidArgument, "There is no part of " + writerText(asked) +
                                                         " in what head " +
                                                         headText(question_.head) + " reads."};
        const auto writer = static_cast<std::size_t>(found - writers.begin());
        const StreamParts inputs =
            headInputParts(run_, question_.head, question_.side, {position_, position_ + 1});
        const std::span<const float> read = inputs.at(writer, position_);
        const StreamParts stream = streamByWriter();
        const std::span<const float> written = stream.at(writer, position_);
        return Removed{{read.begin(), read.end()}, {written.begin(), written.end()}};
    }

    /// (x · unit) unit, with x the stream that the head reads.
    Removed along(std::span<const float> unit) const {
        const StreamParts stream = streamByWriter();
        double amount = 0.0;
        for (std::size_t writer = 0; writer < stream.writers.size(); ++writer) {
            const std::span<const float> x = stream.at(writer, position_);
            for (std::size_t i = 0; i < unit.size(); ++i)
                amount += static_cast<double>(x[i]) * static_cast<double>(unit[i]);
        }
        std::vector<float> written(unit.begin(), unit.end());
        for (float& value : written)
            value *= static_cast<float>(amount);
        return {headInputOf(run_, question_.head, question_.side, position_, written), written};
    }

    /// Where hooks see queries or keys last before the scores.
    HookPoint finalPoint() const {
        const std::size_t layer = question_.head.layer;
        const bool turns = spec_.rotaryIn(layer) != nullptr;
        if (spec_.qk_norm != QkNorm::None && (!turns || spec_.qk_norm_after_rotary))
            return {of_query_ ? HookKind::QNormOut : HookKind::KNormOut, layer};
        if (turns)
            return {of_query_ ? HookKind::RotQ : HookKind::RotK, layer};
        return {of_query_ ? HookKind::Q : HookKind::K, layer};
    }

    /// [writer, 1, d_model], what each left in the stream that the head reads.
    StreamParts streamByWriter() const {
        Tensor identity({spec_.d_model, spec_.d_model});
        for (std::size_t i = 0; i < spec_.d_model; ++i)
            identity(i, i) = 1.0f;
        return partsOfStream(run_, question_.head.layer, std::move(identity),
                             {position_, position_ + 1});
    }

    std::vector<float> randomDirection(double length) {
        constexpr std::size_t kSteps = std::size_t{1} << 24;
        std::vector<float> direction(spec_.d_model);
        for (float& value : direction)
            value = 2.0f * static_cast<float>(random_.below(kSteps)) / float{kSteps} - 1.0f;
        const auto scale = static_cast<float>(length / lengthOf(direction));
        for (float& value : direction)
            value *= scale;
        return direction;
    }

    /// The scores of the row without the part, and their softmax.
    void predict(std::span<const float> part) {
        const PositionRange keys = row_.visible();
        std::map<std::size_t, double> scores;
        for (std::size_t key = keys.begin; key < keys.end; ++key) {
            double product = row_.product(key);
            const std::span<const float> other = of_query_ ? row_.key(key) : row_.query();
            if (of_query_ || key == question_.key)
                for (std::size_t i = 0; i < part.size(); ++i)
                    product -=
                        row_.scale() * static_cast<double>(part[i]) * static_cast<double>(other[i]);
            scores[key] = row_.cap(product) + row_.distance(key);
        }
        // The sum of exp(score − score of the key), with the share of the head's sink.
        double sum = std::exp(row_.sink() - scores[question_.key]);
        for (const auto& [key, score] : scores)
            sum += std::exp(score - scores[question_.key]);
        result_.predicted = {scores[question_.key], 1.0 / sum, std::nullopt};
    }

    /// A hook that subtracts `part` from one head's value at one position.
    HookSet withPartTaken(HookPoint point, std::vector<float> part) const {
        HookSet hooks;
        addAblation(hooks, run_.question().ablated, spec_);
        const bool side_by_side = !headAxis(spec_, point.kind).has_value();
        const std::size_t first = side_by_side ? place_ * spec_.d_head : 0;
        const auto take = [first, position = position_,
                           part = std::move(part)](HookPoint, const MutableTensorView& x) {
            const bool has_heads = x.rank() == 3;
            for (std::size_t i = 0; i < part.size(); ++i)
                (has_heads ? x(position, 0u, i) : x(position, first + i)) -= part[i];
        };
        hooks.edit(point, take, side_by_side ? HookSet::Head() : HookSet::Head(place_));
        if (!of_query_)
            keepOthers(hooks);
        return hooks;
    }

    /// The other heads of a KV group score as in the whole run.
    void keepOthers(HookSet& hooks) const {
        for (const LayerHead other : spec_.groupOf(question_.head)) {
            if (other == question_.head)
                continue;
            const LayerAttention& attention = run_.run().attention[other.layer];
            HeadInput input;
            input.head = other;
            input.q = headMatrix(attention.q, spec_.headPlace(other));
            input.k = headMatrix(attention.k, spec_.kvPlace(other));
            input.rule = scoreRule(run_.model(), other);
            auto scores = std::make_shared<Tensor>(
                Tensor::uninitialised({run_.positions(), run_.positions()}));
            maskedScores(input, scores->matrix());
            hooks.edit(
                HookPoint{HookKind::AttnScores, other.layer},
                [scores = std::shared_ptr<const Tensor>(std::move(scores))](
                    HookPoint, const MutableTensorView& x) {
                    for (std::size_t q = 0; q < x.shape[1]; ++q)
                        for (std::size_t k = 0; k < x.shape[2]; ++k)
                            x(0u, q, k) = (*scores)(q, k);
                },
                spec_.headPlace(other));
        }
    }

    void addRun(HookSet hooks) {
        RunItem item;
        item.ids = run_.question().ids;
        item.hooks = std::move(hooks);
        items_.push_back(std::move(item));
    }

    Result<PartRemoval> measure(const std::stop_token& stop) {
        RunItem whole;
        whole.ids = run_.question().ids;
        addAblation(whole.hooks, run_.question().ablated, spec_);
        items_.insert(items_.begin(), std::move(whole));
        Request request;
        request.logits = spec_.output != OutputHead::None;
        request.logit_positions = {question_.query};
        const auto runs = runInBatches(run_.run().model, items_, request, {}, stop);
        if (!runs)
            return runs.error();
        auto divergence = divergenceFrom(*runs->front());
        if (!divergence)
            return divergence.error();
        std::vector<CellReading> readings;
        for (const auto& run : *runs)
            readings.push_back(readingOf(*run, *divergence));
        result_.whole = readings[0];
        result_.held = readings[1];
        result_.measured = readings[2];
        result_.random.assign(readings.begin() + 3, readings.end());
        return std::move(result_);
    }

    /// From the prediction of the whole run at the query; nothing without logits.
    Result<std::optional<PromptMetric>> divergenceFrom(const Run& whole) const {
        if (whole.logits.empty())
            return std::optional<PromptMetric>();
        Metric kl;
        kl.kind = MetricKind::Kl;
        kl.position = question_.query;
        auto metric = PromptMetric::make(kl, spec_, whole.ids);
        if (!metric)
            return metric.error();
        metric->keepReference(question_.query, whole.logits.values());
        return std::optional(*std::move(metric));
    }

    CellReading readingOf(const Run& run, const std::optional<PromptMetric>& divergence) const {
        const LayerHead head = question_.head;
        const LayerAttention& attention = run.attention[head.layer];
        float score = 0.0f;
        computeScores(scoreRule(run_.model(), head),
                      headMatrix(attention.q, spec_.headPlace(head)).rowRange(question_.query, 1),
                      question_.query,
                      headMatrix(attention.k, spec_.kvPlace(head)).rowRange(question_.key, 1),
                      question_.key, {&score, 1, 1, 1});
        CellReading reading;
        reading.score = static_cast<double>(score);
        reading.weight = static_cast<double>(run.weight(head, question_.query, question_.key));
        if (divergence)
            reading.kl = divergence->at(question_.query, run.logits.values());
        return reading;
    }

    const StreamRun& run_;
    const ModelSpec& spec_;
    RemovalQuestion question_;
    bool of_query_;
    std::size_t position_; ///< where the head reads the part
    std::size_t place_;    ///< on the head axis of what it reads
    ScoreRow row_;
    Random random_{question_.seed};
    std::vector<RunItem> items_;
    PartRemoval result_;
};

} // namespace

std::string removedPartText(const RemovedPart& part) {
    const auto* direction = std::get_if<StreamDirection>(&part);
    return direction ? direction->name : writerText(std::get<StreamWriter>(part));
}

double PartRemoval::meanRandomScore() const {
    return std::accumulate(
               random.begin(), random.end(), 0.0,
               [](double sum, const CellReading& reading) { return sum + reading.score; }) /
           static_cast<double>(random.size());
}

Result<PartRemoval> removePart(const StreamRun& run, const RemovalQuestion& question,
                               std::stop_token stop) {
    const ScoreQuestion cell{question.head, question.query, question.key, ScoreContrast::Nothing};
    if (auto checked = checkScore(run, cell); !checked)
        return checked.error();
    return Removal(run, question)(stop);
}

Result<RemovalQuestion> directionRemoval(const StreamRun& run, const ScoreQuestion& cell,
                                         HeadSide side, std::size_t rank) {
    auto found = scoreSignals(run, cell, rank, 0);
    if (!found)
        return found.error();
    if (rank == 0 || rank > found->directions.size())
        return Error{ErrorCode::InvalidArgument, "Head " + headText(cell.head) + " has " +
                                                     std::to_string(found->directions.size()) +
                                                     " directions, counted from 1, " +
                                                     "and none with the number " +
                                                     std::to_string(rank) + "."};
    ScoreSignal& signal = found->directions[rank - 1];
    return RemovalQuestion{
        cell.head, cell.query, cell.key, side,
        StreamDirection{
            "direction " + std::to_string(rank),
            std::move(side == HeadSide::Query ? signal.query_direction : signal.key_direction)}};
}

Table removalTable(const PartRemoval& removal, const Model& model, const Provenance& provenance) {
    const RemovalQuestion& question = removal.question;
    Table table;
    table.caption = model.name + ": head " + headText(question.head) + ", from " +
                    positionText(provenance.pieces, question.query) + " to " +
                    positionText(provenance.pieces, question.key) + ", without what " +
                    removedPartText(question.part) + " gives its " +
                    std::string(headSideName(question.side)) + ":";
    table.key = "readings";
    table.columns = {
        {.key = "reading",
         .title = "read",
         .meaning = "whole: with the part; predicted: from the score's parts; random: as long a "
                    "part taken in its place"},
        {.key = "score",
         .title = "score",
         .meaning = "Score of query and key, as the softmax reads it"},
        {.key = "weight", .title = "weight", .meaning = "Attention of the query on the key"},
        {.key = "kl",
         .title = "KL of the prediction",
         .unit = "nats",
         .meaning = "Σ p ln(p / q) at the query, p of the whole run"}};
    const auto add = [&](std::string name, const CellReading& reading) {
        table.rows.push_back({std::move(name), reading.score, reading.weight, reading.kl});
    };
    add("whole", removal.whole);
    add("predicted", removal.predicted);
    add("measured, norms held", removal.held);
    add("measured, norms anew", removal.measured);
    for (std::size_t i = 0; i < removal.random.size(); ++i)
        add("random direction " + std::to_string(i + 1), removal.random[i]);
    table.fields = {{"head", question.head},
                    {"query", question.query},
                    {"key", question.key},
                    {"side", headSideName(question.side)},
                    {"part", removedPartText(question.part)},
                    {"seed", question.seed},
                    {"prompt", provenance.promptId(), Files::Csv}};
    table.provenance = provenance;
    return table;
}

Result<RemovalQuestion> parseRemoval(std::string_view text, const ScoreQuestion& cell,
                                     const StreamRun& run) {
    const std::size_t colon = text.find(':');
    const std::string_view side_name = text.substr(0, colon);
    const std::string_view part = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    const HeadSide side = side_name == "query" ? HeadSide::Query : HeadSide::Key;
    const bool has_side = side_name == headSideName(side);
    constexpr std::string_view kDirection = "direction ";
    if (has_side && part.starts_with(kDirection))
        if (const auto rank = parseNumber<std::size_t>(part.substr(kDirection.size())))
            return directionRemoval(run, cell, side, *rank);
    const std::vector<StreamWriter> writers = streamWriters(run.spec(), cell.head.layer);
    const auto found = std::ranges::find_if(writers, [&](const StreamWriter& writer) {
        return writerText(writer) == part || writerText(writer) == "head " + std::string(part);
    });
    if (has_side && found != writers.end())
        return RemovalQuestion{cell.head, cell.query, cell.key, side, *found};
    return Error{ErrorCode::InvalidArgument,
                 "\"" + std::string(text) + "\" names no part of what head " + headText(cell.head) +
                     " reads; write key: or query: and then a head (3.5), \"mlp 2\" or "
                     "\"embedding\" before its layer, or \"direction 1\"."};
}

} // namespace headscope
