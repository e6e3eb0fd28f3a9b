#include "ui/widgets/weight_histogram.h"

#include "ui/markup/markup.h"
#include "ui/widgets/colours.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <numeric>
#include <utility>

namespace headscope::ui {
namespace {

constexpr double kLeastBar = 1.5; ///< pixels, of a part that holds something
constexpr double kBarGap = 1.0;

} // namespace

WeightHistogram::WeightHistogram(QWidget* parent) : QWidget(parent) {
    setMinimumSize(160, 48);
}

QSize WeightHistogram::sizeHint() const {
    return {260, 4 * fontMetrics().height()};
}

void WeightHistogram::setCounts(QVector<std::size_t> counts) {
    counts_ = std::move(counts);
    QStringList texts;
    for (qsizetype part = 0; part < counts_.size(); ++part)
        if (counts_[part] > 0)
            texts << partText(part);
    setAccessibleDescription(texts.join(QStringLiteral("; ")));
    update();
}

QString WeightHistogram::partText(qsizetype part) const {
    const auto edge = [&](qsizetype place) {
        return QString::number(static_cast<double>(place) / static_cast<double>(counts_.size()),
                               'f', 2);
    };
    return (counts_[part] == 1 ? tr("%1 to %2: %3 sequence") : tr("%1 to %2: %3 sequences"))
        .arg(edge(part), edge(part + 1))
        .arg(counts_[part]);
}

QRectF WeightHistogram::plotRect() const {
    const double line = fontMetrics().height();
    return {line / 2.0, 2.0, width() - line, height() - line - 4.0};
}

bool WeightHistogram::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || counts_.isEmpty())
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QRectF plot = plotRect();
    const double place = (help->pos().x() - plot.left()) / plot.width();
    if (place < 0.0 || place >= 1.0)
        QToolTip::hideText();
    else
        QToolTip::showText(
            help->globalPos(),
            asTip(partText(static_cast<qsizetype>(place * static_cast<double>(counts_.size())))),
            this);
    return true;
}

void WeightHistogram::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const HeatmapTheme theme = HeatmapTheme::fromPalette(palette());
    const QRectF plot = plotRect();
    painter.setPen(theme.frame);
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
    painter.setPen(theme.faint);
    const double line = fontMetrics().height();
    const QRectF names(plot.left() - line / 2.0, plot.bottom() + 1.0, plot.width() + line, line);
    painter.drawText(names, Qt::AlignLeft, QStringLiteral("0"));
    painter.drawText(names, Qt::AlignHCenter, tr("largest weight of a sequence"));
    painter.drawText(names, Qt::AlignRight, QStringLiteral("1"));
    const std::size_t most =
        counts_.isEmpty() ? 0 : *std::max_element(counts_.begin(), counts_.end());
    if (most == 0)
        return;
    const double width = plot.width() / static_cast<double>(counts_.size());
    for (qsizetype part = 0; part < counts_.size(); ++part) {
        if (counts_[part] == 0)
            continue;
        const double height =
            std::max(kLeastBar, plot.height() * static_cast<double>(counts_[part]) /
                                    static_cast<double>(most));
        painter.fillRect(QRectF(plot.left() + static_cast<double>(part) * width + kBarGap / 2.0,
                                plot.bottom() - height, width - kBarGap, height),
                         headColour(0, palette().color(QPalette::Window)));
    }
}

} // namespace headscope::ui
