#include "ui/widgets/token_strip.h"

#include "ui/markup/markup.h"
#include "ui/widgets/colours.h"

#include <QContextMenuEvent>
#include <QHash>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr int kPadding = 6;     ///< beside the text of a chip
constexpr int kChipGap = 4;     ///< between chips and between lines
constexpr int kStripMargin = 2; ///< around all chips, room for the outline
constexpr int kScrollMark = 6;  ///< width kept free at the right for the scroll mark
constexpr int kLines = 3;
constexpr double kBar = 3.0;        ///< height of the bar of a change
constexpr double kSecondLine = 2.0; ///< height of the line over tokens of a second text
constexpr int kLongest = 16;        ///< widest text of a chip, in average characters

} // namespace

TokenStrip::TokenStrip(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Tokens"));
}

void TokenStrip::setChips(QVector<TokenChip> chips) {
    const bool resized = chips.size() != chips_.size();
    chips_ = std::move(chips);
    if (current_ && *current_ >= chips_.size())
        current_.reset();
    hovered_.reset();
    measure();
    layOut();
    describe();
    tellCellsChanged(*this, resized);
    updateGeometry();
    update();
}

void TokenStrip::setWeights(std::span<const float> weights) {
    auto weight = weights.begin();
    for (TokenChip& chip : chips_)
        chip.weight = weights.empty() ? std::nullopt : std::optional<double>(*weight++);
    update();
}

void TokenStrip::setChanges(std::span<const double> changes) {
    auto change = changes.begin();
    for (TokenChip& chip : chips_)
        chip.change = changes.empty() ? std::nullopt : std::optional<double>(*change++);
    update();
}

void TokenStrip::setUnderlined(qsizetype first, qsizetype end) {
    underlined_from_ = first;
    underlined_to_ = end;
    update();
}

void TokenStrip::setCurrent(std::optional<qsizetype> position) {
    const auto before = current_;
    current_ = position && *position >= 0 && *position < chips_.size() ? position : std::nullopt;
    if (current_)
        scrollIntoSight(*current_);
    describe();
    if (current_ != before)
        tellCurrentCell(*this);
    update();
}

void TokenStrip::describe() {
    setAccessibleDescription(current_ ? tr("Token %1 of %2: %3")
                                            .arg(*current_ + 1)
                                            .arg(chips_.size())
                                            .arg(chips_[*current_].text)
                             : chips_.size() == 1 ? tr("1 token")
                                                  : tr("%1 tokens").arg(chips_.size()));
}

QFont TokenStrip::chipFont(const TokenChip& chip) const {
    QFont chip_font = font();
    chip_font.setItalic(chip.special);
    return chip_font;
}

int TokenStrip::lineHeight() const {
    return fontMetrics().height() + 6;
}

void TokenStrip::measure() {
    // Thousands of tokens are hundreds of different ones.
    QHash<std::pair<bool, QString>, int> known;
    text_widths_.clear();
    text_widths_.reserve(chips_.size());
    for (const TokenChip& chip : chips_) {
        const auto key = std::pair(chip.special, chip.text);
        auto found = known.constFind(key);
        if (found == known.constEnd())
            found = known.insert(key, QFontMetrics(chipFont(chip)).horizontalAdvance(chip.text));
        text_widths_.append(*found);
    }
}

QVector<QRect> TokenStrip::rectsFor(int width) const {
    const int right = width - kStripMargin - kScrollMark;
    const int longest = std::min(kLongest * fontMetrics().averageCharWidth() + 2 * kPadding,
                                 std::max(1, right - kStripMargin));
    QVector<QRect> rects;
    rects.reserve(text_widths_.size());
    QPoint corner(kStripMargin, kStripMargin);
    const int line = lineHeight();
    for (const int text : text_widths_) {
        const QSize size(std::clamp(text + 2 * kPadding, line, std::max(line, longest)), line);
        if (corner.x() > kStripMargin && corner.x() + size.width() > right)
            corner = QPoint(kStripMargin, corner.y() + line + kChipGap);
        rects.append(QRect(corner, size));
        corner.rx() += size.width() + kChipGap;
    }
    return rects;
}

void TokenStrip::layOut() {
    rects_ = rectsFor(width());
    scrollTo(scroll_);
}

int TokenStrip::contentHeight() const {
    return rects_.isEmpty() ? 0 : rects_.last().bottom() + 1 + kStripMargin;
}

void TokenStrip::scrollTo(int offset) {
    scroll_ = std::clamp(offset, 0, std::max(0, contentHeight() - height()));
    update();
}

void TokenStrip::scrollIntoSight(qsizetype position) {
    const QRect rect = rects_[position];
    if (rect.top() - kStripMargin < scroll_)
        scrollTo(rect.top() - kStripMargin);
    else if (rect.bottom() + 1 + kStripMargin > scroll_ + height())
        scrollTo(rect.bottom() + 1 + kStripMargin - height());
}

QRect TokenStrip::chipRect(qsizetype position) const {
    return rects_[position].translated(0, -scroll_);
}

QSize TokenStrip::sizeHint() const {
    return {480, heightForWidth(width())};
}

QSize TokenStrip::minimumSizeHint() const {
    return {120, lineHeight() + 2 * kStripMargin};
}

int TokenStrip::heightForWidth(int width) const {
    const QVector<QRect> rects = rectsFor(width);
    const int content = rects.isEmpty() ? lineHeight() + 2 * kStripMargin
                                        : rects.last().bottom() + 1 + kStripMargin;
    return std::min(content, kLines * lineHeight() + (kLines - 1) * kChipGap + 2 * kStripMargin);
}

std::optional<qsizetype> TokenStrip::chipAt(QPoint position) const {
    const QPoint unscrolled = position + QPoint(0, scroll_);
    const auto found = std::find_if(rects_.begin(), rects_.end(),
                                    [&](const QRect& rect) { return rect.contains(unscrolled); });
    if (found == rects_.end())
        return std::nullopt;
    return found - rects_.begin();
}

void TokenStrip::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (qsizetype i = 0; i < chips_.size(); ++i) {
        if (chipRect(i).intersects(event->rect()))
            paintChip(painter, i);
    }
    if (contentHeight() > height())
        paintScrollMark(painter);
    if (hasFocus() && !current_) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1.0, 1.0, -1.0, -1.0), 6.0, 6.0);
    }
}

void TokenStrip::paintChip(QPainter& painter, qsizetype position) const {
    const TokenChip& chip = chips_[position];
    const QColor window = palette().color(QPalette::Window);
    const QColor text = palette().color(QPalette::WindowText);
    const QColor accent = palette().color(QPalette::Highlight);
    QColor fill = chip.special ? window : blend(window, text, hovered_ == position ? 0.16 : 0.08);
    if (chip.weight)
        fill = blend(fill, accent, *chip.weight);

    const QRectF outline = QRectF(chipRect(position)).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setBrush(fill);
    painter.setPen(chip.special ? QPen(blend(window, text, 0.5), 1.0, Qt::DashLine)
                                : QPen(blend(window, text, 0.22), 1.0));
    if (chip.differs)
        painter.setPen(QPen(changeColour(true), 2.0));
    if (current_ == position)
        painter.setPen(QPen(hasFocus() ? accent : text, 2.0));
    painter.drawRoundedRect(outline, 5.0, 5.0);

    const QColor on_fill = chip.weight && *chip.weight > 0.3 ? readableOn(fill) : text;
    QFont chip_font = chipFont(chip);
    chip_font.setUnderline(isUnderlined(position));
    painter.setFont(chip_font);
    painter.setPen(chip.special && !chip.weight ? blend(window, text, 0.75) : on_fill);
    const QRect inside = chipRect(position).adjusted(kPadding - 1, 0, 1 - kPadding, 0);
    painter.drawText(inside, Qt::AlignCenter | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(chip.text, Qt::ElideRight, inside.width()));
    if (chip.second)
        paintSecond(painter, outline);
    if (chip.change)
        paintChange(painter, outline, *chip.change);
}

void TokenStrip::paintSecond(QPainter& painter, const QRectF& chip) const {
    painter.setPen(QPen(palette().color(QPalette::Highlight), kSecondLine));
    const double y = chip.top() + kSecondLine / 2.0;
    painter.drawLine(QPointF(chip.left() + kChipGap, y), QPointF(chip.right() - kChipGap, y));
}

void TokenStrip::paintChange(QPainter& painter, const QRectF& chip, double change) const {
    const double half = chip.width() / 2.0 - kChipGap;
    const double length = half * std::clamp(change, -1.0, 1.0);
    const QRectF foot(chip.center().x(), chip.bottom() - kBar, length, kBar);
    painter.setPen(QPen(palette().color(QPalette::Window), 0.8));
    painter.setBrush(changeColour(change > 0.0));
    if (change != 0.0)
        painter.drawRect(foot.normalized());
}

void TokenStrip::paintScrollMark(QPainter& painter) const {
    const double scale = static_cast<double>(height()) / contentHeight();
    const QRectF mark(width() - 4.0, scroll_ * scale, 4.0, std::max(8.0, height() * scale));
    painter.setPen(Qt::NoPen);
    painter.setBrush(
        blend(palette().color(QPalette::Window), palette().color(QPalette::WindowText), 0.4));
    painter.drawRoundedRect(mark, 2.0, 2.0);
}

void TokenStrip::setHovered(std::optional<qsizetype> position) {
    if (position == hovered_)
        return;
    hovered_ = position;
    update();
    if (hovered_)
        emit chipHovered(*hovered_);
    else
        emit hoverLeft();
}

void TokenStrip::mouseMoveEvent(QMouseEvent* event) {
    setHovered(chipAt(event->position().toPoint()));
}

void TokenStrip::leaveEvent(QEvent*) {
    setHovered(std::nullopt);
}

void TokenStrip::mousePressEvent(QMouseEvent* event) {
    const auto position = chipAt(event->position().toPoint());
    if (!position || event->button() != Qt::LeftButton)
        return;
    if (event->modifiers().testFlag(Qt::ControlModifier))
        emit chipPicked(*position);
    else
        emit chipClicked(*position);
}

void TokenStrip::contextMenuEvent(QContextMenuEvent* event) {
    const bool by_keyboard = event->reason() == QContextMenuEvent::Keyboard;
    const auto position = by_keyboard ? current_ : chipAt(event->pos());
    if (!position)
        return event->ignore();
    emit contextMenuRequested(*position, by_keyboard ? mapToGlobal(chipRect(*position).center())
                                                     : event->globalPos());
}

void TokenStrip::keyPressEvent(QKeyEvent* event) {
    const qsizetype last = chips_.size() - 1;
    std::optional<qsizetype> target;
    switch (event->key()) {
    case Qt::Key_Left:
        target = current_ ? std::max<qsizetype>(*current_ - 1, 0) : last;
        break;
    case Qt::Key_Right:
        target = current_ ? std::min(*current_ + 1, last) : 0;
        break;
    case Qt::Key_Home:
        target = 0;
        break;
    case Qt::Key_End:
        target = last;
        break;
    case Qt::Key_Space:
    case Qt::Key_Return:
        if (current_ && event->modifiers().testFlag(Qt::ControlModifier))
            emit chipPicked(*current_);
        else if (current_)
            emit chipClicked(*current_);
        return;
    default:
        break;
    }
    if (!target || chips_.isEmpty())
        return QWidget::keyPressEvent(event);
    if (target == current_)
        return;
    setCurrent(target);
    emit chipClicked(*target);
}

void TokenStrip::wheelEvent(QWheelEvent* event) {
    if (contentHeight() <= height())
        return event->ignore();
    // One notch is 120 and scrolls by one line.
    scrollTo(scroll_ - event->angleDelta().y() * (lineHeight() + kChipGap) / 120);
    setHovered(chipAt(event->position().toPoint()));
    event->accept();
}

void TokenStrip::resizeEvent(QResizeEvent*) {
    layOut();
}

void TokenStrip::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        measure();
        layOut();
        updateGeometry();
    }
    QWidget::changeEvent(event);
}

bool TokenStrip::event(QEvent* event) {
    if (event->type() == QEvent::FocusIn)
        tellFocusLater(*this);
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto position = chipAt(help->pos());
    if (position && !chips_[*position].tooltip.isEmpty())
        QToolTip::showText(help->globalPos(), asTip(chips_[*position].tooltip), this,
                           chipRect(*position));
    else
        QToolTip::hideText();
    return true;
}

} // namespace headscope::ui
