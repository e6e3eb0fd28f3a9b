#include "core/interventions/tables.h"

#include "core/base/text.h"
#include "core/engine/hooks.h"
#include "core/interventions/tables/metric_values.h"
#include "core/model/prompt.h"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

List idLists(const std::vector<TokenIds>& prompts) {
    List lists;
    for (const TokenIds& ids : prompts)
        lists.push_back(listOf(ids));
    return lists;
}

Column valueColumn(const Metric& metric, const char* meaning) {
    return {.key = "value",
            .title = std::string(metricName(metric.kind)),
            .unit = metricUnit(metric),
            .meaning = meaning};
}

} // namespace

Table sweepTable(const SweepResult& result, const Provenance& provenance) {
    const SweepQuestion& question = result.question;
    Table table;
    table.caption =
        provenance.model_name + ": " + metricText(question.metric, result.full) +
        ", with heads ablated (" + sweepKindName(question) + ")" +
        (result.question.method == EffectMethod::Gradient ? ", estimated by gradient" : "") + ":";
    table.key = "units";
    table.columns = {{.key = "heads", .title = "heads"},
                     valueColumn(question.metric, "With these heads ablated"),
                     {.key = "difference",
                      .title = "difference",
                      .unit = metricUnit(question.metric),
                      .meaning = "Value minus that of the whole model"}};
    for (std::size_t unit = 0; unit < question.units.size(); ++unit)
        table.rows.push_back(
            {listOf(question.units[unit]), result.values[unit], result.difference(unit)});
    table.fields = {{"full", result.full},
                    {"metric", metricName(question.metric.kind), Files::Csv},
                    {"metric", metricRecord(question.metric), Files::Json},
                    {"ablation", sweepKindName(question)},
                    {"method", effectMethodName(result.question.method)},
                    {"prompt", provenance.promptId(), Files::Csv},
                    {"prompts", idLists(question.prompts), Files::Json},
                    {"references", idLists(question.references), Files::Json}};
    table.provenance = provenance;
    return table;
}

Table patchTable(const PatchResult& result, const ModelSpec& spec, const Provenance& provenance) {
    const PatchQuestion& question = result.question;
    Table table;
    table.caption = provenance.model_name + ": clean " + metricText(question.metric, result.clean) +
                    ", corrupted " + metricText(question.metric, result.corrupted) +
                    (question.method == EffectMethod::Gradient ? ", estimated by gradient" : "") +
                    "\n" + (result.note().empty() ? "0 is corrupted, 1 is clean." : result.note());
    table.key = "patches";
    table.columns = {{.key = "hook", .title = "hook"},
                     {.key = "position"},
                     {.key = "head"},
                     valueColumn(question.metric,
                                 "Of the corrupted prompt with this activation of the clean run"),
                     {.key = "normalised",
                      .title = "normalised",
                      .decimals = 3,
                      .meaning = "0 is the corrupted run, 1 the clean one"},
                     {.key = "token", .title = "position", .files = Files::None},
                     {.key = "head text", .title = "head", .files = Files::None},
                     {.key = "all", .title = "all", .files = Files::None}};
    for (std::size_t layer = 0; layer < result.layers(); ++layer) {
        const std::string hook = hookName(spec, result.points[layer]);
        for (std::size_t position = 0; position < result.positions; ++position)
            for (std::size_t head = 0; head < result.heads; ++head) {
                const std::size_t index = result.index(layer, position, head);
                if (std::isnan(result.values[index]))
                    continue;
                table.rows.push_back({hook, question.by_position ? Value(position) : Value(),
                                      question.by_head ? Value(head) : Value(),
                                      result.values[index], result.normalised(index),
                                      positionText(provenance.pieces, position),
                                      "head " + std::to_string(head), "all"});
            }
    }
    table.fields = {{"clean", result.clean},
                    {"corrupted", result.corrupted},
                    {"metric", metricName(question.metric.kind), Files::Csv},
                    {"metric", metricRecord(question.metric), Files::Json},
                    {"corrupted_ids", listOf(question.corrupted), Files::Json},
                    {"method", effectMethodName(question.method), Files::Json},
                    {"note", unlessEmpty(result.note()), Files::Json}};
    table.provenance = provenance;
    return table;
}

Table patchGrid(const PatchResult& result, const ModelSpec& spec, const Provenance& provenance) {
    const PatchQuestion& question = result.question;
    std::vector<std::string_view> rows{"hook"};
    if (question.by_position && question.by_head)
        rows.emplace_back("token");
    return pivot(patchTable(result, spec, provenance), rows,
                 question.by_head       ? "head text"
                 : question.by_position ? "token"
                                        : "all",
                 "normalised");
}

Table pathTable(const PathResult& result, const Provenance& provenance) {
    const PathQuestion& question = result.question;
    const std::string receivers = receiversText(question.receivers);
    Table table;
    table.caption = provenance.model_name + ", to " + receivers + ": clean " +
                    metricText(question.metric, result.original) + ", corrupted " +
                    metricText(question.metric, result.other) + "\n" +
                    (result.note().empty() ? "0 is clean, 1 is corrupted." : result.note());
    table.key = "paths";
    table.columns = {
        {.key = "sender", .title = "from"},
        {.key = "receivers", .files = Files::Csv},
        valueColumn(question.metric, "Of the clean prompt with this path of the corrupted run"),
        {.key = "normalised",
         .title = "normalised",
         .decimals = 3,
         .meaning = "0 is the clean run, 1 the corrupted one"}};
    for (std::size_t i = 0; i < result.values.size(); ++i)
        table.rows.push_back(
            {headText(question.senders[i]), receivers, result.values[i], result.normalised(i)});
    table.fields = {{"original", result.original},
                    {"other", result.other},
                    {"metric", metricName(question.metric.kind), Files::Csv},
                    {"metric", metricRecord(question.metric), Files::Json},
                    {"other_ids", listOf(question.other), Files::Json},
                    {"note", unlessEmpty(result.note()), Files::Json},
                    {"receivers", receivers, Files::Json}};
    table.provenance = provenance;
    return table;
}

Table backupTable(const BackupResult& result, std::span<const LayerHead> heads,
                  const Provenance& provenance) {
    const BackupQuestion& question = result.question;
    const std::string ablated = headSetText(question.ablated);
    Table table;
    table.key = "heads";
    table.columns = {{.key = "of", .title = "head", .files = Files::None},
                     {.key = "layer"},
                     {.key = "head"},
                     {.key = "full",
                      .title = "full",
                      .meaning = "Direct effect of the head on the logit or the difference of two, "
                                 "in the whole model"},
                     {.key = "ablated",
                      .title = "ablated",
                      .meaning = "Direct effect with the heads asked about ablated"},
                     {.key = "rise", .title = "rise", .meaning = "Ablated less full"}};
    for (const LayerHead head : heads)
        table.rows.push_back({head, head.layer, head.head, result.full_effects[head],
                              result.ablated_effects[head], result.rise(head)});
    List prompts;
    for (const LogitQuestion& prompt : question.prompts)
        prompts.push_back(Record{{"against", prompt.against},
                                 {"ids", listOf(prompt.ids)},
                                 {"position", prompt.position},
                                 {"token", prompt.token}});
    table.fields = {{"full_logit", result.full_logit},
                    {"ablated_logit", result.ablated_logit},
                    {"without", ablated},
                    {"ablation", ablationKindName(question.kind)},
                    {"prompt", provenance.promptId(), Files::Csv},
                    {"prompts", std::move(prompts), Files::Json},
                    {"references", idLists(question.references), Files::Json}};
    table.provenance = provenance;
    return table;
}

Table backupTable(const BackupResult& result, const Provenance& provenance) {
    const HeadIndex& all = result.full_effects.heads();
    const std::vector<LayerHead> heads(all.begin(), all.end());
    return backupTable(result, heads, provenance);
}

Table effectTable(const AblationEffect& result, const Provenance& provenance) {
    const LayerHead head = result.question.head;
    Table table;
    table.caption = "head " + headText(head) + ": " + ablationEffectText(result) + ".";
    table.columns = {
        {.key = "head", .title = "head"},
        {.key = "tested", .title = "tested", .meaning = "no: another head near it, for comparison"},
        {.key = "difference",
         .title = "difference",
         .decimals = 3,
         .unit = "nats",
         .meaning = "Ablated minus whole model; above 0 the head helps"},
        {.key = "low",
         .title = "low",
         .decimals = 3,
         .unit = "nats",
         .meaning = "Lower end of the difference's 95 % interval over the sequences"},
        {.key = "high",
         .title = "high",
         .decimals = 3,
         .unit = "nats",
         .meaning = "Upper end of the difference's 95 % interval over the sequences"}};
    table.rows.push_back(
        {head, "yes", result.difference, result.interval.low, result.interval.high});
    List others;
    for (const AblationEffect::Other& other : result.others) {
        table.rows.push_back({other.head, "no", other.difference, Value(), Value()});
        others.push_back(Record{{"difference", other.difference}, {"head", headText(other.head)}});
    }
    table.fields = {{"full", result.full},
                    {"what", effectMeasureName(result.measure)},
                    {"ablation", provenance.ablation},
                    {"sequences", result.sequences},
                    {"above", result.above(), Files::Json},
                    {"difference", result.difference, Files::Json},
                    {"head", headText(head), Files::Json},
                    {"high", result.interval.high, Files::Json},
                    {"low", result.interval.low, Files::Json},
                    {"matters", result.hasEffect(), Files::Json},
                    {"others", std::move(others), Files::Json}};
    table.provenance = provenance;
    return table;
}

} // namespace headscope
