#include "ui/tables/model_tables.h"

#include "core/base/text.h"
#include "core/engine/run_memory.h"
#include "core/model/layer_counts.h"
#include "ui/tables/head_text.h"

#include <QCoreApplication>

namespace headscope::ui {
namespace {

struct ModelTables {
    Q_DECLARE_TR_FUNCTIONS(ModelTables)
};

QString bytes(std::size_t count) {
    return toQString(byteText(count));
}

QString sharingText(const ModelCard& card) {
    if (card.mha_kv_bytes_per_token == card.kv_bytes_per_token)
        return ModelTables::tr("nothing is shared: every query head has its own keys and values");
    const double saved = 1.0 - static_cast<double>(card.kv_bytes_per_token) /
                                   static_cast<double>(card.mha_kv_bytes_per_token);
    return ModelTables::tr("%1 of %2 per token, which keys and values of their own would need")
        .arg(percentText(saved), bytes(card.mha_kv_bytes_per_token));
}

/// "12 MB of weights; a run takes 3 MB for a full context of 64 tokens"
QString memoryText(const Model& model) {
    const QString weights = ModelTables::tr("%1 of weights").arg(bytes(model.report.weight_bytes));
    if (!model.spec.cannot_run.empty())
        return weights;
    return ModelTables::tr("%1; a run takes %2 for a full context of %3 tokens")
        .arg(weights, bytes(runMemory(model.spec, model.spec.n_ctx).total()))
        .arg(model.spec.n_ctx);
}

/// "6 layers × 8 heads", or without some: "6 layers, 37 heads"
QString shapeOf(const ModelSpec& spec) {
    const QString layers = spec.n_layers == 1 ? ModelTables::tr("1 layer")
                                              : ModelTables::tr("%1 layers").arg(spec.n_layers);
    return spec.kept_heads.empty()
               ? ModelTables::tr("%1 × %2 heads").arg(layers).arg(spec.n_heads)
               : ModelTables::tr("%1, %2 heads").arg(layers).arg(spec.allHeads().size());
}

/// "1,200", or where layers differ "800 to 1,200"
QString layersText(const std::vector<LayerCount>& layers, std::size_t LayerCount::*count) {
    const auto [least, most] = rangeOf(layers, count);
    return least == most ? groupedText(least)
                         : ModelTables::tr("%1 to %2").arg(groupedText(least), groupedText(most));
}

QString cacheText(const Model& model, const ModelCard& card) {
    const QString per_token = ModelTables::tr("%1 per token").arg(bytes(card.kv_bytes_per_token));
    if (!model.spec.cannot_run.empty())
        return ModelTables::tr("%1 (float32)").arg(per_token);
    return ModelTables::tr("%1, %2 for the whole context of %3 tokens (float32)")
        .arg(per_token, bytes(card.kv_bytes_full_context))
        .arg(model.spec.n_ctx);
}

} // namespace

QString countText(std::size_t count) {
    const double value = static_cast<double>(count);
    if (value >= 1e9)
        return ModelTables::tr("%1 G").arg(QString::number(value / 1e9, 'f', 1));
    if (value >= 1e6)
        return ModelTables::tr("%1 M").arg(QString::number(value / 1e6, 'f', 1));
    if (value >= 1e5)
        return ModelTables::tr("%1 k").arg(QString::number(value / 1e3, 'f', 0));
    return QString::number(count);
}

QList<QPair<QString, QString>> cardLines(const Model& model, const ModelCard& card) {
    const std::vector<LayerCount> layers = layerCounts(model);
    QList<QPair<QString, QString>> lines{
        {ModelTables::tr("Model"), toQString(model.name)},
        {ModelTables::tr("Architecture"), toQString(card.architecture)},
        {ModelTables::tr("Attention"), toQString(card.attention_kind)},
        {ModelTables::tr("Tokenizer"), model.tokenizer
                                           ? toQString(model.tokenizer->kind())
                                           : ModelTables::tr("none: prompts are token ids")},
        {ModelTables::tr("Parameters"),
         ModelTables::tr("%1, of these %2 in each layer (%3 attention)")
             .arg(groupedText(card.total_parameters), layersText(layers, &LayerCount::parameters),
                  layersText(layers, &LayerCount::attention))},
        {ModelTables::tr("KV cache"), cacheText(model, card)},
        {ModelTables::tr("Sharing saves"), sharingText(card)},
        {ModelTables::tr("Memory"), memoryText(model)},
        {ModelTables::tr("File"), QString::fromStdString(model.path.string())},
        {ModelTables::tr("SHA-256"), toQString(model.sha256)},
    };
    if (!model.description.empty())
        lines.insert(1, {ModelTables::tr("Description"), toQString(model.description)});
    if (!model.report.missing.empty())
        lines.insert(1, {ModelTables::tr("Missing"),
                         ModelTables::tr("tensors that the config expects: %1, listed in the load "
                                         "report")
                             .arg(model.report.missing.size())});
    if (!model.spec.cannot_run.empty())
        lines.insert(1, {ModelTables::tr("Cannot be run"), toQString(model.spec.cannot_run)});
    return lines;
}

QList<NumberTable::Column> matrixColumns() {
    return {{.name = ModelTables::tr("Matrix")},
            {.name = ModelTables::tr("Shape")},
            {.name = ModelTables::tr("Parameters"), .grouped = true},
            {.name = ModelTables::tr("Count"), .grouped = true},
            {.name = ModelTables::tr("In total"), .grouped = true}};
}

QList<NumberTable::Row> matrixRows(const ModelCard& card) {
    QList<NumberTable::Row> rows;
    for (const ModelCard::Matrix& matrix : card.matrices)
        rows.append({toQString(matrix.name), toQString(shapeText(matrix.shape)),
                     static_cast<qlonglong>(matrix.parameters),
                     static_cast<qlonglong>(matrix.count),
                     static_cast<qlonglong>(matrix.parameters * matrix.count)});
    return rows;
}

QList<NumberTable::Column> reportColumns() {
    return {{.name = ModelTables::tr("What")},
            {.name = ModelTables::tr("Name in the file")},
            {.name = ModelTables::tr("Meaning")}};
}

QList<NumberTable::Row> reportRows(const LoadReport& report) {
    QList<NumberTable::Row> rows;
    rows.append({ModelTables::tr("config"), toQString(report.config_source),
                 ModelTables::tr("read from here")});
    rows.append({ModelTables::tr("tokenizer"),
                 report.tokenizer_source.empty() ? ModelTables::tr("none")
                                                 : toQString(report.tokenizer_source),
                 report.tokenizer_source.empty() ? ModelTables::tr("prompts are token ids")
                                                 : ModelTables::tr("read from here")});
    rows.append({ModelTables::tr("BOS"), QString(), toQString(report.bos_rule)});
    for (const std::string& note : report.notes)
        rows.append({ModelTables::tr("note"), QString(), toQString(note)});
    for (const LoadReport::Missing& missing : report.missing)
        rows.append(
            {ModelTables::tr("missing"), toQString(missing.tensor),
             ModelTables::tr("expected by the config: %1").arg(toQString(missing.expected))});
    for (const LoadReport::Ignored& ignored : report.ignored)
        rows.append(
            {ModelTables::tr("ignored"), toQString(ignored.tensor), toQString(ignored.reason)});
    for (const std::string& key : report.unused_config_keys)
        rows.append({ModelTables::tr("config key"), toQString(key), ModelTables::tr("not used")});
    for (const LoadReport::Used& used : report.used)
        rows.append({ModelTables::tr("used"), toQString(used.tensor),
                     ModelTables::tr("%1, %2 %3, %4")
                         .arg(toQString(used.role), toQString(used.type),
                              toQString(shapeText(used.shape)), toQString(used.transform))});
    return rows;
}

QString modelSummary(const Model& model, const ModelCard& card) {
    return ModelTables::tr("%1 · %2 · %3 parameters")
        .arg(toQString(model.spec.family), shapeOf(model.spec), countText(card.total_parameters));
}

} // namespace headscope::ui
