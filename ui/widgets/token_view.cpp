#include "ui/widgets/token_view.h"

#include "ui/widgets/colours.h"
#include "ui/widgets/figure/figure_file.h"
#include "ui/widgets/tokens/token_figure.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::ui {
namespace {

constexpr int kViewMargin = 12; ///< around the tokens

} // namespace

TokenView::TokenView(QWidget* parent) : QAbstractScrollArea(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    viewport()->setBackgroundRole(QPalette::Base);
    viewport()->setAutoFillBackground(true);
}

void TokenView::setContent(TokenContent content) {
    const bool other_tokens = content.labels != content_.labels;
    content_ = std::move(content);
    if (current_ && *current_ >= content_.tokens())
        current_.reset();
    if (other_tokens)
        hovered_.reset();
    forget();
    place();
    if (other_tokens)
        verticalScrollBar()->setValue(0);
    describe();
    viewport()->update();
}

void TokenView::setEmpty(const QString& message) {
    empty_text_ = message;
    setContent({});
}

void TokenView::setCurrent(std::optional<std::size_t> token) {
    current_ = token && *token < content_.tokens() ? token : std::nullopt;
    if (current_)
        scrollTo(*current_);
    describe();
    viewport()->update();
}

void TokenView::setDirection(TokenDirection direction) {
    direction_ = direction;
    viewport()->update();
}

std::optional<TokenView::Reading> TokenView::reading() const {
    if (current_)
        return Reading{*current_, direction_};
    return hovered_ ? hovered_ : resting();
}

std::optional<std::size_t> TokenView::hovered() const {
    return hovered_ ? std::optional(hovered_->token) : std::nullopt;
}

void TokenView::setReadingText(const QString& text) {
    reading_text_ = text;
    describe();
}

void TokenView::describe() {
    if (isEmpty())
        return setAccessibleDescription(empty_text_);
    const QString place = current_ ? tr("Token %1 of %2: %3.")
                                         .arg(*current_ + 1)
                                         .arg(content_.labels.size())
                                         .arg(content_.labels[static_cast<qsizetype>(*current_)])
                                   : tr("%1 tokens.").arg(content_.labels.size());
    setAccessibleDescription(place + QLatin1Char(' ') + reading_text_);
}

HeatmapTheme TokenView::theme() const {
    return HeatmapTheme::fromPalette(palette());
}

void TokenView::place() {
    layOut(viewport()->width() - 2 * kViewMargin);
    const int height = static_cast<int>(std::ceil(contentHeight())) + 2 * kViewMargin;
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(fontMetrics().height() * 2);
    verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
}

QRect TokenView::tokenRect(std::size_t token) const {
    return rectOf(token)
        .translated(kViewMargin, kViewMargin - verticalScrollBar()->value())
        .toAlignedRect();
}

void TokenView::scrollTo(std::size_t token) {
    const QRect rect = tokenRect(token).adjusted(0, -kViewMargin, 0, kViewMargin);
    const int below = std::max(0, rect.bottom() - viewport()->height() + 1);
    const int above = std::min(0, rect.top());
    verticalScrollBar()->setValue(verticalScrollBar()->value() + (above < 0 ? above : below));
}

Result<void> TokenView::saveFigure(const QString& path, int width, double png_scale) const {
    const TokenFigure figure{content_.title, content_.note,   &content_,
                             width,          font().family(), png_scale};
    return saveTokenFigure(path, figure, figureHeight(figure.innerWidth()),
                           [&](QPainter& painter) { drawFigure(painter, figure.innerWidth()); });
}

void TokenView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    if (isEmpty()) {
        painter.setPen(theme().faint);
        painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24),
                         Qt::AlignCenter | Qt::TextWordWrap, empty_text_);
        return;
    }
    const QPointF origin(kViewMargin, kViewMargin - verticalScrollBar()->value());
    painter.translate(origin);
    draw(painter, QRectF(event->rect()).translated(-origin));
    painter.translate(-origin);
    if (!hasFocus())
        return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().accent, 1.5));
    painter.drawRect(QRectF(viewport()->rect()).adjusted(0.75, 0.75, -0.75, -0.75));
}

void TokenView::resizeEvent(QResizeEvent*) {
    place();
    emit scrolled();
}

void TokenView::scrollContentsBy(int, int) {
    viewport()->update();
    emit scrolled();
}

void TokenView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange ||
        event->type() == QEvent::PaletteChange) {
        forget();
        place();
        viewport()->update();
    }
}

bool TokenView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave)
        setHovered(std::nullopt);
    return QAbstractScrollArea::viewportEvent(event);
}

void TokenView::setHovered(std::optional<Reading> hovered) {
    if (hovered == hovered_)
        return;
    hovered_ = hovered;
    viewport()->update();
    emit readingChanged();
}

void TokenView::mouseMoveEvent(QMouseEvent* event) {
    const QPointF origin(kViewMargin, kViewMargin - verticalScrollBar()->value());
    setHovered(isEmpty() ? std::nullopt : readingAt(event->position() - origin));
}

void TokenView::mousePressEvent(QMouseEvent* event) {
    mouseMoveEvent(event);
    if (hovered_ && event->button() == Qt::LeftButton)
        emit tokenClicked(hovered_->token);
}

void TokenView::keyPressEvent(QKeyEvent* event) {
    if (isEmpty())
        return QAbstractScrollArea::keyPressEvent(event);
    const std::size_t last = content_.tokens() - 1;
    const std::size_t from = current_.value_or(last);
    std::size_t target = from;
    switch (event->key()) {
    case Qt::Key_Left:
        target = from > 0 && current_ ? from - 1 : from;
        break;
    case Qt::Key_Right:
        target = current_ ? std::min(from + 1, last) : from;
        break;
    case Qt::Key_Up:
        target = neighbour(from, -1);
        break;
    case Qt::Key_Down:
        target = neighbour(from, 1);
        break;
    case Qt::Key_Home:
        target = 0;
        break;
    case Qt::Key_End:
        target = last;
        break;
    case Qt::Key_Escape:
        if (current_)
            emit tokenClicked(*current_);
        return;
    default:
        return QAbstractScrollArea::keyPressEvent(event);
    }
    setHovered(std::nullopt);
    if (target != current_)
        emit tokenClicked(target);
}

void TokenView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void TokenView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace headscope::ui
