#include "ui/views/inside/inside_table.h"

#include "ui/views/inside/inside_text.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope::ui {
namespace {

struct InsideTableText {
    Q_DECLARE_TR_FUNCTIONS(InsideTableText)
};

constexpr double kLeastTile = 3.0;
constexpr double kMostTile = 44.0;
constexpr double kLeastTiles = 48.0; ///< of a column
constexpr double kLeastValues = 124.0;
constexpr double kWideTable = 980.0; ///< from here on weight times value has a column
constexpr double kWeightBar = 32.0;
constexpr double kWideBar = 64.0;
constexpr double kLabelShare = 7.0; ///< of the height of a line
constexpr double kLinePadding = 5.0;
constexpr std::size_t kKeysShown = 40;
constexpr std::size_t kHiddenShown = 3;

/// A column of the table of keys.
struct KeyColumn {
    InsidePart part;
    QString name;
    int step;
    double x = 0.0;
    double width = 0.0;
};

QList<KeyColumn> columnsOf(const HeadSteps& steps, bool is_wide) {
    QList<KeyColumn> columns{{InsidePart::Key, QStringLiteral("k"), 3},
                             {InsidePart::Product, QStringLiteral("q × k"), 3},
                             {InsidePart::Dot, QStringLiteral("q · k"), 3}};
    if (steps.scale != 1.0)
        columns.append({InsidePart::Scaled, scaleText(steps), 3});
    if (steps.softcap != 0.0)
        columns.append({InsidePart::Capped, InsideTableText::tr("capped"), 3});
    if (steps.has_distance) {
        columns.append({InsidePart::Distance, InsideTableText::tr("+ bias"), 3});
        columns.append({InsidePart::Score, InsideTableText::tr("score"), 3});
    }
    columns.append({InsidePart::Exponential, QStringLiteral("exp"), 4});
    columns.append({InsidePart::Weight, InsideTableText::tr("weight"), 4});
    columns.append({InsidePart::Value, QStringLiteral("v"), 5});
    if (is_wide)
        columns.append({InsidePart::WeightedValue, InsideTableText::tr("weight × v"), 5});
    return columns;
}

double numberWidth(const InsideSheet& sheet, const KeyColumn& column) {
    const QFontMetricsF metrics(sheet.small_font);
    const double number = metrics.horizontalAdvance(QStringLiteral("−0.0000"));
    const double bar = column.part != InsidePart::Weight ? 0.0
                       : sheet.width >= kWideTable       ? kWideBar
                                                         : kWeightBar;
    return std::max(number, metrics.horizontalAdvance(column.name)) + bar;
}

/// Tiles get what numbers leave.
void placeColumns(const HeadSteps& steps, const InsideSheet& sheet, QList<KeyColumn>& columns) {
    double left = sheet.right() - sheet.left() + kInsideGap;
    double tiled = 0.0;
    for (KeyColumn& column : columns) {
        column.width = isVector(column.part) ? 0.0 : numberWidth(sheet, column);
        tiled += isVector(column.part) ? 1.0 : 0.0;
        left -= column.width + kInsideGap;
    }
    const auto most = [&](const KeyColumn& column) {
        return std::max(kMostTile * static_cast<double>(insideLength(steps, column.part)),
                        column.step == 5 ? kLeastValues : kLeastTiles);
    };
    const double least = left / tiled < kLeastValues ? kLeastValues : 0.0; // of the values
    const double share =
        std::max(kLeastTiles, least > 0.0 ? (left - least) / (tiled - 1.0) : left / tiled);
    double x = sheet.left();
    for (KeyColumn& column : columns) {
        if (isVector(column.part))
            column.width =
                std::min(most(column), column.step == 5 ? std::max(least, share) : share);
        column.x = x;
        x += column.width + kInsideGap;
    }
}

class KeyTable {
public:
    KeyTable(const InsideReading& reading, const InsideOptions& options, InsideSheet& sheet)
        : reading_(reading), steps_(reading.steps), options_(options), sheet_(sheet),
          columns_(columnsOf(steps_, sheet.width >= kWideTable)) {
        placeColumns(steps_, sheet_, columns_);
    }

    void add() {
        headings();
        names();
        queryLine();
        const PositionRange seen = steps_.dimensions.positions;
        hiddenLines({0, seen.begin});
        keyLines();
        hiddenLines({seen.end, reading_.positions()});
        if (steps_.sink)
            sinkLine();
        sumLine();
    }

private:
    std::pair<double, double> extentOf(int step) const {
        std::pair<double, double> extent{sheet_.width, 0.0};
        for (const KeyColumn& column : columns_)
            if (column.step == step)
                extent = {std::min(extent.first, column.x),
                          std::max(extent.second, column.x + column.width)};
        if (step == 3)
            extent.first = kInsideInset;
        if (step == 5) // the last
            extent.second = sheet_.right();
        return extent;
    }

    QString scoresSentence() const {
        QString text = InsideTableText::tr("q times k, dimension by dimension, added up");
        if (steps_.scale != 1.0)
            text += QStringLiteral(", %1").arg(scaleText(steps_));
        if (steps_.softcap != 0.0)
            text += InsideTableText::tr(", capped at %1").arg(shortNumber(steps_.softcap));
        if (steps_.has_distance)
            text += InsideTableText::tr(", with a bias by distance");
        return text + QLatin1Char('.');
    }

    void headings() {
        sheet_.y += kInsideBlockGap;
        const double softmax = addInsideHeading(
            sheet_, 4, InsideTableText::tr("Softmax"),
            steps_.isWhatIf()
                ? InsideTableText::tr("exp of (score − largest) / %1, over their sum.")
                      .arg(temperatureText(steps_.question.temperature))
                : InsideTableText::tr("exp of score − largest, over their sum."),
            extentOf(4));
        const double sum = addInsideHeading(sheet_, 5, InsideTableText::tr("Weighted sum"),
                                            InsideTableText::tr("z = Σ weight × v."), extentOf(5));
        const double scores = addInsideHeading(sheet_, 3, InsideTableText::tr("Scores"),
                                               scoresSentence(), extentOf(3));
        sheet_.y = std::max({softmax, sum, scores});
    }

    void names() {
        const auto add = [&](double x, double width, const QString& name, bool right) {
            sheet_.scene.captions.append({InsideCaption::Style::Column,
                                          {x, sheet_.y, width, sheet_.small_height},
                                          name,
                                          right});
        };
        add(kInsideInset, sheet_.label_width, InsideTableText::tr("key"), false);
        for (const KeyColumn& column : columns_)
            add(column.x, column.width, column.name, !isVector(column.part));
        sheet_.y += sheet_.small_height + 2.0;
    }

    InsideRun run(const KeyColumn& column, InsidePart part, std::size_t row, const QRectF& line) {
        if (isVector(part))
            return sheet_.tiles(steps_, part, row, column.x, column.width, line);
        return {part, row, {column.x, line.top(), column.width, line.height()}};
    }

    void queryLine() {
        InsideLine& line = sheet_.addLine(InsideLineKind::Strip, QStringLiteral("q"));
        line.runs = {run(columns_.front(), InsidePart::Query, 0, line.area)};
    }

    void keyLines() {
        const std::vector<std::size_t> rows =
            strongestRows(steps_, options_.all_keys ? steps_.keys.size() : kKeysShown);
        double rest = 1.0 - steps_.sink_exponential / steps_.sum;
        for (const std::size_t row : rows) {
            rest -= steps_.keys[row].weight;
            InsideLine& line = sheet_.addLine(
                InsideLineKind::Key, positionName(*reading_.result, reading_.positionOf(row)));
            line.key = row;
            for (const KeyColumn& column : columns_)
                line.runs.append(run(column, column.part, row, line.area));
        }
        const std::size_t more = steps_.keys.size() - rows.size();
        if (more > 0)
            sheet_.addLine(InsideLineKind::More, QStringLiteral("…")).note =
                InsideTableText::tr("%1 more keys, with a weight of %2 together: click to see all")
                    .arg(more)
                    .arg(shortNumber(std::max(0.0, rest)));
        else if (options_.all_keys && steps_.keys.size() > kKeysShown)
            sheet_.addLine(InsideLineKind::More, QStringLiteral("…")).note =
                InsideTableText::tr("Click to see the %1 strongest alone").arg(kKeysShown);
    }

    /// Keys that the mask hides; many as one line.
    void hiddenLines(PositionRange hidden) {
        const QString note = InsideTableText::tr("hidden by the mask: weight 0");
        const std::size_t shown = std::min(kHiddenShown, hidden.size());
        for (std::size_t i = 0; i < shown; ++i)
            sheet_.addLine(InsideLineKind::Hidden, positionName(*reading_.result, hidden.begin + i))
                .note = note;
        if (hidden.size() > shown)
            sheet_.addLine(InsideLineKind::Hidden, QStringLiteral("…")).note =
                InsideTableText::tr("%1 more are hidden by the mask").arg(hidden.size() - shown);
    }

    void sinkLine() {
        InsideLine& line =
            sheet_.addLine(InsideLineKind::Sink, InsideTableText::tr("learned sink"));
        const InsidePart score = columns_[columnOf(InsidePart::Exponential) - 1].part;
        line.runs = {
            run(columns_[columnOf(score)], InsidePart::SinkScore, 0, line.area),
            run(columns_[columnOf(InsidePart::Exponential)], InsidePart::SinkExponential, 0,
                line.area),
            run(columns_[columnOf(InsidePart::Weight)], InsidePart::SinkWeight, 0, line.area)};
    }

    void sumLine() {
        InsideLine& line = sheet_.addLine(InsideLineKind::Sums, QStringLiteral("Σ"));
        for (const auto& [column, sum] : {std::pair(InsidePart::Exponential, InsidePart::Sum),
                                          std::pair(InsidePart::Weight, InsidePart::WeightSum)})
            line.runs.append(run(columns_[columnOf(column)], sum, 0, line.area));
        InsideLine& below = sheet_.addLine(InsideLineKind::Strip, QStringLiteral("z"));
        below.runs = {run(columns_.back(), InsidePart::Z, 0, below.area)};
    }

    qsizetype columnOf(InsidePart part) const {
        const auto found = std::ranges::find(columns_, part, &KeyColumn::part);
        return found - columns_.begin();
    }

    const InsideReading& reading_;
    const HeadSteps& steps_;
    const InsideOptions& options_;
    InsideSheet& sheet_;
    QList<KeyColumn> columns_;
};

} // namespace

InsideSheet::InsideSheet(double full_width, const QFont& of_text)
    : width(full_width), font(of_text), small_font(smallerFont(of_text)) {
    const QFontMetricsF metrics(font);
    line_height = std::ceil(metrics.height()) + kLinePadding;
    small_height = std::ceil(QFontMetricsF(small_font).height());
    label_width = kLabelShare * metrics.height();
}

InsideLine& InsideSheet::addLine(InsideLineKind kind, const QString& label) {
    const QRectF area(kInsideInset, y, width - 2.0 * kInsideInset, line_height);
    y += line_height;
    scene.lines.append(
        {kind, area, label, {kInsideInset, area.top(), label_width - 6.0, line_height}});
    return scene.lines.last();
}

double InsideSheet::full(const HeadSteps& steps, InsidePart part) {
    const auto known = std::ranges::find(full_, part, &std::pair<InsidePart, double>::first);
    if (known != full_.end())
        return known->second;
    full_.append({part, fullColour(steps, part)});
    return full_.last().second;
}

InsideRun InsideSheet::tiles(const HeadSteps& steps, InsidePart part, std::size_t row, double x,
                             double most_width, const QRectF& line) {
    const std::size_t count = insideLength(steps, part);
    const auto most_cells = static_cast<std::size_t>(std::max(1.0, most_width / kLeastTile));
    const std::size_t pooled = (count + most_cells - 1) / most_cells;
    const std::size_t cells = (count + pooled - 1) / pooled;
    const double used = std::min(most_width, kMostTile * static_cast<double>(cells));
    return {part,  row,    {x, line.top() + 2.0, used, line.height() - 4.0},
            count, pooled, full(steps, part)};
}

double addInsideHeading(InsideSheet& sheet, int number, const QString& title,
                        const QString& sentence, std::pair<double, double> between) {
    const double badge = sheet.line_height - 2.0;
    sheet.scene.captions.append({InsideCaption::Style::Number,
                                 {between.first, sheet.y, badge, badge},
                                 QString::number(number)});
    sheet.scene.captions.append({InsideCaption::Style::Title,
                                 {between.first + badge + 6.0, sheet.y,
                                  between.second - between.first - badge - 6.0, badge},
                                 title});
    const double width = between.second - between.first;
    const QRectF room = QFontMetricsF(sheet.small_font)
                            .boundingRect({0.0, 0.0, width, 1000.0}, Qt::TextWordWrap, sentence);
    const double top = sheet.y + badge + 3.0;
    sheet.scene.captions.append({InsideCaption::Style::Sentence,
                                 {between.first, top, width, room.height() + 1.0},
                                 sentence});
    return top + room.height() + 6.0;
}

double leastInsideWidth(const HeadSteps& steps, const QFont& font) {
    const InsideSheet sheet(0.0, font);
    double width = kLabelShare * QFontMetricsF(font).height() + 2.0 * kInsideInset - kInsideGap;
    for (const KeyColumn& column : columnsOf(steps, false))
        width += kInsideGap + (column.part == InsidePart::Value ? kLeastValues
                               : isVector(column.part)          ? kLeastTiles
                                                                : numberWidth(sheet, column));
    return std::ceil(width);
}

void addInsideTable(const InsideReading& reading, const InsideOptions& options,
                    InsideSheet& sheet) {
    KeyTable(reading, options, sheet).add();
}

} // namespace headscope::ui
