#include "core/pruning/tables.h"

#include "core/base/text.h"
#include "core/model/prompt.h"

#include <string>
#include <utility>

namespace headscope {

namespace {

List headsLeftInLayers(const HeadSet& removed, const ModelSpec& spec) {
    List left;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        left.emplace_back(placesLeft(spec, removed, layer).size());
    return left;
}

Record verdictRecord(const ShareVerdict& verdict) {
    return {{"order", verdict.order},
            {"share", verdict.share},
            {"low", verdict.interval.low},
            {"high", verdict.interval.high},
            {"whole_curve", verdict.whole_curve}};
}

Record textRecord(const PassageSet& text) {
    return {{"name", text.name},           {"hash", text.hash},
            {"documents", text.documents}, {"passages", text.passages.size()},
            {"tokens", text.tokens},       {"targets", text.targets}};
}

List verdictList(const Verdict& verdict) {
    List list;
    for (const ShareVerdict& order : verdict.orders)
        list.emplace_back(verdictRecord(order));
    if (verdict.random)
        list.emplace_back(verdictRecord(*verdict.random));
    return list;
}

TableRow curveRow(const PruningResult& result, const std::string& order, const CurvePoint& point,
                  const HeadSet& removed, const ModelSpec& spec) {
    TableRow row{order, point.units, removed.size(),
                 static_cast<double>(removed.size()) / static_cast<double>(result.heads)};
    addLossCells(row, result.layout, result.whole.sums, point.sums);
    for (const ChoiceReading& choice : point.choices) {
        row.emplace_back(choice.right);
        row.emplace_back(choice.difference);
    }
    row.emplace_back(headsLeftInLayers(removed, spec));
    row.emplace_back(listOf(removed));
    return row;
}

/// The share of right choices, and the mean difference of logits.
void addChoiceColumns(ChoiceTaskKind kind, std::vector<Column>& columns) {
    const std::string key(choiceTaskKey(kind));
    const bool is_object = kind == ChoiceTaskKind::IndirectObject;
    columns.push_back({.key = key,
                       .title = is_object ? "IO right" : "verb agrees",
                       .decimals = 3,
                       .meaning = is_object ? "Prompts in which the indirect object is likelier "
                                              "than the subject; baseline: 0.5"
                                            : "Prompts in which the verb that agrees with its "
                                              "subject is likelier; baseline: 0.5"});
    columns.push_back({.key = key + "_difference",
                       .unit = "nats",
                       .meaning = "Mean logit of the right token less that of the wrong one"});
}

std::vector<Column> curveColumns(const PruningResult& result) {
    std::vector<Column> columns{
        {.key = "order",
         .title = "order",
         .meaning = "By what heads were ranked; whole: none is removed"},
        {.key = "units", .meaning = "Units removed"},
        {.key = "removed", .title = "removed", .meaning = "Heads removed"},
        {.key = "share", .title = "share", .decimals = 3, .meaning = "Of all heads"}};
    addLossColumns(columns);
    for (const ChoiceReading& choice : result.whole.choices)
        addChoiceColumns(choice.kind, columns);
    columns.push_back({.key = "layers", .title = "heads left", .meaning = "In each layer"});
    columns.push_back({.key = "heads", .files = Files::Json, .meaning = "Those removed"});
    return columns;
}

} // namespace

Table pruningTable(const PruningResult& result, const Verdict& verdict, const Model& model,
                   const PassageSet& calibration, const PassageSet& test,
                   const Provenance& provenance) {
    const PruningQuestion& question = result.question;
    Table table;
    table.caption = result.model_name + ", " + verdictText(verdict);
    table.key = "cuts";
    table.columns = curveColumns(result);
    table.rows.push_back(curveRow(result, "whole", result.whole, {}, model.spec));
    for (const PruningCurve& curve : result.curves)
        for (const CurvePoint& point : curve.points)
            table.rows.push_back(curveRow(result, curve.order.spec.name(), point,
                                          PruningResult::removedAt(curve, point.units),
                                          model.spec));
    table.fields = {{"verdict", verdictText(verdict)},
                    {"verdicts", verdictList(verdict), Files::Json},
                    {"tolerance", verdict.tolerance},
                    {"bootstrap", verdict.by_documents ? "documents" : "passages"},
                    {"unit", pruningUnitName(question.unit)},
                    {"replacement", replacementName(question.replacement)},
                    {"compensation", compensationName(question.compensation)},
                    {"calibration", calibration.name + " " + calibration.hash, Files::Csv},
                    {"calibration", textRecord(calibration), Files::Json},
                    {"test", test.name + " " + test.hash, Files::Csv},
                    {"test", textRecord(test), Files::Json}};
    table.provenance = provenance;
    return table;
}

Table verdictTable(const Verdict& verdict, const Provenance& provenance) {
    Table table;
    table.caption = verdictText(verdict);
    table.key = "orders";
    table.columns = {{.key = "order",
                      .title = "order",
                      .meaning =
                          "By what heads were ranked; random: by the mean loss of all random "
                          "orders"},
                     {.key = "share",
                      .title = "can go",
                      .decimals = 3,
                      .meaning = "Share of all heads that can go within the tolerance"},
                     {.key = "low",
                      .title = "low",
                      .decimals = 3,
                      .meaning = "Lower end of that share's 95 % interval"},
                     {.key = "high",
                      .title = "high",
                      .decimals = 3,
                      .meaning = "Upper end of that share's 95 % interval"},
                     {.key = "whole_curve",
                      .title = "to the end",
                      .meaning = "The loss stays within the tolerance to the end of the curve"}};
    const auto add = [&](const ShareVerdict& order) {
        table.rows.push_back({order.order, order.share, order.interval.low, order.interval.high,
                              order.whole_curve ? "yes" : ""});
    };
    for (const ShareVerdict& order : verdict.orders)
        add(order);
    if (verdict.random)
        add(*verdict.random);
    table.fields = {{"tolerance", verdict.tolerance}};
    table.provenance = provenance;
    return table;
}

Table worstTokensTable(std::span<const WorseToken> tokens, const Model& model,
                       const Provenance& provenance) {
    Table table;
    table.caption = "Tokens whose loss grew most:";
    table.key = "tokens";
    table.columns = {
        {.key = "passage", .title = "passage", .meaning = "Of the test text, counted from 0"},
        {.key = "position", .title = "position", .meaning = "In the passage, from 0"},
        {.key = "before", .title = "text before it"},
        {.key = "token", .title = "token"},
        {.key = "whole",
         .title = "whole",
         .decimals = 3,
         .unit = "nats",
         .meaning = "−ln p of the token by the whole model"},
        {.key = "cut",
         .title = "cut",
         .decimals = 3,
         .unit = "nats",
         .meaning = "−ln p of the token without the removed heads"},
        {.key = "difference",
         .title = "difference",
         .decimals = 3,
         .unit = "nats",
         .meaning = "Cut minus whole"}};
    for (const WorseToken& token : tokens) {
        std::string before;
        for (const TokenId id : token.before_it)
            before += displayPiece(tokenPiece(model, id));
        table.rows.push_back({token.passage, token.position, before,
                              displayPiece(tokenPiece(model, token.token)), token.whole, token.cut,
                              token.cut - token.whole});
    }
    table.provenance = provenance;
    return table;
}

Table headsLeftTable(const HeadSet& removed, const Model& model, const Provenance& provenance) {
    Table table;
    table.caption = "What is left in each layer:";
    table.key = "layers";
    table.columns = {{.key = "layer", .title = "layer"},
                     {.key = "left", .title = "left", .meaning = "Heads that stay"},
                     {.key = "bar",
                      .title = "heads",
                      .files = Files::None,
                      .meaning = "█ for each that stays, ░ for each that is removed"}};
    for (std::size_t layer = 0; layer < model.spec.n_layers; ++layer) {
        const std::size_t left = placesLeft(model.spec, removed, layer).size();
        std::string bar;
        for (std::size_t head = 0; head < model.spec.headsIn(layer); ++head)
            bar += head < left ? "█" : "░";
        table.rows.push_back({layer, left, bar});
    }
    table.provenance = provenance;
    return table;
}

} // namespace headscope
