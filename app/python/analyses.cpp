#include "app/python/analyses.h"

#include "app/python/open_model.h"
#include "app/python/questions.h"
#include "app/python/waiting.h"
#include "core/circuits/tables.h"
#include "core/export/provenance.h"
#include "core/export/verify_report.h"
#include "core/interventions/prompt_set.h"
#include "core/io/atomic_file.h"
#include "core/verify/verify.h"

#include <pybind11/stl.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::python {

namespace {

Result<PromptSet> readSet(const Model& model, const std::filesystem::path& path, BosMode bos) {
    const auto text = readTextFile(path, kLargestPromptSetBytes);
    if (!text)
        return text.error();
    return readPromptSet(model, *text, path.filename().string(), bos);
}

Table promptSet(const OpenModel& open, const Words& words, py::object progress) {
    const Model& model = *open.model;
    const HeadMask mask = valueOrRaise(maskOf(model, words.text("ablate"), words.text("ablation")));
    std::optional<HeadReadingChoice> choice;
    if (const auto score = words.maybe<std::string>("score"))
        choice = valueOrRaise(parseHeadReading(*score, model.spec));
    const std::string bos = words.text("bos");
    PromptSet set{"the given prompts", promptsOf(model, words.list("prompts"), bos), {}};
    Watch watch(std::move(progress));
    if (const auto file = words.maybe<std::string>("file"))
        set = finish<PromptSet>(watch, [&] { return readSet(model, *file, bosNamed(bos)); });
    const auto result = finish<PromptSetResult>(watch, [&] {
        return runPromptSet(open.model, std::move(set), mask, watch.progress(), watch.stop());
    });
    return promptSetTable(result, choice, provenanceOf(model, {}, mask));
}

} // namespace

void bindAnalyses(py::module_& module) {
    module.def(
        "prompts",
        [](const OpenModel& open, py::dict words, py::object progress) {
            return promptSet(open, Words(std::move(words)), std::move(progress));
        },
        py::arg("model"), py::arg("words"), py::arg("progress"));
}

namespace {

/// Weights with everything linear folded in, which takes as much memory as the attention's.
FoldedWeights foldedOf(const OpenModel& open, Watch& watch) {
    return finish<FoldedWeights>(watch,
                                 [&] { return Result<FoldedWeights>(foldWeights(open.model)); });
}

Provenance provenanceOfWeights(const OpenModel& open, const FoldedWeights& weights) {
    Provenance provenance = provenanceOf(*open.model);
    provenance.note = weights.note;
    return provenance;
}

/// "q", "k" or "v"; nothing for all of them.
std::optional<CompositionKind> kindNamed(const std::optional<std::string>& name) {
    if (!name)
        return std::nullopt;
    if (*name == "q")
        return CompositionKind::Q;
    return *name == "k" ? CompositionKind::K : CompositionKind::V;
}

Table composition(const OpenModel& open, std::size_t top, std::optional<Offset> offset,
                  const std::optional<std::string>& only, py::object progress) {
    Watch watch(std::move(progress));
    const FoldedWeights weights = foldedOf(open, watch);
    const auto scores = finish<CompositionScores>(
        watch, [&] { return compositionScores(weights, offset, watch.progress(), watch.stop()); });
    return compositionTable(scores, strongestEdges(scores, top, kindNamed(only)),
                            provenanceOfWeights(open, weights));
}

Table copying(const OpenModel& open, std::size_t top, py::object progress) {
    Watch watch(std::move(progress));
    const FoldedWeights weights = foldedOf(open, watch);
    const auto measured = finish<MeasuredCopying>(
        watch, [&] { return measureCopying(weights, top, watch.progress(), watch.stop()); });
    return copyingTable(measured, provenanceOfWeights(open, weights));
}

Table directions(const OpenModel& open, const std::string& head, std::size_t top) {
    const LayerHead of = valueOrRaise(parseHead(head, open.spec()));
    Watch watch(py::none{});
    const FoldedWeights weights = foldedOf(open, watch);
    auto found = finish<std::vector<OvDirection>>(
        watch, [&] { return ovDirections(weights, of, top, kTokensPerDirection); });
    return directionTable({*open.model, of, std::move(found), weights.vocabularyGap()},
                          provenanceOfWeights(open, weights));
}

} // namespace

void bindCircuits(py::module_& module) {
    module.def("composition", composition, py::arg("model"), py::arg("top"), py::arg("offset"),
               py::arg("only"), py::arg("progress"));
    module.def("copying", copying, py::arg("model"), py::arg("top"), py::arg("progress"));
    module.def("directions", directions, py::arg("model"), py::arg("head"), py::arg("top"));
}

namespace {

py::object verified(const OpenModel* open, const std::optional<std::string>& reference,
                    const std::string& date, py::object progress) {
    VerifyOptions options;
    if (open)
        options.model = open->model;
    if (reference)
        options.reference = *reference;
    options.date = date;
    Watch watch(std::move(progress));
    const auto report = finish<VerifyReport>(
        watch, [&] { return verify(options, watch.progress(), watch.stop()); });
    return py::module_::import("json").attr("loads")(verifyJson(report));
}

} // namespace

void bindVerification(py::module_& module) {
    module.def("verify", verified, py::arg("model").none(true), py::arg("reference"),
               py::arg("date"), py::arg("progress"));
}

} // namespace headscope::python
