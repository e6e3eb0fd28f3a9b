#include "core/interventions/removal_table.h"

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
                    writerText(question.writer) + " gives its " +
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
                    {"part", writerText(question.writer)},
                    {"seed", question.seed},
                    {"prompt", provenance.promptId(), Files::Csv}};
    table.provenance = provenance;
    return table;
}

Result<RemovalQuestion> parseRemoval(std::string_view text, const ScoreQuestion& cell,
                                     const ModelSpec& spec) {
    RemovalQuestion question;
    question.head = cell.head;
    question.query = cell.query;
    question.key = cell.key;
    const std::size_t colon = text.find(':');
    const std::string_view side = text.substr(0, colon);
    const std::string part(colon == std::string_view::npos ? "" : text.substr(colon + 1));
    question.side = side == "query" ? HeadSide::Query : HeadSide::Key;
    const std::vector<StreamWriter> writers = streamWriters(spec, cell.head.layer);
    const auto found = std::ranges::find_if(writers, [&](const StreamWriter& writer) {
        return writerText(writer) == part || writerText(writer) == "head " + part;
    });
    if ((side == "query" || side == "key") && found != writers.end()) {
        question.writer = *found;
        return question;
    }
    return Error{ErrorCode::InvalidArgument,
                 "\"" + std::string(text) + "\" names no part of what head " + headText(cell.head) +
                     " reads; write key: or query: and then a head (3.5), \"mlp 2\" or "
                     "\"embedding\" before its layer."};
}

} // namespace headscope
