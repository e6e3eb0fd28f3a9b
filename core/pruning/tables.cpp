#include "core/pruning/tables.h"

#include "core/base/text.h"
#include "core/model/prompt.h"

#include <optional>
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

Record verdictRecord(const std::string& text, const ShareVerdict& verdict) {
    return {{"text", text},
            {"order", verdict.order},
            {"share", verdict.share},
            {"low", verdict.interval.low},
            {"high", verdict.interval.high},
            {"whole_curve", verdict.whole_curve},
            {"narrowed", verdict.narrowed}};
}

Record textRecord(const PassageSet& text) {
    return {{"name", text.name},           {"hash", text.hash},
            {"documents", text.documents}, {"passages", text.passages.size()},
            {"tokens", text.tokens},       {"targets", text.targets}};
}

Record randomRecord(const std::string& text, const RandomVerdict& random) {
    Record record = verdictRecord(text, random.mean);
    record.push_back({"lowest", random.lowest});
    record.push_back({"highest", random.highest});
    record.push_back({"orders", random.orders});
    return record;
}

List verdictList(const Verdict& verdict) {
    List list;
    for (const TextVerdict& text : verdict.texts) {
        for (const ShareVerdict& order : text.orders)
            list.emplace_back(verdictRecord(text.text, order));
        if (text.random)
            list.emplace_back(randomRecord(text.text, *text.random));
    }
    return list;
}

Value numberIf(const std::optional<double>& number) {
    return number ? Value(*number) : Value();
}

Value loweringOf(const TextVerdict& text) {
    if (!text.lowering)
        return {};
    return Record{{"order", text.lowering->order},
                  {"removed", text.lowering->heads},
                  {"low", text.lowering->increase.low},
                  {"high", text.lowering->increase.high}};
}

List textList(const Verdict& verdict, const PruningTexts& texts) {
    List list;
    for (std::size_t i = 0; i < verdict.texts.size(); ++i) {
        const TextVerdict& text = verdict.texts[i];
        list.emplace_back(Record{{"text", text.text},
                                 {"loss", text.loss},
                                 {"fitted_loss", numberIf(text.fitted_loss)},
                                 {"times_own", numberIf(text.times_own)},
                                 {"outside", text.isOutside()},
                                 {"lowered_by", loweringOf(text)},
                                 {"bootstrap", text.by_documents ? "documents" : "passages"},
                                 {"calibration", textRecord(texts.domains[i].calibration)},
                                 {"test", textRecord(texts.domains[i].test)}});
    }
    return list;
}

TableRow curveRow(const PruningResult& result, const std::string& order, const CurvePoint& point,
                  const HeadSet& removed, const ModelSpec& spec) {
    TableRow row{result.text, order, point.units, removed.size(),
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
        {.key = "text",
         .title = "text",
         .meaning = "The text that heads were chosen by and judged on"},
        {.key = "order",
         .title = "order",
         .meaning = "What heads were ranked by; whole: none is removed; fitted: none either, but "
                    "output biases are fitted to the calibration text"},
        {.key = "units", .meaning = "Units removed"},
        {.key = "removed", .title = "removed", .meaning = "Heads removed"},
        {.key = "share", .title = "share", .decimals = 3, .meaning = "Share of all heads"}};
    addLossColumns(columns);
    for (const ChoiceReading& choice : result.whole.choices)
        addChoiceColumns(choice.kind, columns);
    columns.push_back(
        {.key = "layers", .title = "heads left", .meaning = "Heads left in each layer"});
    columns.push_back({.key = "heads", .files = Files::Json, .meaning = "The removed heads"});
    return columns;
}

void addCurveRows(Table& table, const PruningResult& result, const ModelSpec& spec) {
    table.rows.push_back(curveRow(result, "whole", result.whole, {}, spec));
    if (result.control)
        table.rows.push_back(curveRow(result, "fitted", *result.control, {}, spec));
    for (const PruningCurve& curve : result.curves)
        for (const CurvePoint& point : curve.points)
            table.rows.push_back(curveRow(result, curve.order.spec.name(), point,
                                          PruningResult::removedAt(curve, point.units), spec));
}

/// "the bundled stories (test) 0123456789abcdef, …"
std::string hashesOf(const PruningTexts& texts, PassageSet PruningDomain::*part) {
    std::vector<std::string> hashes;
    for (const PruningDomain& domain : texts.domains)
        hashes.push_back((domain.*part).name + " " + (domain.*part).hash);
    return join(hashes, ", ");
}

/// Without rows.
Table emptyCurves(const DomainResults& results, const Verdict& verdict, const PruningTexts& texts,
                  const Provenance& provenance) {
    const PruningQuestion& question = results.domains.front().question;
    const PruningDomain& nearest = texts.domains[verdict.nearest];
    Table table;
    table.caption = results.domains.front().model_name + ", " + verdictText(verdict);
    table.key = "cuts";
    table.columns = curveColumns(results.domains.front());
    table.fields = {{"verdict", verdictText(verdict)},
                    {"verdicts", verdictList(verdict), Files::Json},
                    {"text", verdict.headline().text},
                    {"texts", textList(verdict, texts), Files::Json},
                    {"own_loss", numberIf(verdict.own_loss), Files::Json},
                    {"tolerance", verdict.tolerance},
                    {"bootstrap", verdict.headline().by_documents ? "documents" : "passages"},
                    {"unit", pruningUnitName(question.unit)},
                    {"replacement", replacementName(question.replacement)},
                    {"compensation", compensationName(question.compensation)},
                    {"calibration", hashesOf(texts, &PruningDomain::calibration), Files::Csv},
                    {"calibration", textRecord(nearest.calibration), Files::Json},
                    {"test", hashesOf(texts, &PruningDomain::test), Files::Csv},
                    {"test", textRecord(nearest.test), Files::Json}};
    table.provenance = provenance;
    return table;
}

} // namespace

Table pruningTable(const DomainResults& results, const Verdict& verdict, const Model& model,
                   const PruningTexts& texts, const Provenance& provenance) {
    Table table = emptyCurves(results, verdict, texts, provenance);
    for (const PruningResult& result : results.domains)
        addCurveRows(table, result, model.spec);
    return table;
}

Table curvesTable(const DomainResults& results, std::size_t domain, const Verdict& verdict,
                  const Model& model, const PruningTexts& texts, const Provenance& provenance) {
    Table table = emptyCurves(results, verdict, texts, provenance);
    addCurveRows(table, results.domains[domain], model.spec);
    return table;
}

namespace {

Column shareColumn(std::string key, std::string title, std::string meaning) {
    return {.key = std::move(key),
            .title = std::move(title),
            .decimals = 3,
            .meaning = std::move(meaning)};
}

std::string outsideWord(const TextVerdict& text) {
    std::vector<std::string> signs;
    if (text.times_own && *text.times_own > kOutside)
        signs.emplace_back("loss");
    if (text.lowering)
        signs.emplace_back("cut");
    return join(signs, ", ");
}

} // namespace

Table textsTable(const Verdict& verdict, const Provenance& provenance) {
    Table table;
    table.caption = verdictText(verdict);
    table.key = "texts";
    table.columns = {
        {.key = "text", .title = "text", .meaning = "own: what the model writes itself"},
        {.key = "loss",
         .title = "loss",
         .decimals = 3,
         .unit = "nats",
         .meaning = "Loss of the whole model"},
        {.key = "times_own",
         .title = "times own",
         .decimals = 2,
         .meaning = "That loss divided by the loss on text which the model writes itself"},
        {.key = "order", .title = "order", .meaning = "The order by which most heads can go"},
        shareColumn("share", "can go", "Share of all heads that can go within the tolerance"),
        shareColumn("low", "low", "Lower end of that share's 95 % interval, of this text"),
        shareColumn("high", "high", "Upper end of that share's 95 % interval, of this text"),
        shareColumn("random_lowest", "random", "The same by the worst random order"),
        shareColumn("random_highest", "to", "The same by the best random order"),
        {.key = "outside",
         .title = "outside",
         .meaning = "Why the text is outside of the model's domain: its loss is high, or a cut "
                    "lowers it"}};
    for (const TextVerdict& text : verdict.texts) {
        const ShareVerdict& best = text.best();
        table.rows.push_back({text.text, text.loss, numberIf(text.times_own), best.order,
                              best.share, best.interval.low, best.interval.high,
                              text.random ? Value(text.random->lowest) : Value(),
                              text.random ? Value(text.random->highest) : Value(),
                              outsideWord(text)});
    }
    table.provenance = provenance;
    return table;
}

Table verdictTable(const Verdict& verdict, const Provenance& provenance) {
    const TextVerdict& text = verdict.headline();
    Table table;
    table.caption = "Orders on " + text.text + ":";
    table.key = "orders";
    table.columns = {
        {.key = "order",
         .title = "order",
         .meaning = "What heads were ranked by; random: the mean of all random orders"},
        shareColumn("share", "can go",
                    "Share of all heads that can go within the "
                    "tolerance"),
        shareColumn("low", "low", "Lower end of that share's 95 % interval"),
        shareColumn("high", "high", "Upper end of that share's 95 % interval"),
        {.key = "whole_curve",
         .title = "to the end",
         .meaning = "The loss stays within the tolerance to the end of the curve"}};
    const auto add = [&](const std::string& name, const ShareVerdict& order) {
        table.rows.push_back({name, order.share, order.interval.low, order.interval.high,
                              order.whole_curve ? "yes" : ""});
    };
    for (const ShareVerdict& order : text.orders)
        add(order.order, order);
    if (text.random) {
        add("random, mean of " + std::to_string(text.random->orders), text.random->mean);
        table.rows.push_back({"random, lowest", text.random->lowest, Value(), Value(), ""});
        table.rows.push_back({"random, highest", text.random->highest, Value(), Value(), ""});
    }
    table.fields = {{"tolerance", verdict.tolerance}};
    table.provenance = provenance;
    return table;
}

Table worstTokensTable(std::span<const WorseToken> tokens, const Model& model,
                       const Provenance& provenance) {
    Table table;
    table.caption = "Tokens whose loss grew most:";
    table.key = "tokens";
    table.columns = {{.key = "passage",
                      .title = "passage",
                      .meaning = "Passage of the test text, counted from 0"},
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
                      .meaning = "Loss with the cut minus that of the whole model"}};
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
