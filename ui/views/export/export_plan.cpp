#include "ui/views/export/export_plan.h"

#include "core/attribution/score_tables.h"
#include "core/attribution/tables.h"
#include "core/export/export_patterns.h"
#include "core/export/graphml.h"
#include "core/export/named_array.h"
#include "core/export/provenance.h"
#include "core/export/table_files.h"
#include "core/heads/score_table.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"
#include "ui/views/maps/pattern_content.h"
#include "ui/views/maps/pattern_maps.h"
#include "ui/views/pages/table_export.h"

#include <QCoreApplication>

#include <cmath>
#include <filesystem>
#include <utility>

namespace headscope::ui {
namespace {

struct ExportText {
    Q_DECLARE_TR_FUNCTIONS(ExportText)
};

/// Whether it is the numbers of page Why.
bool isOfWhy(const ExportPlan& plan) {
    return plan.what == ExportWhat::WhyParts || plan.what == ExportWhat::WhyTrace;
}

PatternSelection selectionOf(const ExportPlan& plan) {
    switch (plan.what) {
    case ExportWhat::Figure:
    case ExportWhat::Head:
    case ExportWhat::WhyParts:
    case ExportWhat::WhyTrace:
    case ExportWhat::InsideSteps:
        return {plan.head.layer, plan.head.head};
    case ExportWhat::Layer:
        return {plan.head.layer, std::nullopt};
    case ExportWhat::AllHeads:
    case ExportWhat::Scores:
        break;
    }
    return {};
}

/// What the provenance of A does not say of a difference: its direction, and all about B.
std::string noteOfOther(const RunResult& other) {
    const Provenance origin = provenanceOf(*other.full->model, other.prompt, other.mask);
    return "B − A at the tokens of A; B: model " + origin.model_name + " (sha256 " +
           origin.model_sha256 + "), ablation " + origin.ablation +
           (origin.has_bos ? ", with BOS, prompt \"" : ", without BOS, prompt \"") +
           origin.prompt_text + "\"";
}

Provenance withNote(const ExportPlan& plan, Provenance provenance) {
    if (plan.square_flipped)
        provenance.note = kSquaresTransposed;
    if (plan.source.other && plan.what != ExportWhat::Scores)
        provenance.note += (provenance.note.empty() ? "" : "; ") + noteOfOther(*plan.source.other);
    return provenance;
}

Provenance provenance(const ExportPlan& plan) {
    if (plan.what == ExportWhat::Scores && !plan.scores_of_prompt)
        return withNote(plan, provenanceOf(*plan.model));
    const RunResult& result = isOfWhy(plan)                          ? *plan.view.why->result
                              : plan.what == ExportWhat::InsideSteps ? *plan.view.inside->result
                                                                     : *plan.source.result;
    return withNote(plan, provenanceOf(*result.full->model, result.prompt, result.mask));
}

/// As it is written in names of files and arrays.
std::string mapKey(const ExportPlan& plan) {
    const std::string key = plan.view.map == PatternMap::Attention       ? "pattern"
                            : plan.view.map == PatternMap::ValueWeighted ? "value_weighted"
                                                                         : "pattern_difference";
    return plan.source.other ? key + "_b_minus_a" : key;
}

/// What the name of a file says of it.
std::string fileKey(const ExportPlan& plan) {
    if (isOfWhy(plan))
        return plan.what == ExportWhat::WhyParts ? "why_parts" : "why_trace";
    if (plan.what == ExportWhat::InsideSteps)
        return "inside";
    const std::string key = plan.source.side == Side::B ? mapKey(plan) + "_of_b" : mapKey(plan);
    if (plan.what != ExportWhat::Figure || plan.view.page == PatternPage::AllHeads)
        return key;
    return plan.view.page == PatternPage::Text     ? key + "_text"
           : plan.view.page == PatternPage::Lines  ? key + "_lines"
           : plan.view.page == PatternPage::Why    ? key + "_why"
           : plan.view.page == PatternPage::Inside ? key + "_inside"
                                                   : key;
}

/// At the beginning of a sentence.
QString figureName(PatternPage page) {
    switch (page) {
    case PatternPage::Text:
        return ExportText::tr("The text");
    case PatternPage::Lines:
        return ExportText::tr("The picture of lines");
    case PatternPage::Why:
        return ExportText::tr("The graph of where it came from");
    case PatternPage::Inside:
        return ExportText::tr("The picture of the head's steps");
    case PatternPage::Heatmap:
    case PatternPage::AllHeads:
        break;
    }
    return ExportText::tr("The heatmap");
}

/// "attention weights" and the like, for the summary.
QString numbersName(const ExportPlan& plan) {
    if (plan.source.other)
        return ExportText::tr("differences of %1, B − A at the tokens of A,")
            .arg(valueName(plan.view.map, false));
    switch (plan.view.map) {
    case PatternMap::Attention:
        return ExportText::tr("attention weights");
    case PatternMap::ValueWeighted:
        return ExportText::tr("value-weighted weights, A[q, k]·‖v_k W_O‖ with rows of sum 1,");
    case PatternMap::Difference:
        break;
    }
    return ExportText::tr("differences of attention from the whole model");
}

/// [query, key], 0 where the mask hides the key, as in patterns; of a comparison NaN where no token
/// of the other prompt matches the query or the key.
Tensor numbersOf(const PatternMaps& maps, LayerHead head) {
    const auto cells = maps.of(head).cells;
    Tensor values = cells->exact({0, cells->rows()}, {0, cells->columns()});
    const auto& counterpart = maps.source().other_of;
    for (std::size_t query = 0; query < values.dim(0); ++query)
        for (std::size_t key = 0; key < values.dim(1); ++key) {
            const bool is_there = !counterpart || ((*counterpart)[query] && (*counterpart)[key]);
            if (is_there && std::isnan(values(query, key)))
                values(query, key) = 0.0f;
        }
    return values;
}

Result<std::vector<NamedArray>> arraysOf(const ExportPlan& plan) {
    const Run& run = *plan.source.result->masked;
    if (plan.view.map == PatternMap::Attention && !plan.source.other)
        return patternArrays(run, selectionOf(plan));
    const auto maps = PatternMaps::read(plan.source, plan.view.map, {}, {});
    if (!maps)
        return maps.error();
    return mapArrays(run, selectionOf(plan), mapKey(plan),
                     [&](LayerHead head) { return numbersOf(*maps, head); });
}

Result<void> writeWhy(const ExportPlan& plan, const std::filesystem::path& file) {
    const WhyReading& why = *plan.view.why;
    const Provenance origin = provenance(plan);
    if (plan.what == ExportWhat::WhyParts)
        return writeTable(file, scoreTable(why.parts, why.run->model(), origin));
    return file.extension() == ".graphml"
               ? writeGraphMl(file, traceGraph(why.trace, origin))
               : writeTable(file, traceTable(why.trace, why.run->model(), origin));
}

} // namespace

ExportPlan exportPlan(const Document& document, ExportWhat what, const ShownView& view) {
    // Scores are of the prompt itself; and B may be shown before it has run.
    PatternSource source = document.shown();
    if (what == ExportWhat::Scores || !source.result)
        source = {document.promptRunner().result(), nullptr, nullptr, {}};
    return {what,
            document.selection().head(),
            document.model(),
            std::move(source),
            document.headScorer().scores(),
            document.headScorer().effectiveSource() == ScoreSource::Prompt,
            document.thresholds(),
            view,
            document.loadOptions().flip_square_matrices};
}

QStringList extensionsFor(const ExportPlan& plan) {
    switch (plan.what) {
    case ExportWhat::Figure:
        return {QStringLiteral(".svg"), QStringLiteral(".pdf"), QStringLiteral(".png")};
    case ExportWhat::Scores:
    case ExportWhat::WhyParts:
    case ExportWhat::InsideSteps:
        return {QStringLiteral(".csv"), QStringLiteral(".json"), QStringLiteral(".h5")};
    case ExportWhat::WhyTrace:
        return {QStringLiteral(".graphml"), QStringLiteral(".csv"), QStringLiteral(".json"),
                QStringLiteral(".h5")};
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
    return tableFileName(origin, QStringLiteral("scores")) + extension;
}

QString exportSummary(const ExportPlan& plan) {
    const ModelSpec& spec = plan.model->spec;
    const std::size_t positions = plan.source.result->prompt.ids.size();
    switch (plan.what) {
    case ExportWhat::Figure:
        return ExportText::tr("%1 as it is shown, in light colours. Text stays text in SVG and "
                              "PDF.")
            .arg(figureName(plan.view.page));
    case ExportWhat::Head:
        return ExportText::tr("%1 × %1 %2 of %3.")
            .arg(QString::number(positions), numbersName(plan), headName(plan.head));
    case ExportWhat::Layer:
        return ExportText::tr("%1 × %2 × %2 %3 of layer %4.")
            .arg(QString::number(spec.headsIn(plan.head.layer)), QString::number(positions),
                 numbersName(plan), QString::number(plan.head.layer));
    case ExportWhat::AllHeads:
        return (spec.kept_heads.empty()
                    ? ExportText::tr("%1 layers of %2 × %3 × %3 %4.")
                          .arg(QString::number(spec.n_layers), QString::number(spec.n_heads))
                    : ExportText::tr("%1 layers with %2 heads in all, of each %3 × %3 %4.")
                          .arg(QString::number(spec.n_layers),
                               QString::number(spec.allHeads().size())))
            .arg(QString::number(positions), numbersName(plan));
    case ExportWhat::WhyParts:
        return ExportText::tr("One row for each pair of what the query and what the key read.");
    case ExportWhat::WhyTrace:
        return ExportText::tr("One edge for each line of the graph, with its share. GraphML is for "
                              "Gephi, yEd or networkx.");
    case ExportWhat::InsideSteps:
        return ExportText::tr("One row for each key that the query sees, with its vectors, its "
                              "score and its weight.");
    case ExportWhat::Scores:
        break;
    }
    return plan.scores ? ExportText::tr("One row per head and type. %1")
                             .arg(scoreInputText(*plan.scores, plan.scores->types))
                       : ExportText::tr("The types are not measured yet.");
}

Result<void> writeExport(const ExportPlan& plan, const QString& path) {
    const std::filesystem::path file = path.toStdString();
    if (isOfWhy(plan))
        return writeWhy(plan, file);
    if (plan.what == ExportWhat::InsideSteps)
        return writeTable(file, stepsTable(plan.view.inside->steps, plan.view.inside->run->model(),
                                           provenance(plan)));
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
