#include "app/python/interventions.h"

#include "app/python/open_model.h"
#include "app/python/questions.h"
#include "app/python/waiting.h"
#include "core/export/provenance.h"
#include "core/interventions/edge_patching.h"
#include "core/interventions/question_words.h"
#include "core/interventions/tables.h"
#include "core/interventions/token_table.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace headscope::python {

namespace {

EffectMethod methodOf(const Words& words) {
    return words.text("method") == "gradient" ? EffectMethod::Gradient : EffectMethod::Exact;
}

SweepQuestion sweepQuestion(const Model& model, const Prompt& prompt, const Words& words) {
    SweepQuestion question;
    question.prompts = {prompt.ids};
    question.units = valueOrRaise(parseHeadSets(words.text("heads"), model.spec));
    for (const Prompt& other : promptsOf(model, words.list("others"), words.text("bos")))
        question.references.push_back(other.ids);
    chooseSweepKind(question, words.text("ablation"));
    question.metric = metricOf(model, words, prompt.ids);
    question.method = methodOf(words);
    return question;
}

Table sweep(const OpenModel& open, const Words& words, py::object progress) {
    const Model& model = *open.model;
    const Prompt prompt = valueOrRaise(promptOf(model, words.at("prompt"), words.text("bos")));
    const SweepQuestion question = sweepQuestion(model, prompt, words);
    Watch watch(std::move(progress));
    const SweepResult result = finish<SweepResult>(
        watch, [&] { return sweepHeads(open.model, question, watch.progress(), watch.stop()); });
    Provenance provenance = provenanceOf(model, prompt, {});
    provenance.ablation = sweepText(result.question);
    return sweepTable(result, provenance);
}

/// The two prompts of patching.
struct PromptPair {
    Prompt clean;
    Prompt corrupted;
};

PromptPair pairOf(const Model& model, const Words& words) {
    const std::string bos = words.text("bos");
    return {valueOrRaise(promptOf(model, words.at("clean"), bos)),
            valueOrRaise(promptOf(model, words.at("corrupted"), bos))};
}

Table patch(const OpenModel& open, const Words& words, py::object progress) {
    const Model& model = *open.model;
    const PromptPair prompts = pairOf(model, words);
    const auto by = words.read<std::vector<std::string>>("by");
    PatchQuestion question;
    question.clean = prompts.clean.ids;
    question.corrupted = prompts.corrupted.ids;
    question.hook = valueOrRaise(parseHookKind(words.text("hook"), model.spec));
    question.by_position = std::ranges::find(by, "position") != by.end();
    question.by_head = std::ranges::find(by, "head") != by.end();
    question.metric = metricOf(model, words, question.clean);
    question.method = methodOf(words);
    Watch watch(std::move(progress));
    const PatchResult result = finish<PatchResult>(watch, [&] {
        return patchActivations(open.model, question, watch.progress(), watch.stop());
    });
    return patchTable(result, model.spec, provenanceOf(model, prompts.clean, {}));
}

Table patchPath(const OpenModel& open, const Words& words, py::object progress) {
    const Model& model = *open.model;
    const PromptPair prompts = pairOf(model, words);
    PathQuestion question;
    question.original = prompts.clean.ids;
    question.other = prompts.corrupted.ids;
    question.senders = valueOrRaise(parseSenders(words.text("senders"), model.spec));
    question.receivers = valueOrRaise(parseReceivers(words.text("receivers"), model.spec));
    question.metric = metricOf(model, words, question.original);
    Watch watch(std::move(progress));
    const PathResult result = finish<PathResult>(
        watch, [&] { return patchPaths(open.model, question, watch.progress(), watch.stop()); });
    return pathTable(result, provenanceOf(model, prompts.clean, {}));
}

EdgeQuestion edgeQuestion(const Model& model, const PromptPair& prompts, const Words& words) {
    const std::vector<EdgeEstimate> known = edgeEstimates();
    const auto estimate = std::ranges::find(known, words.text("estimate"), edgeEstimateName);
    return {prompts.clean.ids, prompts.corrupted.ids, metricOf(model, words, prompts.clean.ids),
            estimate == known.end() ? EdgeEstimate::Slope : *estimate, words.count("steps")};
}

Table edges(const OpenModel& open, const Words& words, py::object progress) {
    const PromptPair prompts = pairOf(*open.model, words);
    const EdgeQuestion question = edgeQuestion(*open.model, prompts, words);
    const Provenance provenance = provenanceOf(*open.model, prompts.clean, {});
    const auto top = words.count("top");
    Watch watch(std::move(progress));
    const EdgeResult result = finish<EdgeResult>(watch, [&] {
        return attributeEdges(open.model, question, watch.progress(), watch.stop());
    });
    const std::vector<Edge> best = result.best(top);
    std::vector<double> exact;
    if (words.is("exact"))
        exact = finish<std::vector<double>>(watch, [&] {
            return patchEdges(open.model, result, best, watch.progress(), watch.stop());
        });
    return edgeTable(result, best, exact, provenance);
}

Table edgeCircuits(const OpenModel& open, const Words& words, py::object progress) {
    const PromptPair prompts = pairOf(*open.model, words);
    const EdgeQuestion question = edgeQuestion(*open.model, prompts, words);
    const Provenance provenance = provenanceOf(*open.model, prompts.clean, {});
    auto sizes = words.read<std::vector<std::size_t>>("sizes");
    Watch watch(std::move(progress));
    const EdgeResult result = finish<EdgeResult>(watch, [&] {
        return attributeEdges(open.model, question, watch.progress(), watch.stop());
    });
    if (sizes.empty())
        sizes = circuitSizes(result);
    const auto circuits = finish<std::vector<EdgeCircuit>>(watch, [&] {
        return measureEdgeCircuits(open.model, result, sizes, watch.progress(), watch.stop());
    });
    return edgeCircuitTable(result, circuits, provenance);
}

Table tokenDependenceOf(const OpenModel& open, const Words& words, py::object progress) {
    const Model& model = *open.model;
    const Prompt prompt = valueOrRaise(promptOf(model, words.at("prompt"), words.text("bos")));
    AskedMetric metric = askedMetric(words);
    TokenWords asked;
    asked.metric = std::move(metric.words);
    asked.weight = words.maybe<std::string>("weight");
    asked.score = words.maybe<std::string>("score");
    if (const py::object replace = words.at("replace"); !replace.is_none()) {
        const TokenWord word = wordOf(replace);
        asked.replace = word.text;
        metric.as_ids = word.is_id;
    }
    asked.replace_mean = words.is("replace_mean");
    asked.methods = words.read<std::vector<std::string>>("methods");
    asked.steps = words.count("steps");
    const TokenQuestion question =
        valueOrRaise(readTokenQuestion(model, asked, prompt.ids, metric.as_ids));
    Watch watch(std::move(progress));
    const TokenDependence result = finish<TokenDependence>(watch, [&] {
        return tokenDependence(open.model, question, watch.progress(), watch.stop());
    });
    return tokenTable(result, model, provenanceOf(model, prompt, {}));
}

} // namespace

void bindInterventions(py::module_& module) {
    using Analysis = Table (*)(const OpenModel&, const Words&, py::object);
    const auto define = [&module](const char* name, Analysis analysis) {
        module.def(
            name,
            [analysis](const OpenModel& open, py::dict words, py::object progress) {
                return analysis(open, Words(std::move(words)), std::move(progress));
            },
            py::arg("model"), py::arg("words"), py::arg("progress"));
    };
    define("sweep", sweep);
    define("patch", patch);
    define("patch_path", patchPath);
    define("edges", edges);
    define("edge_circuits", edgeCircuits);
    define("token_dependence", tokenDependenceOf);
}

} // namespace headscope::python
