#include "ui/widgets/layer_bars.h"

#include "ui/markup/markup.h"
#include "ui/widgets/colours.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStringList>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace headscope::ui {
namespace {

constexpr double kWidestColumn = 34.0; ///< pixels
constexpr double kTallestBlock = 16.0;
constexpr double kColumnGap = 0.25; ///< of a column
constexpr double kBlockGap = 1.0;   ///< pixels
constexpr double kGoneShare = 0.12; ///< of the text's colour in blocks of heads that went

} // namespace

LayerBars::LayerBars(QWidget* parent) : QWidget(parent) {
    setMinimumSize(160, 90);
}

void LayerBars::setLayers(QVector<Layer> layers) {
    layers_ = std::move(layers);
    QStringList texts;
    for (const Layer& layer : std::as_const(layers_))
        texts << layer.text;
    setAccessibleDescription(layers_.isEmpty() ? empty_text_ : texts.join(QLatin1Char('\n')));
    update();
}

void LayerBars::setEmptyText(const QString& text) {
    empty_text_ = text;
    if (layers_.isEmpty())
        setAccessibleDescription(text);
    update();
}

QRectF LayerBars::columnRect(qsizetype layer) const {
    const double line = fontMetrics().height();
    const auto count = static_cast<double>(layers_.size());
    const double width = std::min(kWidestColumn, this->width() / count);
    const double top = line;
    return {static_cast<double>(layer) * width, top, width, height() - top - line};
}

void LayerBars::paintColumn(QPainter& painter, qsizetype layer) const {
    const QRectF column = columnRect(layer);
    const QVector<bool>& stays = layers_[layer].stays;
    const QColor kept = palette().color(QPalette::Highlight);
    const QColor gone =
        blend(palette().color(QPalette::Window), palette().color(QPalette::WindowText), kGoneShare);
    const double width = (1.0 - kColumnGap) * column.width();
    const double block = std::min(
        kTallestBlock, column.height() / static_cast<double>(std::max<qsizetype>(1, stays.size())));
    const double gap = block > 3.0 * kBlockGap ? kBlockGap : 0.0;
    for (qsizetype head = 0; head < stays.size(); ++head)
        painter.fillRect(QRectF(column.left() + (column.width() - width) / 2.0,
                                column.bottom() - static_cast<double>(head + 1) * block, width,
                                block - gap),
                         stays[head] ? kept : gone);
    const double top = column.bottom() - static_cast<double>(stays.size()) * block;
    const double line = fontMetrics().height();
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(QRectF(column.left(), top - line, column.width(), line), Qt::AlignCenter,
                     QString::number(std::ranges::count(stays, true)));
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(QRectF(column.left(), column.bottom(), column.width(), line), Qt::AlignCenter,
                     QStringLiteral("L%1").arg(layer));
}

void LayerBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (layers_.isEmpty()) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, empty_text_);
        return;
    }
    QFont small = font();
    if (columnRect(0).width() < fontMetrics().horizontalAdvance(QStringLiteral("L00 ")))
        small.setPointSizeF(std::max(5.0, 0.6 * font().pointSizeF()));
    painter.setFont(small);
    for (qsizetype layer = 0; layer < layers_.size(); ++layer)
        paintColumn(painter, layer);
}

bool LayerBars::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (qsizetype layer = 0; layer < layers_.size(); ++layer)
        if (columnRect(layer).contains(help->pos())) {
            QToolTip::showText(help->globalPos(), asTip(layers_[layer].text), this);
            return true;
        }
    QToolTip::hideText();
    return true;
}

} // namespace headscope::ui
