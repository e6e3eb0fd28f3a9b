#include "app/python/circuits.h"

#include "app/python/open_model.h"
#include "app/python/waiting.h"
#include "core/circuits/tables.h"
#include "core/export/provenance.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::python {

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
    return directionTable({*open.model, of, std::move(found)}, provenanceOfWeights(open, weights));
}

} // namespace

void bindCircuits(py::module_& module) {
    module.def("composition", composition, py::arg("model"), py::arg("top"), py::arg("offset"),
               py::arg("only"), py::arg("progress"));
    module.def("copying", copying, py::arg("model"), py::arg("top"), py::arg("progress"));
    module.def("directions", directions, py::arg("model"), py::arg("head"), py::arg("top"));
}

} // namespace headscope::python
