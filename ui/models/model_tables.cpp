#include "ui/models/model_tables.h"

#include "core/base/text.h"
#include "ui/models/head_text.h"

#include <QCoreApplication>
#include <QLocale>

namespace headscope::ui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("ModelTables", text);
}

/// "5 898 240", digits in groups, the same everywhere.
QString exactText(std::size_t count) {
    return QLocale::c().toString(static_cast<qulonglong>(count));
}

QString bytes(std::size_t count) {
    return toQString(byteText(count));
}

QString sharingText(const ModelCard& card) {
    if (card.mha_kv_bytes_per_token == card.kv_bytes_per_token)
        return tr("nothing is shared: every query head has its own keys and values");
    const double saved = 1.0 - static_cast<double>(card.kv_bytes_per_token) /
                                   static_cast<double>(card.mha_kv_bytes_per_token);
    return tr("%1 of %2 per token, which keys and values of their own would need")
        .arg(percentText(saved), bytes(card.mha_kv_bytes_per_token));
}

} // namespace

QString countText(std::size_t count) {
    const double value = static_cast<double>(count);
    if (value >= 1e9)
        return tr("%1 G").arg(QString::number(value / 1e9, 'f', 1));
    if (value >= 1e6)
        return tr("%1 M").arg(QString::number(value / 1e6, 'f', 1));
    if (value >= 1e5)
        return tr("%1 k").arg(QString::number(value / 1e3, 'f', 0));
    return QString::number(count);
}

QList<QPair<QString, QString>> cardLines(const Model& model, const ModelCard& card) {
    return {
        {tr("Model"), toQString(model.name)},
        {tr("Description"), toQString(model.description)},
        {tr("Architecture"), toQString(card.architecture)},
        {tr("Attention"), toQString(card.attention_kind)},
        {tr("Tokenizer"),
         model.tokenizer ? toQString(model.tokenizer->kind()) : tr("none: prompts are token ids")},
        {tr("Parameters"),
         tr("%1, of these %2 in each layer (%3 attention)")
             .arg(exactText(card.total_parameters), exactText(card.layer_parameters),
                  exactText(card.attention_parameters))},
        {tr("KV cache"), tr("%1 per token, %2 for the whole context of %3 tokens (float32)")
                             .arg(bytes(card.kv_bytes_per_token), bytes(card.kv_bytes_full_context))
                             .arg(model.spec.n_ctx)},
        {tr("Sharing saves"), sharingText(card)},
        {tr("Weights in memory"), bytes(model.report.weight_bytes)},
        {tr("File"), QString::fromStdString(model.path.string())},
        {tr("SHA-256"), toQString(model.sha256)},
    };
}

QStringList matrixHeader() {
    return {tr("Matrix"), tr("Shape"), tr("Parameters"), tr("Count"), tr("In total")};
}

QList<QStringList> matrixRows(const ModelCard& card) {
    QList<QStringList> rows;
    for (const ModelCard::Matrix& matrix : card.matrices)
        rows.append({toQString(matrix.name), toQString(shapeText(matrix.shape)),
                     exactText(matrix.parameters), exactText(matrix.count),
                     exactText(matrix.parameters * matrix.count)});
    return rows;
}

QStringList reportHeader() {
    return {tr("What"), tr("Name in the file"), tr("Meaning")};
}

QList<QStringList> reportRows(const LoadReport& report) {
    QList<QStringList> rows;
    rows.append({tr("config"), toQString(report.config_source), tr("read from here")});
    rows.append(
        {tr("tokenizer"),
         report.tokenizer_source.empty() ? tr("none") : toQString(report.tokenizer_source),
         report.tokenizer_source.empty() ? tr("prompts are token ids") : tr("read from here")});
    rows.append({tr("BOS"), QString(), toQString(report.bos_rule)});
    for (const std::string& note : report.notes)
        rows.append({tr("note"), QString(), toQString(note)});
    for (const LoadReport::Ignored& ignored : report.ignored)
        rows.append({tr("ignored"), toQString(ignored.tensor), toQString(ignored.reason)});
    for (const std::string& key : report.unused_config_keys)
        rows.append({tr("config key"), toQString(key), tr("not used")});
    for (const LoadReport::Used& used : report.used)
        rows.append({tr("used"), toQString(used.tensor),
                     tr("%1, %2 %3, %4")
                         .arg(toQString(used.role), toQString(used.type),
                              toQString(shapeText(used.shape)), toQString(used.transform))});
    return rows;
}

QString modelSummary(const Model& model, const ModelCard& card) {
    return tr("%1 · %2 layers × %3 heads · %4 parameters")
        .arg(toQString(model.spec.family))
        .arg(model.spec.n_layers)
        .arg(model.spec.n_heads)
        .arg(countText(card.total_parameters));
}

} // namespace headscope::ui
