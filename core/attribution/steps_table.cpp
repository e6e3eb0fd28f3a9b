#include "core/attribution/tables.h"
#include "core/base/text.h"
#include "core/model/prompt.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr std::size_t kShownNumbers = 8; ///< of a vector

List rowOf(const DoubleMatrix& matrix, std::size_t row) {
    return listOf(std::span(matrix.values).subspan(row * matrix.cols, matrix.cols));
}

List rowsOf(const DoubleMatrix& matrix) {
    List rows;
    for (std::size_t row = 0; row < matrix.rows; ++row)
        rows.emplace_back(rowOf(matrix, row));
    return rows;
}

Value tokensOf(std::span<const WrittenToken> tokens, const Model& model) {
    List list;
    for (const WrittenToken& token : tokens)
        list.emplace_back(Record{
            {"id", token.id}, {"piece", outputPiece(model, token.id)}, {"change", token.change}});
    return list;
}

TableRow keyRow(const HeadSteps& steps, std::size_t index, const Provenance& provenance) {
    const KeySteps& key = steps.keys[index];
    const std::size_t position = steps.dimensions.positions.begin + index;
    return {position,
            position < provenance.pieces.size() ? Value(provenance.pieces[position]) : Value(),
            key.product,
            key.scaled,
            key.capped,
            key.score,
            key.exponential,
            key.weight,
            rowOf(steps.dimensions.keys_before, index),
            rowOf(steps.dimensions.keys, index),
            rowOf(steps.values, index)};
}

std::string captionOf(const HeadSteps& steps, const Model& model, const Provenance& provenance) {
    std::string caption = model.name + ": inside " + headText(steps.question.head) + " at " +
                          positionText(provenance.pieces, steps.question.query);
    if (steps.isWhatIf())
        caption += ", what if the temperature were " + numberText(steps.question.temperature);
    if (steps.is_ablated)
        caption += ", which is ablated";
    return caption + ":";
}

std::vector<Field> fieldsOf(const HeadSteps& steps, const Model& model,
                            const Provenance& provenance) {
    const auto [head, query, temperature] = steps.question;
    std::vector<Field> fields{{"layer", head.layer},
                              {"head", head.head},
                              {"query", query},
                              {"temperature", temperature},
                              {"scale", steps.scale},
                              {"softcap", steps.softcap},
                              {"largest", steps.largest},
                              {"sum", steps.sum},
                              {"sink", steps.sink},
                              {"ablated", steps.is_ablated},
                              {"prompt", provenance.prompt_text}};
    const auto inJson = [&](const char* key, Value value) {
        fields.push_back({key, std::move(value), Files::Json});
    };
    inJson("stream", listOf(steps.stream));
    inJson("read", listOf(steps.read));
    inJson("query_before", listOf(steps.dimensions.query_before));
    inJson("query_vector", listOf(steps.dimensions.query));
    inJson("z", listOf(steps.z));
    inJson("heads", listOf(steps.heads));
    inJson("concatenation", rowsOf(steps.all_z));
    inJson("head_output", listOf(steps.head_output));
    inJson("layer_output", listOf(steps.layer_output));
    if (steps.writes) {
        inJson("raised", tokensOf(steps.writes->raised, model));
        inJson("lowered", tokensOf(steps.writes->lowered, model));
    }
    return fields;
}

/// "0.1234 −1.5000 … (62 more)"
std::string shownVector(std::span<const double> values) {
    std::string text;
    for (const double value : values.first(std::min(values.size(), kShownNumbers)))
        text += (text.empty() ? "" : " ") + fixedText(value, 4);
    if (values.size() > kShownNumbers)
        text += " … (" + std::to_string(values.size() - kShownNumbers) + " more)";
    return text;
}

/// "·Mary 3.20, ·John 2.05"
std::string shownTokens(std::span<const WrittenToken> tokens, const Model& model) {
    std::string text;
    for (const WrittenToken& token : tokens)
        text += (text.empty() ? "" : ", ") + displayOutput(model, token.id) + " " +
                fixedText(static_cast<double>(token.change), 2);
    return text;
}

Table vectorsShown(const HeadSteps& steps, const Model& model) {
    Table table;
    table.columns = {{.key = "vector", .title = "vector"}, {.key = "values", .title = "values"}};
    const auto add = [&](std::string_view name, std::span<const double> values) {
        if (!values.empty())
            table.rows.push_back({name, shownVector(values)});
    };
    add("stream at the query", steps.stream);
    add("what W_Q reads", steps.read);
    if (steps.dimensions.turned)
        add("query before rotation", steps.dimensions.query_before);
    add("query", steps.dimensions.query);
    add("sum of weight · value", steps.z);
    add("times W_O", steps.head_output);
    add("added by all heads", steps.layer_output);
    if (steps.writes) {
        table.rows.push_back({"raises the logits of", shownTokens(steps.writes->raised, model)});
        table.rows.push_back({"lowers the logits of", shownTokens(steps.writes->lowered, model)});
    }
    return table;
}

} // namespace

Table stepsTable(const HeadSteps& steps, const Model& model, const Provenance& provenance) {
    Table table;
    table.caption = captionOf(steps, model, provenance);
    table.key = "keys";
    table.columns = {
        {.key = "key", .title = "key"},
        {.key = "piece", .title = "token"},
        {.key = "product", .title = "q · k"},
        {.key = "scaled", .title = "scaled", .meaning = "q · k times the scale"},
        {.key = "capped", .title = "capped", .meaning = "After the soft-cap"},
        {.key = "score", .title = "score", .meaning = "With the bias by distance"},
        {.key = "exponential", .title = "exp", .meaning = "exp((score − largest) / temperature)"},
        {.key = "weight", .title = "weight", .meaning = "The exponential, divided by their sum"},
        {.key = "key_before", .files = Files::Json, .meaning = "The key before its rotation"},
        {.key = "key_vector", .files = Files::Json},
        {.key = "value_vector", .files = Files::Json}};
    for (std::size_t i = 0; i < steps.keys.size(); ++i)
        table.rows.push_back(keyRow(steps, i, provenance));
    table.fields = fieldsOf(steps, model, provenance);
    table.provenance = provenance;
    return table;
}

std::vector<Table> stepsShown(const HeadSteps& steps, const Model& model, Table keys) {
    if (steps.softcap == 0.0)
        keys.columns[keys.column("capped")].title.clear();
    if (!steps.has_distance && !steps.sink)
        keys.columns[keys.column("score")].title.clear();
    if (steps.sink) {
        TableRow sink(keys.columns.size());
        sink[keys.column("piece")] = "(sink)";
        sink[keys.column("score")] = *steps.sink;
        sink[keys.column("exponential")] = steps.sink_exponential;
        sink[keys.column("weight")] = steps.sink_exponential / steps.sum;
        keys.rows.push_back(std::move(sink));
    }
    return {std::move(keys), vectorsShown(steps, model)};
}

} // namespace headscope
