#include "core/circuits/tables.h"

#include "core/base/text.h"
#include "core/model/prompt.h"

#include <string>
#include <utility>

namespace headscope {

namespace {

/// What heads read are tokens; what they write may be classes.
using PieceOf = std::string (*)(const Model&, TokenId);

List readingList(const Model& model, std::span<const TokenAlong> readings, PieceOf piece) {
    List list;
    for (const TokenAlong& reading : readings)
        list.push_back(Record{{"piece", piece(model, reading.token)},
                              {"token", reading.token},
                              {"value", reading.value}});
    return list;
}

std::string displayToken(const Model& model, TokenId id) {
    return displayPiece(tokenPiece(model, id));
}

List shownList(const Model& model, std::span<const TokenAlong> readings, PieceOf shown) {
    List pieces;
    for (const TokenAlong& reading : readings)
        pieces.emplace_back(shown(model, reading.token));
    return pieces;
}

} // namespace

Table compositionTable(const CompositionScores& scores, std::span<const CompositionEdge> edges,
                       const Provenance& provenance) {
    Table table;
    table.caption = provenance.model_name +
                    ": composition scores; the baseline of random matrices " + "is " +
                    fixedText(scores.baseline, 4) + ". " + provenance.note;
    table.key = "edges";
    table.columns = {{.key = "kind", .title = "kind"},
                     {.key = "from", .title = "from"},
                     {.key = "to", .title = "to"},
                     {.key = "score", .title = "score"},
                     {.key = "baseline", .files = Files::Csv},
                     {.key = "above_baseline", .title = "above baseline"}};
    for (const CompositionEdge& edge : edges)
        table.rows.push_back({compositionKindName(edge.kind), edge.from, edge.to, edge.score,
                              scores.baseline, edge.above_baseline});
    table.fields = {{"offset", scores.offset},
                    {"baseline", scores.baseline, Files::Json},
                    {"folding", provenance.note, Files::Csv}};
    table.provenance = provenance;
    return table;
}

Table copyingTable(const MeasuredCopying& copying, const Provenance& provenance) {
    const VocabularySample& sample = copying.sample;
    Table table;
    table.caption = provenance.model_name + ": copying by OV eigenvalues, and accuracy on " +
                    std::to_string(sample.rows.size()) + " tokens drawn with seed " +
                    std::to_string(sample.seed) + " of " + std::to_string(sample.d_vocab) + ". " +
                    provenance.note;
    table.key = "heads";
    table.columns = {{.key = "head", .title = "head", .files = Files::Csv},
                     {.key = "layer", .files = Files::Json},
                     {.key = "head", .files = Files::Json},
                     {.key = "copying_score",
                      .title = "eigenvalues",
                      .files = Files::Csv,
                      .decimals = 3,
                      .meaning = "Σ Re λ / Σ |λ| of the full OV circuit"},
                     {.key = "score", .files = Files::Json},
                     {.key = "top1", .title = "top 1", .decimals = 3},
                     {.key = "top5", .title = "top 5", .decimals = 3},
                     {.key = "eigenvalues", .files = Files::Json}};
    for (std::size_t i = 0; i < copying.heads.size(); ++i) {
        const HeadCopying& of = copying.heads[i];
        const MatchAccuracy& accuracy = copying.accuracies[i];
        List eigenvalues;
        for (const std::complex<double> lambda : of.eigenvalues)
            eigenvalues.push_back(List{lambda.real(), lambda.imag()});
        table.rows.push_back({of.head, of.head.layer, of.head.head, of.score, of.score,
                              accuracy.top1, accuracy.top5, std::move(eigenvalues)});
    }
    table.fields = {
        {"sampled_rows", sample.rows.size(), Files::Csv},
        {"seed", sample.seed, Files::Csv},
        {"sample", Record{{"rows", sample.rows.size()}, {"seed", sample.seed}}, Files::Json},
        {"folding", provenance.note, Files::Csv}};
    table.provenance = provenance;
    return table;
}

Table directionTable(const HeadDirections& of, const Provenance& provenance) {
    Table table;
    table.columns = {{.key = "head"}, {.key = "direction"}, {.key = "singular_value"},
                     {.key = "side"}, {.key = "token"},     {.key = "piece"},
                     {.key = "value"}};
    List directions;
    for (std::size_t i = 0; i < of.directions.size(); ++i) {
        const OvDirection& direction = of.directions[i];
        const auto add = [&](const char* side, std::span<const TokenAlong> readings,
                             PieceOf piece) {
            for (const TokenAlong& reading : readings)
                table.rows.push_back({of.head, i, direction.singular_value, side, reading.token,
                                      piece(of.model, reading.token), reading.value});
        };
        add("reads", direction.reads, tokenPiece);
        add("writes", direction.writes, outputPiece);
        directions.push_back(
            Record{{"reads", readingList(of.model, direction.reads, tokenPiece)},
                   {"singular_value", direction.singular_value},
                   {"writes", readingList(of.model, direction.writes, outputPiece)}});
    }
    table.fields = {{"folding", provenance.note, Files::Csv},
                    {"head", of.head.head, Files::Json},
                    {"layer", of.head.layer, Files::Json},
                    {"directions", std::move(directions), Files::Json}};
    table.provenance = provenance;
    return table;
}

Table directionGrid(const HeadDirections& of, const Provenance& provenance) {
    Table table;
    table.caption = of.model.name + " " + headText(of.head) +
                    ": singular directions of OV, read through the vocabulary. " + provenance.note;
    table.columns = {{.key = "singular_value", .title = "strength", .decimals = 3},
                     {.key = "reads", .title = "reads"},
                     {.key = "writes", .title = "writes"}};
    for (const OvDirection& direction : of.directions)
        table.rows.push_back({direction.singular_value,
                              shownList(of.model, direction.reads, displayToken),
                              shownList(of.model, direction.writes, displayOutput)});
    table.provenance = provenance;
    return table;
}

} // namespace headscope
