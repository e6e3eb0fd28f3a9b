#include "core/interventions/tables.h"

#include "core/base/text.h"
#include "core/engine/hooks.h"
#include "core/heads/head_type.h"
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
    table.columns = {
        {.key = "of", .title = "head", .files = Files::None},
        {.key = "layer"},
        {.key = "head"},
        {.key = "full",
         .title = "full",
         .meaning = "Direct effect of the head on the logit or the difference of two, "
                    "in the whole model"},
        {.key = "ablated",
         .title = "ablated",
         .meaning = "Direct effect with the chosen heads ablated"},
        {.key = "rise",
         .title = "rise",
         .meaning = "Effect with these heads ablated minus effect in the whole model"}};
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

namespace {

List labelKeys(const AblationEffect& result) {
    List keys;
    for (const HeadTypeId label : result.question.labels)
        keys.emplace_back(headType(label).key);
    return keys;
}

/// What JSON says of one effect.
Record effectRecord(const AblationEffect& result) {
    List others;
    for (const AblationEffect::Other& other : result.others)
        others.push_back(Record{{"difference", other.difference}, {"head", headText(other.head)}});
    List replaced;
    for (const AblationEffect::Replaced& each : result.replaced)
        replaced.push_back(Record{{"ablation", replacementName(each.by)},
                                  {"difference", each.difference},
                                  {"high", each.interval.high},
                                  {"low", each.interval.low},
                                  {"sequences", each.sequences}});
    List backups;
    for (const AblationEffect::Backup& backup : result.backups)
        backups.push_back(Record{{"alone", backup.alone},
                                 {"growth", backup.growth},
                                 {"head", headText(backup.head)},
                                 {"high", backup.interval.high},
                                 {"low", backup.interval.low}});
    return {{"above", result.above()},
            {"ablation", replacementName(result.question.replacement())},
            {"backups", result.backups_tried > 0 ? Value(std::move(backups)) : Value()},
            {"difference", result.difference},
            {"full", result.full},
            {"head", headText(result.question.head)},
            {"high", result.interval.high},
            {"labels", labelKeys(result)},
            {"least_effect", result.least},
            {"low", result.interval.low},
            {"matters", result.verdict() == EffectVerdict::Needed},
            {"others", std::move(others)},
            {"replaced", std::move(replaced)},
            {"sentence", ablationEffectText(result)},
            {"sequences", result.sequences},
            {"signs_differ", result.signsDiffer()},
            {"verdict", effectVerdictName(result.verdict())},
            {"what", effectMeasureName(result.measure)}};
}

/// The head, the head replaced by other means, its backups, and others, what costs most first.
void addEffectRows(const AblationEffect& result, Table& table) {
    const LayerHead head = result.question.head;
    const std::string by = replacementName(result.question.replacement());
    const auto add = [&](LayerHead of, const char* tested, double difference, const Value& low,
                         const Value& high, const std::string& ablation, std::size_t sequences,
                         const Value& verdict) {
        table.rows.push_back({of, tested, difference, low, high, result.full,
                              effectMeasureName(result.measure), ablation, sequences,
                              labelKeys(result), verdict});
    };
    add(head, "yes", result.difference, result.interval.low, result.interval.high, by,
        result.sequences, effectVerdictName(result.verdict()));
    for (const AblationEffect::Replaced& each : result.replaced)
        add(head, "replaced", each.difference, each.interval.low, each.interval.high,
            replacementName(each.by), each.sequences, Value());
    for (const AblationEffect::Backup& backup : result.backups)
        add(backup.head, "backup", backup.growth, backup.interval.low, backup.interval.high, by,
            result.sequences, Value());
    for (auto other = result.others.rbegin(); other != result.others.rend(); ++other)
        add(other->head, "no", other->difference, Value(), Value(), by, result.sequences, Value());
}

std::vector<Column> effectColumns() {
    return {{.key = "head", .title = "head"},
            {.key = "tested",
             .title = "tested",
             .meaning =
                 "yes: the head; replaced: the head with something else in its place; backup: one "
                 "that costs more when the head is ablated, with how much more; no: another head "
                 "near it, for comparison"},
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
             .meaning = "Upper end of the difference's 95 % interval over the sequences"},
            {.key = "full", .unit = "nats", .meaning = "The value in the whole model"},
            {.key = "what", .title = "of"},
            {.key = "ablation", .title = "by", .meaning = "What replaces the head's output"},
            {.key = "sequences"},
            {.key = "labels", .meaning = "The labels of the head that are read from this input"},
            {.key = "verdict",
             .meaning = "needed, secondary, interferes, no effect found or undecided"}};
}

} // namespace

Table effectTable(std::span<const AblationEffect> results, const Provenance& provenance) {
    Table table;
    table.columns = effectColumns();
    List records;
    for (const AblationEffect& result : results) {
        table.caption += (table.caption.empty() ? "" : "\n") + effectTitle(result.question) + ": " +
                         ablationEffectText(result);
        addEffectRows(result, table);
        records.emplace_back(effectRecord(result));
    }
    for (Member& member : effectRecord(results.front()))
        table.fields.push_back({std::move(member.name), std::move(member.value), Files::Json});
    table.fields.push_back({"effects", std::move(records), Files::Json});
    table.provenance = provenance;
    return table;
}

Table setEffectTable(const SetEffect& result, HeadTypeId type, const Provenance& provenance) {
    const std::string_view key = headType(type).key;
    const std::string by = replacementName(result.question.by);
    Table table;
    table.caption = std::string(key) + ": " + setEffectText(result);
    table.columns = effectColumns();
    table.columns.front() = {.key = "heads", .title = "heads"};
    const auto add = [&](const HeadSet& heads, const char* tested, double difference,
                         const Value& low, const Value& high, const Value& verdict) {
        table.rows.push_back({listOf(heads), tested, difference, low, high, result.full,
                              effectMeasureName(result.measure), by, result.sequences, key,
                              verdict});
    };
    add(result.question.heads, "yes", result.difference, result.interval.low, result.interval.high,
        effectVerdictName(result.verdict()));
    List others;
    for (const SetEffect::Other& other : result.others)
        others.push_back(
            Record{{"difference", other.difference}, {"heads", headSetText(other.heads)}});
    for (auto other = result.others.rbegin(); other != result.others.rend(); ++other)
        add(other->heads, "no", other->difference, Value(), Value(), Value());
    table.fields = {{"above", result.above(), Files::Json},
                    {"ablation", by, Files::Json},
                    {"difference", result.difference, Files::Json},
                    {"full", result.full, Files::Json},
                    {"heads", headSetText(result.question.heads), Files::Json},
                    {"high", result.interval.high, Files::Json},
                    {"least_effect", result.least, Files::Json},
                    {"low", result.interval.low, Files::Json},
                    {"others", std::move(others), Files::Json},
                    {"sentence", setEffectText(result), Files::Json},
                    {"sequences", result.sequences, Files::Json},
                    {"type", key, Files::Json},
                    {"verdict", effectVerdictName(result.verdict()), Files::Json},
                    {"what", effectMeasureName(result.measure), Files::Json}};
    table.provenance = provenance;
    return table;
}

} // namespace headscope
