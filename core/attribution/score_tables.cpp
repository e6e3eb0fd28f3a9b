#include "core/attribution/score_tables.h"

#include "core/base/text.h"
#include "core/model/prompt.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace headscope {

namespace {

// What columns mean.
constexpr const char* kAddsToScore =
    "What it adds to the score, minus what it adds to the score that this is compared with";
constexpr const char* kShareOfScore =
    "Its share of the score, or of how far the score is above the one it is compared with; "
    "negative: it lowers that";
constexpr const char* kShareThere =
    "Its share of all that arrived there on this side; negative: it lowers that";
constexpr const char* kAsScored =
    "As the score reads it: after norm and rotary, where there are any";
constexpr const char* kBeforeRotary = "After its norm, where there is one";
constexpr const char* kQueryWords =
    "Tokens that reach furthest along the direction that it reads of the query";
constexpr const char* kKeyWords =
    "Tokens that reach furthest along the direction that it reads of the key";

/// Nothing where there is no difference to be a share of.
Value shareOf(double value, double all) {
    return all == 0.0 ? Value() : Value(value / all);
}

std::string wholePercent(double share) {
    return fixedText(100.0 * share, 0) + " %";
}

Value percentOf(double value, double all) {
    return all == 0.0 ? Value() : Value(wholePercent(value / all));
}

std::vector<Field> cellFields(const ScoreQuestion& question, const Provenance& provenance) {
    const char* const names[] = {"nothing", "other keys", "key"};
    return {
        {"head", question.head},
        {"query", question.query},
        {"key", question.key},
        {"against", names[static_cast<std::size_t>(question.contrast)]},
        {"other_key", question.contrast == ScoreContrast::Key ? Value(question.other) : Value()},
        {"prompt", provenance.promptId(), Files::Csv}};
}

/// What a pair of writers adds.
struct PairPart {
    std::size_t query = 0;
    std::size_t key = 0;
    double value = 0.0;
};

std::vector<PairPart> strongestPairs(const ScoreParts& parts) {
    std::vector<PairPart> ranked;
    for (std::size_t q = 0; q < parts.writers.size(); ++q)
        for (std::size_t k = 0; k < parts.writers.size(); ++k)
            ranked.push_back({q, k, parts.values(q, k)});
    std::ranges::stable_sort(ranked, std::greater(),
                             [](const PairPart& part) { return std::abs(part.value); });
    return ranked;
}

List writerList(const ScoreParts& parts, HeadSide side) {
    List list;
    for (const WriterPart& part : parts.ranked(side))
        list.push_back(Record{{"part", writerText(part.writer)},
                              {"value", part.value},
                              {"share", shareOf(part.value, parts.difference())}});
    return list;
}

/// Columns for the screen: what names a part, what it adds, and its share.
void addColumns(Table& table, std::vector<Column> names) {
    table.columns = std::move(names);
    table.columns.push_back({.key = "value", .title = "adds", .meaning = kAddsToScore});
    table.columns.push_back({.key = "share", .title = "share", .meaning = kShareOfScore});
}

/// One row, of as many names as the table has.
void addPart(Table& table, const ScoreParts& parts, TableRow names, double value) {
    names.resize(table.columns.size() - 2);
    names.emplace_back(value);
    names.push_back(percentOf(value, parts.difference()));
    table.rows.push_back(std::move(names));
}

/// The rows of all that is not shown, and of the bias by distance.
void addRest(Table& table, const ScoreParts& parts, double shown) {
    addPart(table, parts, {"all others"}, parts.sum() - parts.distance - shown);
    if (parts.distance != 0.0)
        addPart(table, parts, {"distance"}, parts.distance);
}

std::string wordsText(const std::vector<TokenId>& words, const Model& model) {
    std::vector<std::string> shown;
    std::ranges::transform(words, std::back_inserter(shown),
                           [&](TokenId word) { return displayOutput(model, word); });
    return join(shown, " ");
}

List wordList(const std::vector<TokenId>& words, const Model& model) {
    List list;
    for (const TokenId word : words)
        list.push_back(Record{{"id", word}, {"piece", outputPiece(model, word)}});
    return list;
}

Value sideOfNode(const TraceNode& node) {
    return node.place ? Value(writerText(node.place->writer)) : Value("logit");
}

Value positionOfNode(const TraceNode& node) {
    return node.place ? Value(node.place->position) : Value();
}

Record nodeRecord(const TraceNode& node, const Provenance& provenance) {
    return {{"node", sideOfNode(node)},
            {"position", positionOfNode(node)},
            {"piece", node.place && node.place->position < provenance.pieces.size()
                          ? Value(provenance.pieces[node.place->position])
                          : Value()},
            {"through", node.through},
            {"followed", node.followed},
            {"key", node.key},
            {"weight", node.key ? Value(node.weight) : Value()}};
}

List nodeList(const Trace& trace, const Provenance& provenance) {
    List list;
    for (const TraceNode& node : trace.nodes)
        list.emplace_back(nodeRecord(node, provenance));
    return list;
}

} // namespace

std::string cellText(const ScoreQuestion& question, const Provenance& provenance) {
    return headText(question.head) + ": " + positionText(provenance.pieces, question.query) +
           " reads " + positionText(provenance.pieces, question.key);
}

std::string contrastText(const ScoreQuestion& question, const Provenance& provenance) {
    switch (question.contrast) {
    case ScoreContrast::Nothing:
        return "";
    case ScoreContrast::OtherKeys:
        return "the other keys";
    case ScoreContrast::Key:
        return positionText(provenance.pieces, question.other);
    }
    return "";
}

std::string scoreSentence(const ScoreParts& parts, const Provenance& provenance) {
    const ScoreQuestion& question = parts.question;
    const std::string cell = "Head " + headText(question.head) + " gives " +
                             wholePercent(parts.weight) + " of " +
                             positionText(provenance.pieces, question.query) + " to " +
                             positionText(provenance.pieces, question.key);
    const double all = parts.difference();
    const bool alone = question.contrast == ScoreContrast::Nothing;
    std::string compared = "its score is " + fixedText(parts.score, 2);
    if (!alone)
        compared += ", " + fixedText(std::abs(all), 2) + (all < 0.0 ? " below " : " above ") +
                    contrastText(question, provenance);
    const auto strongest = [&](HeadSide side) {
        const WriterPart part = parts.most(side);
        return writerText(part.writer) + " (" +
               wholePercent(all == 0.0 ? 0.0 : parts.share(part.value)) + ")";
    };
    return cell + ": " + compared + ". Most of that comes from what " + strongest(HeadSide::Key) +
           " wrote where the key is, and from what " + strongest(HeadSide::Query) +
           " wrote where the query is.";
}

Table scoreTable(const ScoreParts& parts, const Model& model, const Provenance& provenance) {
    Table table;
    table.caption = model.name + ": " + scoreSentence(parts, provenance);
    table.key = "parts";
    table.columns = {{.key = "query_part", .title = "read by the query"},
                     {.key = "key_part", .title = "read by the key"},
                     {.key = "value", .title = "adds", .meaning = kAddsToScore},
                     {.key = "share", .title = "share", .decimals = 2, .meaning = kShareOfScore}};
    for (const PairPart& part : strongestPairs(parts))
        table.rows.push_back({writerText(parts.writers[part.query]),
                              writerText(parts.writers[part.key]), part.value,
                              shareOf(part.value, parts.difference())});
    table.fields = cellFields(parts.question, provenance);
    const std::vector<Field> more{{"score", parts.score},
                                  {"reference", parts.reference},
                                  {"difference", parts.difference()},
                                  {"weight", parts.weight},
                                  {"distance", parts.distance},
                                  {"capped", parts.capped},
                                  {"query_parts", writerList(parts, HeadSide::Query), Files::Json},
                                  {"key_parts", writerList(parts, HeadSide::Key), Files::Json}};
    table.fields.insert(table.fields.end(), more.begin(), more.end());
    table.provenance = provenance;
    return table;
}

Table sideTable(const ScoreParts& parts, HeadSide side, std::size_t count,
                const Provenance& provenance) {
    const bool query = side == HeadSide::Query;
    const std::size_t position = query ? parts.question.query : parts.question.key;
    Table table;
    table.caption = std::string("What the ") + (query ? "query" : "key") + " reads, at " +
                    positionText(provenance.pieces, position) + ":";
    addColumns(table, {{.key = "part", .title = "written by"}});
    double shown = 0.0;
    const std::vector<WriterPart> ranked = parts.ranked(side);
    for (const WriterPart& part : std::span(ranked).first(std::min(count, ranked.size()))) {
        shown += part.value;
        addPart(table, parts, {writerText(part.writer)}, part.value);
    }
    addRest(table, parts, shown);
    table.provenance = provenance;
    return table;
}

Table pairsTable(const ScoreParts& parts, std::size_t count, const Provenance& provenance) {
    Table table;
    table.caption = "Pairs, query times key:";
    addColumns(table, {{.key = "query_part", .title = "read by the query"},
                       {.key = "key_part", .title = "read by the key"}});
    double shown = 0.0;
    const std::vector<PairPart> ranked = strongestPairs(parts);
    for (const PairPart& part : std::span(ranked).first(std::min(count, ranked.size()))) {
        shown += part.value;
        addPart(table, parts,
                {writerText(parts.writers[part.query]), writerText(parts.writers[part.key])},
                part.value);
    }
    addRest(table, parts, shown);
    table.provenance = provenance;
    return table;
}

Table signalsTable(const ScoreSignals& found, const Model& model, const Provenance& provenance) {
    Table table;
    const std::size_t carrying = found.carrying(0.9);
    table.caption = std::to_string(carrying) + " of " + std::to_string(found.directions.size()) +
                    " directions carry 90 % of the difference:";
    table.key = "signals";
    table.columns = {
        {.key = "rank", .title = "direction", .meaning = "1: the one that adds most, by magnitude"},
        {.key = "singular_value",
         .title = "singular value",
         .meaning =
             "Singular value of W_Q · R · W_Kᵀ with gains of norms; R turns by the distance"},
        {.key = "value", .title = "adds", .meaning = kAddsToScore},
        {.key = "share", .title = "share", .decimals = 2, .meaning = kShareOfScore},
        {.key = "query_words", .files = Files::Json, .meaning = kQueryWords},
        {.key = "key_words", .files = Files::Json, .meaning = kKeyWords},
        {.key = "query words", .title = "query like", .files = Files::None, .meaning = kQueryWords},
        {.key = "key words", .title = "key like", .files = Files::None, .meaning = kKeyWords}};
    std::size_t rank = 0;
    for (const ScoreSignal& signal : found.directions)
        table.rows.push_back(
            {++rank, signal.singular_value, signal.part, shareOf(signal.part, found.difference),
             wordList(signal.query_words, model), wordList(signal.key_words, model),
             wordsText(signal.query_words, model), wordsText(signal.key_words, model)});
    table.fields = cellFields(found.question, provenance);
    table.fields.push_back({"difference", found.difference});
    table.fields.push_back({"distance", found.distance});
    table.fields.push_back({"rest", found.rest});
    table.fields.push_back({"carrying_90", carrying});
    table.provenance = provenance;
    return table;
}

Table dimensionsTable(const ScoreDimensions& dimensions, const Model& model,
                      const Provenance& provenance) {
    Table table;
    table.caption = model.name + ": " + cellText(dimensions.question, provenance) +
                    ", by dimension of the head:";
    table.key = "dimensions";
    table.columns = {
        {.key = "dimension", .title = "dimension"},
        {.key = "query", .title = "query", .meaning = kAsScored},
        {.key = "key",
         .title = "key",
         .meaning = "The key minus the one it is compared with, times the factor of a soft-cap"},
        {.key = "value", .title = "adds", .meaning = "scale · query · key"}};
    for (std::size_t i = 0; i < dimensions.parts.size(); ++i)
        table.rows.push_back({i, dimensions.query[i], dimensions.key[i], dimensions.parts[i]});
    table.fields = cellFields(dimensions.question, provenance);
    nameForCsv(table, "query", "query_position");
    nameForCsv(table, "key", "key_position");
    table.fields.push_back({"distance", dimensions.distance});
    table.provenance = provenance;
    return table;
}

Table queryDimensionsTable(const QueryDimensions& dimensions, const Model& model,
                           const Provenance& provenance) {
    Table table;
    table.caption = model.name + ": " + headText(dimensions.head) + " at " +
                    positionText(provenance.pieces, dimensions.query_position) +
                    ", by key and dimension of the head:";
    table.key = "dimensions";
    table.columns = {
        {.key = "key", .title = "key"},
        {.key = "piece", .title = "token"},
        {.key = "dimension", .title = "dimension"},
        {.key = "query_before", .title = "query before rotary", .meaning = kBeforeRotary},
        {.key = "query", .title = "query", .meaning = kAsScored},
        {.key = "key_before", .title = "key before rotary", .meaning = kBeforeRotary},
        {.key = "key_value", .title = "key value", .meaning = kAsScored},
        {.key = "value",
         .title = "adds",
         .meaning = "scale · query · key value: before soft-cap and bias by distance"}};
    for (std::size_t i = 0; i < dimensions.positions.size(); ++i) {
        const std::size_t key = dimensions.positions.begin + i;
        for (std::size_t d = 0; d < dimensions.query.size(); ++d)
            table.rows.push_back(
                {key, key < provenance.pieces.size() ? Value(provenance.pieces[key]) : Value(), d,
                 dimensions.query_before[d], dimensions.query[d], dimensions.keys_before(i, d),
                 dimensions.keys(i, d), dimensions.parts(i, d)});
    }
    table.fields = {{"head", dimensions.head},
                    {"query_position", dimensions.query_position},
                    {"turned", dimensions.turned},
                    {"prompt", provenance.promptId(), Files::Csv}};
    table.provenance = provenance;
    return table;
}

std::string nodeText(const TraceNode& node, const Provenance& provenance) {
    if (!node.place)
        return "the logit";
    return writerText(node.place->writer) + " at " +
           positionText(provenance.pieces, node.place->position);
}

Table traceTable(const Trace& trace, const Model& model, const Provenance& provenance) {
    Table table;
    const bool logit = std::holds_alternative<LogitTarget>(trace.question.root);
    table.caption = model.name + ": from where " +
                    (logit ? "the logit " + fixedText(trace.root, 4)
                           : cellText(std::get<ScoreQuestion>(trace.question.root), provenance)) +
                    " comes:";
    table.key = "edges";
    table.columns = {
        {.key = "from text", .title = "from", .files = Files::None},
        {.key = "to text", .title = "to", .files = Files::None},
        {.key = "from"},
        {.key = "from_position"},
        {.key = "to"},
        {.key = "to_position"},
        {.key = "side",
         .title = "as",
         .meaning = "query, key: as part of the reader's; value: moved by the reader; "
                    "logit: straight to it"},
        {.key = "value",
         .title = "adds",
         .meaning = "What it adds, in the unit of the score or logit"},
        {.key = "share", .meaning = kShareThere},
        {.key = "share text", .title = "share", .files = Files::None, .meaning = kShareThere}};
    for (const TraceEdge& edge : trace.edges) {
        const TraceNode& from = trace.nodes[edge.from];
        const TraceNode& to = trace.nodes[edge.to];
        table.rows.push_back({nodeText(from, provenance), nodeText(to, provenance),
                              sideOfNode(from), positionOfNode(from), sideOfNode(to),
                              positionOfNode(to), traceSideName(edge.side), edge.value, edge.share,
                              wholePercent(edge.share)});
    }
    List rests;
    for (const TraceRest& rest : trace.rests)
        rests.push_back(
            Record{{"to", rest.to}, {"side", traceSideName(rest.side)}, {"share", rest.share}});
    table.fields = {{"root", trace.root},
                    {"least_share", trace.question.least_share},
                    {"prompt", provenance.promptId(), Files::Csv},
                    {"nodes", nodeList(trace, provenance), Files::Json},
                    {"rests", std::move(rests), Files::Json}};
    table.provenance = provenance;
    return table;
}

Graph traceGraph(const Trace& trace, const Provenance& provenance) {
    Graph graph;
    for (const TraceNode& node : trace.nodes) {
        Record record = nodeRecord(node, provenance);
        record.insert(record.begin(), {"label", nodeText(node, provenance)});
        graph.nodes.push_back(std::move(record));
    }
    for (const TraceEdge& edge : trace.edges)
        graph.edges.push_back(
            {edge.from,
             edge.to,
             {{"side", traceSideName(edge.side)}, {"value", edge.value}, {"share", edge.share}}});
    graph.fields = {{"root", trace.root}, {"least_share", trace.question.least_share}};
    graph.provenance = provenance;
    return graph;
}

} // namespace headscope
