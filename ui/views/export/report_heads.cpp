#include "ui/views/export/report_heads.h"

#include "core/heads/head_type.h"
#include "core/heads/score_table.h"
#include "core/io/atomic_file.h"
#include "core/model/prompt.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"
#include "ui/views/grid/type_controls.h"
#include "ui/views/maps/pattern_content.h"
#include "ui/views/maps/what_is_read.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/heatmap.h"

#include <QColor>
#include <QCoreApplication>
#include <QStringList>
#include <QTemporaryDir>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headscope::ui {
namespace {

struct HeadReportText {
    Q_DECLARE_TR_FUNCTIONS(HeadReportText)
};

constexpr std::size_t kLargestFigure = std::size_t{256} << 20; // bytes

Error missingPart(const QString& why) {
    return {ErrorCode::NotFound, why.toStdString()};
}

/// Why there are no scores.
Error noScores(const Document& document) {
    const QString error = document.headScorer().error();
    return missingPart(error.isEmpty() ? HeadReportText::tr("The types of the heads have not been "
                                                            "measured yet.")
                                       : error);
}

/// The heads whose ablation the prompt has run with or, before it has, will.
const HeadMask& shownMask(const Document& document) {
    const auto& result = document.promptRunner().result();
    return result ? result->mask : document.ablation().mask();
}

/// What of the map is in sight, where that is not all.
QString zoomText(const Heatmap& heatmap) {
    const Heatmap::VisibleCells cells = heatmap.visibleCells();
    const CellSource& all = *heatmap.content().cells;
    if (cells.last_row - cells.first_row + 1 == all.rows() &&
        cells.last_column - cells.first_column + 1 == all.columns())
        return {};
    return HeadReportText::tr(" Only queries %1 to %2 and keys %3 to %4 are in sight.")
        .arg(cells.first_row)
        .arg(cells.last_row)
        .arg(cells.first_column)
        .arg(cells.last_column);
}

Result<ReportFigure> figureOf(const PatternView& pattern) {
    const Heatmap& heatmap = pattern.heatmap();
    if (pattern.isReading())
        return missingPart(
            HeadReportText::tr("The heatmap was still being read when this was written."));
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("heatmap.svg"));
    if (const auto saved = heatmap.saveFigure(path, kFigureSize); !saved)
        return saved.error();
    auto svg = readTextFile(path.toStdU16String(), kLargestFigure);
    if (!svg)
        return svg.error();
    const HeatmapContent& content = heatmap.content();
    const QString alternative =
        HeadReportText::tr("Heatmap, %1: %2. Rows are %3 tokens as the %4, columns %5 as the %6.")
            .arg(content.value_name, content.title)
            .arg(content.row_labels.size())
            .arg(content.row_axis)
            .arg(content.column_labels.size())
            .arg(content.column_axis);
    const QString caption =
        HeadReportText::tr("%1. Colour: %2.%3\n%4")
            .arg(content.title, content.value_name, zoomText(heatmap), content.note);
    return ReportFigure{*std::move(svg), alternative.toStdString(), caption.toStdString()};
}

/// The types of one head, or which it comes nearest to.
Result<Table> typesOf(const Document& document, LayerHead head) {
    const auto scores = document.headScorer().scores();
    if (!scores)
        return noScores(document);
    const Thresholds& thresholds = document.thresholds();
    Table table = labelTable(*scores, thresholds, {&head, 1});
    table.caption = HeadReportText::tr("Types of %1").arg(headName(head)).toStdString();
    if (!table.rows.empty())
        return table;
    if (scores->naming() == Naming::OneText)
        return missingPart(
            HeadReportText::tr("One text gives scores of %1, and no type.").arg(headName(head)));
    const auto nearest = nearestType(*scores, head, thresholds);
    if (!nearest)
        return missingPart(HeadReportText::tr("%1 has no type.").arg(headName(head)));
    return missingPart(
        HeadReportText::tr(
            "%1 has no type; the nearest is %2, with a score of %3 where %4 is needed.")
            .arg(headName(head), typeName(*nearest), scoreText(scores->at(*nearest, head).score),
                 scoreText(thresholds.of(*nearest))));
}

/// Which run the heatmap and the reading belong to, if it is not that of the prompt alone; empty
/// before there is a run.
QString sideText(const PatternSource& source) {
    if (!source.result)
        return {};
    if (source.side == Side::B)
        return HeadReportText::tr("Heatmap and reading are of B, the prompt “%1”.")
            .arg(toQString(promptText(source.result->prompt)));
    if (source.side == Side::Difference)
        return HeadReportText::tr("The heatmap shows what B, the prompt “%1”, has more than A, "
                                  "the prompt above.")
            .arg(toQString(promptText(source.other->prompt)));
    return {};
}

/// The types that label some head, in their usual order.
std::vector<HeadTypeId> labelTypes(const HeadScores& scores, const Thresholds& thresholds) {
    std::set<HeadTypeId> found;
    for (const LayerHead head : scores.heads)
        for (const HeadTypeId id : labels(scores, head, thresholds))
            found.insert(id);
    return {found.begin(), found.end()};
}

ReportType reportType(HeadTypeId id) {
    const HeadType& type = headType(id);
    const QColor colour = typeColourOf(id);
    return {type.letter, std::string(type.name), colour.name().toStdString(),
            readableOn(colour).name().toStdString()};
}

ReportCell cellOfHead(const Document& document, const HeadScores& scores, LayerHead head,
                      const std::vector<HeadTypeId>& types) {
    ReportCell cell;
    cell.is_removed = !document.model()->spec.hasHead(head);
    if (cell.is_removed)
        return cell;
    for (const HeadTypeId id : labels(scores, head, document.thresholds())) {
        const auto place = std::ranges::find(types, id) - types.begin();
        cell.labels.push_back({static_cast<std::size_t>(place),
                               shortScoreText(scores.at(id, head).score).toStdString()});
    }
    cell.is_ablated = shownMask(document).isAblated(head);
    cell.is_selected = head == document.selection().head();
    return cell;
}

std::vector<std::string> notesOnScores(Document& document, const HeadScores& scores) {
    std::vector<std::string> notes;
    if (document.headScorer().isMeasuring())
        notes.push_back(HeadReportText::tr("Some types were still being measured when this was "
                                           "written.")
                            .toStdString());
    for (const QString& line : scoreInputText(scores, scores.types).split(QLatin1Char('\n')))
        notes.push_back(line.toStdString());
    return notes;
}

} // namespace

Result<ReportHead> reportHead(const Document& document, const PatternView& pattern) {
    const LayerHead head = document.selection().head();
    if (!document.model()->spec.hasHead(head))
        return missingPart(HeadReportText::tr("No head is selected."));
    ReportHead part{headName(head).toStdString(), figureOf(pattern), typesOf(document, head), {}};
    if (shownMask(document).isAblated(head))
        part.readings.push_back(
            HeadReportText::tr("%1 is ablated.").arg(headName(head)).toStdString());
    const PatternSource& source = document.shown();
    if (const QString side = sideText(source); !side.isEmpty())
        part.readings.push_back(side.toStdString());
    if (const auto query = readQuery(document))
        part.readings.push_back(readsText(*source.result, head, *query).toStdString());
    return part;
}

Result<ReportGrid> reportGrid(Document& document) {
    const auto scores = document.headScorer().scores();
    if (!scores)
        return noScores(document);
    const ModelSpec& spec = document.model()->spec;
    const std::vector<HeadTypeId> types = labelTypes(*scores, document.thresholds());
    ReportGrid grid;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        std::vector<ReportCell> cells;
        for (std::size_t head = 0; head < spec.n_heads; ++head)
            cells.push_back(cellOfHead(document, *scores, {layer, head}, types));
        grid.layers.push_back(std::move(cells));
    }
    for (const HeadTypeId id : types)
        grid.types.push_back(reportType(id));
    grid.notes = notesOnScores(document, *scores);
    grid.labels = labelTable(*scores, document.thresholds(), spec.allHeads());
    grid.labels.caption =
        HeadReportText::tr("Heads that have a type, and the scores of these types").toStdString();
    return grid;
}

} // namespace headscope::ui
