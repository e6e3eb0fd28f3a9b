#include "core/ask/analyses/declared.h"
#include "core/ask/analyses/reading.h"
#include "core/circuits/tables.h"
#include "core/export/provenance.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr double kMostRows = 100'000'000;

/// Weights that are read, and what is noted with them.
struct ReadWeights {
    const Asking& asking;
    const FoldedWeights& weights;
    const Provenance& provenance;
};

std::optional<CompositionKind> kindOf(const Asked& asked) {
    if (!asked.has("kind"))
        return std::nullopt;
    return *std::ranges::find(kCompositionKinds, asked.text("kind"), compositionKindKey);
}

Result<Answer> composition(const ReadWeights& read) {
    const Asked& asked = read.asking.asked;
    std::optional<Offset> offset;
    if (asked.has("offset"))
        offset = static_cast<Offset>(asked.position("offset"));
    const auto scores =
        compositionScores(read.weights, offset, read.asking.progress, read.asking.stop);
    if (!scores)
        return scores.error();
    const auto edges = strongestEdges(*scores, asked.count("top"), kindOf(asked));
    Answer answer{compositionTable(*scores, edges, read.provenance)};
    if (read.weights.spec().positions == PositionKind::Rotary && !scores->offset) {
        answer.shown.push_back(answer.table);
        answer.shown.front().caption +=
            "\nQ- and K-composition of rotary positions are not defined without an offset.";
    }
    return answer;
}

Result<Answer> copying(const ReadWeights& read) {
    const auto copying = measureCopying(read.weights, read.asking.asked.count("top"),
                                        read.asking.progress, read.asking.stop);
    if (!copying)
        return copying.error();
    return Answer{copyingTable(*copying, read.provenance)};
}

Result<Answer> directions(const ReadWeights& read) {
    const Model& model = *read.asking.model;
    const auto head = parseHead(read.asking.asked.text("ov"), model.spec);
    if (!head)
        return head.error();
    auto directions =
        ovDirections(read.weights, *head, read.asking.asked.count("top"), kTokensPerDirection);
    if (!directions)
        return directions.error();
    const HeadDirections of{model, *head, *std::move(directions), read.weights.vocabularyGap()};
    return Answer{directionTable(of, read.provenance), {directionGrid(of, read.provenance)}};
}

Result<Answer> readCircuits(const Asking& asking) {
    const FoldedWeights weights = foldWeights(asking.model);
    Provenance provenance = provenanceOf(*asking.model);
    provenance.note = weights.note;
    const ReadWeights read{asking, weights, provenance};
    if (asking.asked.is("composition"))
        return composition(read);
    return asking.asked.is("copying") ? copying(read) : directions(read);
}

} // namespace

Analysis circuitsAnalysis() {
    return {"circuits",
            "circuits",
            "Read OV and QK circuits from the weights, without a run",
            R"(Reads circuits from the weights, without a run; the ``top`` strongest.

* composition: how strongly heads write to queries, keys and values of later ones, from 0 to
  1; with rotary positions at an ``offset`` of query minus key; of one ``kind`` of the three
* copying: which heads raise the tokens they attend to, from -1 to 1, by the eigenvalues of
  the OV circuit, and how often the best token is the one attended to
* ov: what this head reads and writes, by the singular directions of its OV circuit

>>> m = headscope.open(headscope.sample("induction-circuit"))
>>> t = m.circuits(composition=True, top=2)
>>> list(zip(t.cells("kind"), t.cells("from"), t.cells("to")))
[('K', (0, 0), (1, 0)), ('K', (0, 0), (1, 3))])",
            {askFlag("composition", "Q-, K- and V-composition: how strongly heads write to those "
                                    "of later layers"),
             askFlag("copying", "Which heads copy, that is, raise the tokens they attend to: "
                                "eigenvalues of the OV circuit, and accuracy"),
             askHead("ov", "What head L.H reads and writes, by the singular directions of its OV "
                           "circuit"),
             between(1, kMostRows,
                     askCount("top", 10,
                              "How many edges, heads or directions to list, strongest first")),
             askPosition("offset", "Query position minus key position, for composition with rotary "
                                   "positions"),
             withoutDefault(askChoice("kind", names(kCompositionKinds, compositionKindKey), "",
                                      "Composition of this kind alone: q, k or v, what of the "
                                      "later head is fed"))},
            {{[](const Asked& asked) {
                  return int{asked.is("composition")} + int{asked.is("copying")} +
                             int{asked.has("ov")} !=
                         1;
              },
              "Give exactly one of {composition}, {copying} and {ov}."},
             {[](const Asked& asked) { return asked.has("offset") && !asked.is("composition"); },
              "{offset} belongs to {composition}."},
             {[](const Asked& asked) { return asked.has("kind") && !asked.is("composition"); },
              "{kind} belongs to {composition}."}},
            readCircuits};
}

} // namespace headscope
