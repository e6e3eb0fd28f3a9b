#include "ui/views/why/why_content.h"

#include "ui/tables/head_text.h"
#include "ui/widgets/heatmap_cells.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace headscope::ui {
namespace {

struct WhyContentText {
    Q_DECLARE_TR_FUNCTIONS(WhyContentText)
};

/// How deep a writer is: tokens first, then attention and MLP of each layer.
std::size_t depthOf(const StreamWriter& writer) {
    if (writer.kind == WriterKind::Head)
        return 2 * writer.of.layer + 1;
    return writer.kind == WriterKind::Mlp ? 2 * writer.of.layer + 2 : 0;
}

QString depthName(std::size_t depth) {
    if (depth == 0)
        return WhyContentText::tr("tokens");
    return depth % 2 == 1 ? WhyContentText::tr("layer %1").arg((depth - 1) / 2)
                          : WhyContentText::tr("MLP %1").arg((depth - 2) / 2);
}

/// For the small place of a node.
QString shortName(const StreamWriter& writer) {
    switch (writer.kind) {
    case WriterKind::Embedding:
        return WhyContentText::tr("token");
    case WriterKind::Positions:
        return WhyContentText::tr("position");
    case WriterKind::TokenTypes:
        return WhyContentText::tr("type");
    case WriterKind::Head:
        return headName(writer.of);
    case WriterKind::Mlp:
        return WhyContentText::tr("MLP");
    case WriterKind::Biases:
        return WhyContentText::tr("biases");
    }
    return {};
}

/// For a narrow column.
QString columnName(const StreamWriter& writer) {
    if (writer.kind == WriterKind::Head)
        return headName(writer.of);
    return writer.kind == WriterKind::Mlp ? WhyContentText::tr("MLP %1").arg(writer.of.layer)
                                          : toQString(writerKindName(writer.kind));
}

QString nodeTip(const WhyReading& reading, const TraceNode& node) {
    const RunResult& run = *reading.result;
    QString tip = WhyContentText::tr("%1 at %2")
                      .arg(writerName(node.place->writer), positionName(run, node.place->position));
    if (node.key)
        tip += WhyContentText::tr(", reads %1 with %2")
                   .arg(positionName(run, *node.key), percentText(node.weight));
    if (node.place->writer.kind == WriterKind::Mlp)
        tip +=
            QStringLiteral("\n") + WhyContentText::tr("An MLP is not linear: the walk ends here.");
    else if (node.place->writer.kind == WriterKind::Head)
        tip +=
            QStringLiteral("\n") +
            (node.followed ? WhyContentText::tr("Double click to explain this head.")
                           : WhyContentText::tr("Click to follow it, double click to explain it."));
    return tip;
}

/// "as key, of L1 H0's score: 62 %"
QString edgeTip(const WhyReading& reading, const TraceEdge& edge) {
    const TraceNode& from = reading.trace.nodes[edge.from];
    const TraceNode& to = reading.trace.nodes[edge.to];
    const QString ends = WhyContentText::tr("%1 → %2").arg(writerName(from.place->writer),
                                                           writerName(to.place->writer));
    const QString share = shareText(edge.share);
    const QString other =
        edge.to == 0 ? contrastName(reading) : WhyContentText::tr("the other keys");
    const QString of =
        edge.side == TraceSide::Value ? WhyContentText::tr("%1 of what it moved there").arg(share)
        : other.isEmpty()
            ? WhyContentText::tr("%1 of the score").arg(share)
            : WhyContentText::tr("%1 of the score's distance to %2").arg(share, other);
    return QStringLiteral("%1, %2: %3").arg(ends, toQString(traceSideName(edge.side)), of);
}

} // namespace

TraceContent traceContent(const WhyReading& reading) {
    std::set<std::size_t> positions;
    std::set<std::size_t> depths;
    for (const TraceNode& node : reading.trace.nodes) {
        positions.insert(node.place->position);
        depths.insert(depthOf(node.place->writer));
    }
    const auto rankIn = [](const std::set<std::size_t>& all, std::size_t value) {
        return static_cast<int>(std::distance(all.begin(), all.find(value)));
    };
    TraceContent content;
    for (const std::size_t position : positions)
        content.columns.append(positionName(*reading.result, position));
    for (const std::size_t depth : depths)
        content.rows.append(depthName(depth));
    content.kinds = {WhyContentText::tr("as query"), WhyContentText::tr("as key"),
                     WhyContentText::tr("as value")}; // in the order of TraceSide
    for (const TraceNode& node : reading.trace.nodes)
        content.nodes.append(
            {rankIn(positions, node.place->position), rankIn(depths, depthOf(node.place->writer)),
             shortName(node.place->writer), nodeTip(reading, node), content.nodes.isEmpty(),
             node.place->writer.kind == WriterKind::Head && !node.followed});
    for (const TraceEdge& edge : reading.trace.edges)
        content.edges.append({static_cast<int>(edge.from), static_cast<int>(edge.to),
                              static_cast<int>(edge.side), edge.share, edgeTip(reading, edge)});
    const ScoreQuestion& cell = reading.parts.question;
    content.title = WhyContentText::tr("Why %1 looks from %2 to %3")
                        .arg(headName(cell.head), positionName(*reading.result, cell.query),
                             positionName(*reading.result, cell.key));
    return content;
}

QList<QImage> tracePictures(const WhyReading& reading,
                            const std::map<LayerHead, Tensor>& patterns) {
    QList<QImage> pictures;
    for (const TraceNode& node : reading.trace.nodes) {
        const auto found = patterns.find(node.place->writer.of);
        if (node.place->writer.kind != WriterKind::Head || found == patterns.end()) {
            pictures.append(QImage());
            continue;
        }
        const MatrixView cells = found->second.matrix();
        const auto side = static_cast<int>(cells.rows);
        pictures.append(renderCells(cells, QRectF(0, 0, side, side), QSize(side, side),
                                    coloursFor(ColourMap::Viridis, std::pair(0.0, 1.0), cells)));
    }
    return pictures;
}

QList<NumberTable::Column> sideColumns(HeadSide side) {
    const QString tip =
        side == HeadSide::Key
            ? WhyContentText::tr("What wrote into the residual stream at the key")
            : WhyContentText::tr("What wrote into the residual stream at the query");
    return {{WhyContentText::tr("Written by"), tip, 0, 0.0},
            {WhyContentText::tr("Adds"),
             WhyContentText::tr(
                 "What the writer adds to the score, minus what it adds to the score that "
                 "this one is compared with; norms are held at their scales"),
             2, 0.0},
            {WhyContentText::tr("Share"), {}, 0, 0.0}};
}

QList<NumberTable::Row> sideRows(const WhyReading& reading, HeadSide side) {
    const ScoreParts& parts = reading.parts;
    QList<NumberTable::Row> rows;
    const auto add = [&](const QString& name, double value) {
        rows.append(
            {name, value, parts.difference() == 0.0 ? QString() : shareText(parts.share(value))});
    };
    for (const WriterPart& part : parts.ranked(side))
        add(columnName(part.writer), part.value);
    if (parts.distance != 0.0)
        add(WhyContentText::tr("distance"), parts.distance);
    return rows;
}

QString sideHeading(const WhyReading& reading, HeadSide side) {
    const ScoreQuestion& cell = reading.parts.question;
    return side == HeadSide::Key ? WhyContentText::tr("What the key reads, at %1")
                                       .arg(positionName(*reading.result, cell.key))
                                 : WhyContentText::tr("What the query reads, at %1")
                                       .arg(positionName(*reading.result, cell.query));
}

} // namespace headscope::ui
