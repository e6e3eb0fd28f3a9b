#include "core/ask/analyses/declared.h"
#include "core/ask/analyses/reading.h"
#include "core/export/provenance.h"
#include "core/interventions/edge_patching.h"
#include "core/interventions/tables.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace headscope {

namespace {

constexpr std::size_t kShownEdges = 20;

Result<Answer> measureBest(const Asking& asking, const EdgeResult& result,
                           const Provenance& provenance) {
    const std::vector<Edge> best = result.best(asking.asked.count("top"));
    if (!asking.asked.is("exact"))
        return Answer{edgeTable(result, best, {}, provenance)};
    const auto exact = patchEdges(asking.model, result, best, asking.progress, asking.stop);
    if (!exact)
        return exact.error();
    return Answer{edgeTable(result, best, *exact, provenance)};
}

Result<Answer> measureCircuits(const Asking& asking, const EdgeResult& result,
                               const Provenance& provenance) {
    const auto& given = asking.asked.counts("sizes");
    const std::vector<std::size_t> sizes =
        given.empty() ? circuitSizes(result) : std::vector<std::size_t>(given.begin(), given.end());
    const auto circuits =
        measureEdgeCircuits(asking.model, result, sizes, asking.progress, asking.stop);
    if (!circuits)
        return circuits.error();
    return Answer{edgeCircuitTable(result, *circuits, provenance)};
}

Result<Answer> estimateEdges(const Asking& asking) {
    const auto prompts = comparedPromptsOf(asking);
    if (!prompts)
        return prompts.error();
    const std::vector<EdgeEstimate> estimates = edgeEstimates();
    const EdgeEstimate estimate =
        *std::ranges::find(estimates, asking.asked.text("estimate"), edgeEstimateName);
    const auto result = attributeEdges(asking.model,
                                       {prompts->clean.ids, prompts->corrupted.ids, prompts->metric,
                                        estimate, asking.asked.count("steps")},
                                       asking.progress, asking.stop);
    if (!result)
        return result.error();
    const Provenance provenance = provenanceOf(*asking.model, prompts->clean, {});
    return asking.asked.is("circuits") ? measureCircuits(asking, *result, provenance)
                                       : measureBest(asking, *result, provenance);
}

std::vector<Rule> edgeRules() {
    std::vector<Rule> rules = metricRules();
    rules.insert(rules.end(),
                 {{[](const Asked& asked) { return asked.text("metric") == "kl"; },
                   "edges cannot estimate {metric} kl, whose slope is 0."},
                  {[](const Asked& asked) { return asked.is("circuits") && asked.is("exact"); },
                   "{circuits} measures many edges and {exact} single ones; give one of the two."},
                  {[](const Asked& asked) {
                       return asked.is("circuits") && asked.count("top") != kShownEdges;
                   },
                   "{circuits} shows a row for each of {sizes}; leave {top} out."},
                  {[](const Asked& asked) {
                       return asked.count("steps") != EdgeQuestion().steps &&
                              asked.text("estimate") != edgeEstimateName(EdgeEstimate::Integrated);
                   },
                   "{steps} belongs to {estimate} integrated."}});
    return rules;
}

} // namespace

Analysis edgesAnalysis() {
    return {
        "edges",
        "edges",
        "Estimate what flows along every edge between heads, MLPs and logits",
        R"(Estimates what flows along every edge between heads, MLPs and logits: the ``top`` ones.

``score`` is how the metric changes when the edge alone carries the corrupted prompt;
``exact`` measures that, too, by a run for each. ``steps`` are those of integrated.

With ``circuits`` networks are measured in which the best edges alone carry the clean prompt: a row
for each number of edges in ``sizes`` (by default 0, 1, 2, 5, 10 … and all), with the metric with
them alone (``kept``) and without them (``without``), and which share of the clean prompt's metric
that is.)",
        {askPromptPair(),
         askChoice("estimate", names(edgeEstimates(), edgeEstimateName),
                   std::string(edgeEstimateName(EdgeEstimate::Slope)),
                   "slope (one reverse pass), integrated (its mean on the way to the corrupted "
                   "prompt) or recomputed (receivers run again, which takes longest)"),
         between(1, 10'000,
                 askCount("steps", EdgeQuestion().steps, "Steps of --estimate integrated")),
         between(1, kAnyNumber,
                 askCount("top", kShownEdges, "How many edges to show, those of largest score")),
         askFlag("exact", "Measure these edges, too, by a run for each"),
         askFlag("circuits",
                 "Measure the networks in which the best edges alone carry the clean prompt, "
                 "and those in which they alone carry the corrupted one"),
         beside("circuits",
                askCounts("sizes", "So many edges each; by default 0, 1, 2, 5, 10 … and all")),
         askMetric()},
        edgeRules(),
        estimateEdges};
}

} // namespace headscope
