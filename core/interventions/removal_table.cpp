#include "core/interventions/removal_table.h"

#include "core/base/text.h"
#include "core/model/prompt.h"

#include <algorithm>
#include <string>
#include <vector>

namespace headscope {

Table removalTable(const PartRemoval& removal, const Model& model, const Provenance& provenance) {
    const RemovalQuestion& question = removal.question;
    Table table;
    table.caption = model.name + ": head " + headText(question.head) + ", from " +
                    positionText(provenance.pieces, question.query) + " to " +
                    positionText(provenance.pieces, question.key) + ", without what " +
                    removedPartText(question.part) + " gives its " +
                    std::string(headSideName(question.side)) + ":";
    table.key = "readings";
    table.columns = {{.key = "reading", .title = "read"},
                     {.key = "score", .title = "score"},
                     {.key = "weight", .title = "weight"},
                     {.key = "kl", .title = "KL of the prediction", .unit = "nats"}};
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
