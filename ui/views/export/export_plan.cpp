#include "ui/views/export/export_plan.h"

#include "core/attribution/value_weighted.h"
#include "core/export/export_patterns.h"
#include "core/export/named_array.h"
#include "core/export/provenance.h"
#include "core/export/table_files.h"
#include "core/heads/score_table.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>
#include <filesystem>
#include <functional>

namespace headscope::ui {
namespace {

struct ExportText {
    Q_DECLARE_TR_FUNCTIONS(ExportText)
};

PatternSelection selectionOf(const ExportPlan& plan) {
    switch (plan.what) {
    case ExportWhat::Figure:
    case ExportWhat::Head:
        return {plan.head.layer, plan.head.head};
    case ExportWhat::Layer:
        return {plan.head.layer, std::nullopt};
    case ExportWhat::AllHeads:
    case ExportWhat::Scores:
        break;
    }
    return {};
}

Provenance provenance(const ExportPlan& plan) {
    Provenance provenance = plan.what == ExportWhat::Scores && !plan.scores_of_prompt
                                ? provenanceOf(*plan.model)
                                : provenanceOf(*plan.model, plan.result->prompt, plan.result->mask);
    if (plan.square_flipped)
        provenance.note = "square matrices read transposed";
    return provenance;
}

/// As it stands in names of files and arrays.
std::string mapKey(PatternMap map) {
    switch (map) {
    case PatternMap::Attention:
        return "pattern";
    case PatternMap::ValueWeighted:
        return "value_weighted";
    case PatternMap::Difference:
        break;
    }
    return "pattern_difference";
}

/// What the name of a file says of it.
std::string fileKey(const ExportPlan& plan) {
    const std::string key = mapKey(plan.map);
    if (plan.what != ExportWhat::Figure || plan.page == PatternPage::AllHeads)
        return key;
    return plan.page == PatternPage::Text    ? key + "_text"
           : plan.page == PatternPage::Lines ? key + "_lines"
                                             : key;
}

/// At the beginning of a sentence.
QString figureName(PatternPage page) {
    switch (page) {
    case PatternPage::Text:
        return ExportText::tr("The text");
    case PatternPage::Lines:
        return ExportText::tr("The picture of lines");
    case PatternPage::Heatmap:
    case PatternPage::AllHeads:
        break;
    }
    return ExportText::tr("The heatmap");
}

/// "attention weights" and the like, for the summary.
QString numbersName(PatternMap map) {
    switch (map) {
    case PatternMap::Attention:
        return ExportText::tr("attention weights");
    case PatternMap::ValueWeighted:
        return ExportText::tr("value-weighted weights, A[q, k]·‖v_k W_O‖ with rows of sum 1,");
    case PatternMap::Difference:
        break;
    }
    return ExportText::tr("differences of attention to the whole model");
}

Tensor differenceOf(const RunResult& result, LayerHead head) {
    Tensor values = result.masked->pattern(head);
    const Tensor full = result.full->pattern(head);
    std::ranges::transform(values.values(), full.values(), values.values().begin(), std::minus());
    return values;
}

Result<std::vector<NamedArray>> arraysOf(const ExportPlan& plan) {
    const RunResult& result = *plan.result;
    const Run& run = *result.masked;
    if (plan.map == PatternMap::Attention)
        return patternArrays(run, selectionOf(plan));
    if (plan.map == PatternMap::Difference)
        return mapArrays(run, selectionOf(plan), mapKey(plan.map),
                         [&](LayerHead head) { return differenceOf(result, head); });
    const auto norms = valueNormsOf(result, {});
    if (!norms)
        return norms.error();
    const PositionRange all{0, run.positions()};
    return mapArrays(run, selectionOf(plan), mapKey(plan.map), [&](LayerHead head) {
        return valueWeightedPattern(run, **norms, head, all, all, RowScale::SumToOne);
    });
}

QString folderKey() {
    return QStringLiteral("export/folder");
}

} // namespace

ExportPlan exportPlan(const Document& document, ExportWhat what, PatternMap map, PatternPage page) {
    return {what,
            document.selected(),
            document.model(),
            document.promptRunner().result(),
            document.headScorer().scores(),
            document.headScorer().effectiveSource() == ScoreSource::Prompt,
            document.thresholds(),
            map,
            page,
            document.loadOptions().flip_square_matrices};
}

QString exportFolder() {
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QString last = QSettings().value(folderKey(), documents).toString();
    return QFileInfo(last).isDir() ? last : QDir::homePath();
}

void keepExportFolder(const QString& path) {
    QSettings().setValue(folderKey(), QFileInfo(path).absolutePath());
}

QStringList extensionsFor(const ExportPlan& plan) {
    switch (plan.what) {
    case ExportWhat::Figure:
        return {QStringLiteral(".svg"), QStringLiteral(".pdf"), QStringLiteral(".png")};
    case ExportWhat::Scores:
        return {QStringLiteral(".csv"), QStringLiteral(".json"), QStringLiteral(".h5")};
    case ExportWhat::AllHeads: // .npy holds one array, and every layer is one
        return {QStringLiteral(".npz"), QStringLiteral(".h5"), QStringLiteral(".csv"),
                QStringLiteral(".json")};
    case ExportWhat::Head:
    case ExportWhat::Layer:
        break;
    }
    return {QStringLiteral(".npz"), QStringLiteral(".npy"), QStringLiteral(".h5"),
            QStringLiteral(".csv"), QStringLiteral(".json")};
}

QString exportFileName(const ExportPlan& plan, const QString& extension) {
    const Provenance origin = provenance(plan);
    if (plan.what != ExportWhat::Scores)
        return toQString(
            patternFileName(origin, selectionOf(plan), extension.toStdString(), fileKey(plan)));
    const QString model = toQString(origin.model_name);
    const QString prompt =
        plan.scores_of_prompt ? QLatin1Char('_') + toQString(origin.promptId()) : QString();
    return model + prompt + QStringLiteral("_scores") + extension;
}

QString exportSummary(const ExportPlan& plan) {
    const ModelSpec& spec = plan.model->spec;
    const std::size_t positions = plan.result->prompt.ids.size();
    switch (plan.what) {
    case ExportWhat::Figure:
        return ExportText::tr("%1 as it is shown, in light colours. Text stays text in SVG and "
                              "PDF.")
            .arg(figureName(plan.page));
    case ExportWhat::Head:
        return ExportText::tr("%1 × %1 %2 of %3.")
            .arg(QString::number(positions), numbersName(plan.map), headName(plan.head));
    case ExportWhat::Layer:
        return ExportText::tr("%1 × %2 × %2 %3 of layer %4.")
            .arg(QString::number(spec.headsIn(plan.head.layer)), QString::number(positions),
                 numbersName(plan.map), QString::number(plan.head.layer));
    case ExportWhat::AllHeads:
        return ExportText::tr("%1 layers of %2 × %3 × %3 %4.")
            .arg(QString::number(spec.n_layers), QString::number(spec.n_heads),
                 QString::number(positions), numbersName(plan.map));
    case ExportWhat::Scores:
        break;
    }
    return plan.scores
               ? ExportText::tr("One row per head and type. %1").arg(scoreInputText(*plan.scores))
               : ExportText::tr("The types are not measured yet.");
}

Result<void> writeExport(const ExportPlan& plan, const QString& path) {
    const std::filesystem::path file = path.toStdString();
    if (plan.what == ExportWhat::Scores) {
        if (!plan.scores)
            return Error{
                ErrorCode::InvalidArgument,
                ExportText::tr("The types are not measured yet, so there are no scores to write.")
                    .toStdString()};
        return writeTable(file, scoreTable(*plan.scores, plan.thresholds, provenance(plan)));
    }
    const auto format = arrayFormatOf(file);
    if (!format)
        return Error{ErrorCode::InvalidArgument,
                     ExportText::tr(
                         "%1 does not end in .npz, .npy, .h5, .csv or .json; choose one of these.")
                         .arg(path)
                         .toStdString()};
    const auto arrays = arraysOf(plan);
    if (!arrays)
        return arrays.error();
    return writeArrays(file, *format, *arrays, provenance(plan));
}

} // namespace headscope::ui
