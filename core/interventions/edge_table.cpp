#include "core/interventions/edge_table.h"

#include "core/base/text.h"
#include "core/interventions/statistics/rank_correlation.h"
#include "core/interventions/tables/metric_values.h"

#include <string>
#include <vector>

namespace headscope {

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
    table.columns = {{.key = "writer", .title = "writer"},
                     {.key = "receiver", .title = "receiver"},
                     {.key = "score",
                      .title = "score",
                      .meaning = "Estimated change of the metric when this edge is corrupted"},
                     {.key = "exact", .title = "exact", .meaning = "The change measured by a run"}};
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
    table.columns = {
        {.key = "edges", .title = "edges"},
        {.key = "kept", .title = "kept", .meaning = "The metric when only these edges are clean"},
        {.key = "faithfulness",
         .title = "faithful",
         .meaning = "Which share of the way from the corrupted to the clean metric that is"},
        {.key = "without",
         .title = "without",
         .meaning = "The metric when only these edges are corrupted"},
        {.key = "rest", .title = "rest", .meaning = "Which share of the way is left without them"}};
    for (const EdgeCircuit& circuit : circuits)
        table.rows.push_back({circuit.edges, circuit.kept, shareOfClean(result, circuit.kept),
                              circuit.without, shareOfClean(result, circuit.without)});
    table.fields = edgeFields(result);
    table.provenance = provenance;
    return table;
}

} // namespace headscope
