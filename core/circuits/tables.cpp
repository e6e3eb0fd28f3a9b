#include "core/circuits/tables.h"

#include "core/base/text.h"
#include "core/model/prompt.h"

#include <string>
#include <utility>

namespace headscope {

namespace {

constexpr const char* kCopyingScore = "Σ Re λ / Σ |λ| of the full OV circuit, −1 to 1";

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
    table.columns = {
        {.key = "kind",
         .title = "kind",
         .meaning = "Whether the first head feeds the queries, keys or values of the second"},
        {.key = "from", .title = "from"},
        {.key = "to", .title = "to"},
        {.key = "score",
         .title = "score",
         .meaning = "0 to 1: ‖A · B‖ / (‖A‖ · ‖B‖), A = W_OV of the first head, B = W_QK, W_QKᵀ or "
                    "W_OV of the second"},
        {.key = "baseline",
         .files = Files::Csv,
         .meaning = "The mean score of random matrices of these shapes"},
        {.key = "above_baseline",
         .title = "above baseline",
         .meaning = "The score less that of random matrices"}};
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
                      .meaning = kCopyingScore},
                     {.key = "score", .files = Files::Json, .meaning = kCopyingScore},
                     {.key = "top1",
                      .title = "top 1",
                      .decimals = 3,
                      .meaning = "Share of the sampled tokens whose own entry is the largest of "
                                 "their row of the full OV circuit"},
                     {.key = "top5",
                      .title = "top 5",
                      .decimals = 3,
                      .meaning = "Share of the sampled tokens whose own entry is among the five "
                                 "largest of their row"},
                     {.key = "eigenvalues",
                      .files = Files::Json,
                      .meaning = "Eigenvalues of the full OV circuit, real and imaginary part"}};
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
    table.columns = {
        {.key = "head"},
        {.key = "direction", .meaning = "0: the one with the largest singular value"},
        {.key = "singular_value", .meaning = "Singular value of W_OV"},
        {.key = "side", .meaning = "What the head reads (u), or what it then writes (v)"},
        {.key = "token"},
        {.key = "piece"},
        {.key = "value",
         .meaning = "How far the token reaches along that side: W_E · u or W_U · v"}};
    List directions;
    for (std::size_t i = 0; i < of.directions.size(); ++i) {
        const OvDirection& direction = of.directions[i];
        const auto add = [&](const char* side, std::span<const TokenAlong> readings,
                             PieceOf piece) {
            if (readings.empty())
                table.rows.push_back({of.head, i, direction.singular_value, side, {}, {}, {}});
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
    table.caption =
        of.model.name + " " + headText(of.head) + ": singular directions of OV" +
        (of.vocabulary_gap.empty() ? ", read through the vocabulary. "
                                   : ". The model has no " + of.vocabulary_gap +
                                         " to tell all that its heads read and write in tokens. ") +
        provenance.note;
    table.columns = {{.key = "singular_value",
                      .title = "strength",
                      .decimals = 3,
                      .meaning = "The singular value of W_OV"},
                     {.key = "reads",
                      .title = "reads",
                      .meaning = "The tokens with the largest W_E · u, largest first"},
                     {.key = "writes",
                      .title = "writes",
                      .meaning = "The tokens with the largest W_U · v, largest first"}};
    for (const OvDirection& direction : of.directions)
        table.rows.push_back({direction.singular_value,
                              shownList(of.model, direction.reads, displayToken),
                              shownList(of.model, direction.writes, displayOutput)});
    table.provenance = provenance;
    return table;
}

} // namespace headscope
