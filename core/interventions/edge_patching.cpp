#include "core/interventions/edge_patching.h"

#include "core/base/text.h"
#include "core/interventions/edges/edge_runs.h"
#include "core/interventions/statistics/rank_correlation.h"
#include "core/interventions/tables/metric_values.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// One run of the clean prompt in which some edges carry the corrupted one. Its hooks refer to it.
class CorruptedEdges {
public:
    CorruptedEdges(const Model& model, const EdgeResult& result, const EdgeRuns& runs)
        : model_(model), result_(result),
          corrupted_({result.receivers.size(), result.writers.size()}),
          differences_(model, result, runs.corrupted) {
        for (std::size_t r = 0; r < result.receivers.size(); ++r)
            receivers_[receiverPoint(result.receivers[r], model.spec)].push_back(r);
    }

    void corrupt(Edge edge, bool is_corrupted) {
        corrupted_(edge.receiver, edge.writer) = is_corrupted ? 1.0f : 0.0f;
    }

    RunItem item() {
        RunItem item;
        item.ids = result_.question.clean;
        for (const HookPoint point : writerPoints(result_, model_.spec))
            item.hooks.observe(point, [this](HookPoint at, const TensorView& value) {
                differences_.take(at, value);
            });
        for (const auto& [point, receivers] : receivers_)
            item.hooks.edit(
                point, [this, &receivers = receivers](HookPoint, const MutableTensorView& value) {
                    addDifferences(value, receivers);
                });
        return item;
    }

private:
    /// x_r += Σ over corrupted edges of their differences; receivers as places on the head axis.
    void addDifferences(const MutableTensorView& value, const std::vector<std::size_t>& receivers) {
        const std::size_t writers = result_.receivers[receivers.front()].writers;
        const Tensor& differences = differences_.values();
        Tensor sums({receivers.size(), differences.dim(1)});
        multiply(std::as_const(corrupted_)
                     .matrix()
                     .rowRange(receivers.front(), receivers.size())
                     .colRange(0, writers),
                 differences.matrix().rowRange(0, writers), sums.matrix());
        for (std::size_t place = 0; place < receivers.size(); ++place) {
            const MutableMatrixView rows = nodeRows(value, place);
            addInto(rows, {&sums(place, 0), rows.rows, rows.cols, rows.cols});
        }
    }

    const Model& model_;
    const EdgeResult& result_;
    Tensor corrupted_;              ///< [receiver, writer], 1 where the edge is
    WriterDifferences differences_; ///< u_corrupted − u of the run itself, filled as it goes
    std::map<HookPoint, std::vector<std::size_t>> receivers_;
};

struct PreparedEdges {
    PromptMetric metric;
    EdgeRuns runs;
};

Result<PreparedEdges> prepare(const std::shared_ptr<const Model>& model, const EdgeResult& result,
                              const std::stop_token& stop) {
    auto metric = PromptMetric::make(result.question.metric, model->spec, result.question.clean);
    if (!metric)
        return metric.error();
    auto runs = runBoth(model, result, *metric, stop);
    if (!runs)
        return runs.error();
    return PreparedEdges{*std::move(metric), *std::move(runs)};
}

} // namespace

Result<std::vector<double>> patchEdges(const std::shared_ptr<const Model>& model,
                                       const EdgeResult& result, std::span<const Edge> edges,
                                       const Progress& progress, std::stop_token stop) {
    const auto prepared = prepare(model, result, stop);
    if (!prepared)
        return prepared.error();
    return measureEdges(model, result, prepared->runs, edges, prepared->metric, progress,
                        std::move(stop));
}

double shareOfClean(const EdgeResult& result, double value) {
    return shareOfDifference(value, result.corrupted, result.clean);
}

Result<std::vector<EdgeCircuit>> measureEdgeCircuits(const std::shared_ptr<const Model>& model,
                                                     const EdgeResult& result,
                                                     std::span<const std::size_t> counts,
                                                     const Progress& progress,
                                                     std::stop_token stop) {
    const auto prepared = prepare(model, result, stop);
    if (!prepared)
        return prepared.error();
    const std::vector<Edge> edges = result.best(result.edgeCount());
    CorruptedEdges network(*model, result, prepared->runs);
    const auto measure = [&](std::size_t best, bool corrupts_best) {
        for (std::size_t i = 0; i < edges.size(); ++i)
            network.corrupt(edges[i], (i < best) == corrupts_best);
        return measureRuns(model, {network.item()}, 0, prepared->metric, {}, stop);
    };
    std::vector<EdgeCircuit> circuits;
    for (const std::size_t count : counts) {
        const std::size_t best = std::min(count, edges.size());
        const auto kept = measure(best, false);
        if (!kept)
            return kept.error();
        const auto without = measure(best, true);
        if (!without)
            return without.error();
        circuits.push_back({best, kept->front(), without->front()});
        report(progress, static_cast<double>(circuits.size()) / static_cast<double>(counts.size()),
               std::to_string(circuits.size()) + " of " + std::to_string(counts.size()) +
                   " circuits");
    }
    return circuits;
}

std::vector<std::size_t> circuitSizes(const EdgeResult& result) {
    const std::size_t all = result.edgeCount();
    std::vector<std::size_t> sizes{0};
    for (std::size_t ten = 1; ten < all; ten *= 10)
        for (const std::size_t step : {1U, 2U, 5U})
            if (step * ten < all)
                sizes.push_back(step * ten);
    sizes.push_back(all);
    return sizes;
}

namespace {

/// "gpt2-mini-6l: logit-diff 1.2, and 0.3 for the corrupted prompt"
std::string bothValues(const EdgeResult& result, const Provenance& provenance) {
    return provenance.model_name + ": " + metricText(result.question.metric, result.clean) +
           ", and " + fixedText(result.corrupted, 4) + " for the corrupted prompt";
}

std::vector<Field> edgeFields(const EdgeResult& result) {
    const EdgeQuestion& question = result.question;
    std::vector<Field> fields{{"clean", result.clean},
                              {"corrupted", result.corrupted},
                              {"metric", metricName(question.metric.kind), Files::Csv},
                              {"metric", metricRecord(question.metric), Files::Json},
                              {"estimate", edgeEstimateName(question.estimate)},
                              {"edges", result.edgeCount()},
                              {"corrupted_ids", listOf(question.corrupted), Files::Json}};
    if (question.estimate == EdgeEstimate::Integrated)
        fields.push_back({"steps", question.steps, Files::Json});
    return fields;
}

} // namespace

Table edgeTable(const EdgeResult& result, std::span<const Edge> edges,
                std::span<const double> exact, const Provenance& provenance) {
    Table table;
    table.caption =
        bothValues(result, provenance) + "; what it changes by when an edge alone is corrupted:";
    table.key = "best";
    const std::string unit = metricUnit(result.question.metric);
    table.columns = {{.key = "writer", .title = "writer"},
                     {.key = "receiver",
                      .title = "receiver",
                      .meaning = "5.3:q: the queries of head 5.3; k, v: the keys or values of a KV "
                                 "head"},
                     {.key = "score",
                      .title = "score",
                      .unit = unit,
                      .meaning = "Estimated change of the metric when this edge is corrupted"},
                     {.key = "exact",
                      .title = "exact",
                      .unit = unit,
                      .meaning = "The change measured by a run"}};
    std::vector<double> scores;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        scores.push_back(static_cast<double>(result.score(edges[i])));
        table.rows.push_back({writerText(result.writers[edges[i].writer]),
                              edgeReceiverText(result.receivers[edges[i].receiver]),
                              result.score(edges[i]), exact.empty() ? Value() : Value(exact[i])});
    }
    table.fields = edgeFields(result);
    if (!exact.empty()) {
        const double correlation = rankCorrelation(scores, exact);
        table.fields.push_back({"correlation", correlation});
        table.caption = bothValues(result, provenance) + "; over these " +
                        std::to_string(edges.size()) + " of " + std::to_string(result.edgeCount()) +
                        " edges the estimates have a rank correlation of " +
                        fixedText(correlation, 2) + " with what runs measure:";
    }
    table.provenance = provenance;
    return table;
}

Table edgeCircuitTable(const EdgeResult& result, std::span<const EdgeCircuit> circuits,
                       const Provenance& provenance) {
    Table table;
    table.caption = bothValues(result, provenance) +
                    "; with the best edges alone clean, and with them alone corrupted:";
    table.key = "circuits";
    const std::string unit = metricUnit(result.question.metric);
    table.columns = {
        {.key = "edges",
         .title = "edges",
         .meaning = "How many edges are in the circuit: those of largest |score|"},
        {.key = "kept",
         .title = "kept",
         .unit = unit,
         .meaning = "The metric when only these edges are clean"},
        {.key = "faithfulness",
         .title = "faithful",
         .meaning =
             "Share of the way from the corrupted to the clean metric that these edges keep"},
        {.key = "without",
         .title = "without",
         .unit = unit,
         .meaning = "The metric when only these edges are corrupted"},
        {.key = "rest", .title = "rest", .meaning = "Share of that way that is left without them"}};
    for (const EdgeCircuit& circuit : circuits)
        table.rows.push_back({circuit.edges, circuit.kept, shareOfClean(result, circuit.kept),
                              circuit.without, shareOfClean(result, circuit.without)});
    table.fields = edgeFields(result);
    nameForCsv(table, "edges", "edges_of_model");
    table.provenance = provenance;
    return table;
}

} // namespace headscope
