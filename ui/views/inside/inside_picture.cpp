#include "ui/views/inside/inside_picture.h"

#include "ui/tables/head_text.h"
#include "ui/views/inside/inside_painter.h"
#include "ui/views/inside/inside_text.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::ui {
namespace {

constexpr int kInsideFigureWidth = 1100;
constexpr int kInsideFigureTitle = 30;

} // namespace

InsidePicture::InsidePicture(QWidget* parent) : PaintedPicture(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void InsidePicture::setReading(std::shared_ptr<const InsideReading> reading) {
    const std::optional<InsideCell> lit_before = lit();
    const bool is_of_same = reading && reading_ && reading->result == reading_->result &&
                            reading->steps.question.head == reading_->steps.question.head &&
                            reading->steps.question.query == reading_->steps.question.query;
    reading_ = std::move(reading);
    if (!is_of_same)
        chosen_.reset();
    layOut();
    if (lit_before && current_ && !hovered_) // the keys stay where they are
        current_ = placeOf(scene_, *lit_before);
    emit litChanged();
}

void InsidePicture::setOptions(const InsideOptions& options) {
    if (options == options_)
        return;
    options_ = options;
    layOut();
    emit litChanged();
}

void InsidePicture::layOut() {
    scene_ = reading_ ? layOutInside(*reading_, options_, std::max(leastWidth(), width()), font())
                      : InsideScene();
    const QPoint pointer = mapFromGlobal(QCursor::pos());
    hovered_ = underMouse() ? placeAt(scene_, pointer) : std::nullopt;
    const auto is_there = [this](const InsidePlace& place) {
        return place.line < scene_.lines.size() &&
               place.run < scene_.lines[place.line].runs.size() &&
               place.cell < scene_.lines[place.line].runs[place.run].cells();
    };
    if (current_ && !is_there(*current_))
        current_.reset();
    describe();
    updateGeometry();
    update();
}

std::optional<InsideCell> InsidePicture::lit() const {
    const auto place = hovered_ ? hovered_ : hasFocus() ? current_ : std::nullopt;
    return place ? std::optional(cellIn(scene_, *place)) : std::nullopt;
}

void InsidePicture::chooseKey(std::optional<std::size_t> row) {
    chosen_ = row;
    update();
}

QRectF InsidePicture::areaOf(const InsideCell& cell) const {
    const auto place = placeOf(scene_, cell);
    return place ? areaIn(scene_, *place) : QRectF();
}

/// For screen readers.
void InsidePicture::describe() {
    const auto cell = lit();
    setAccessibleDescription(!reading_ ? tr("Nothing is shown")
                             : cell    ? insideReadout(*reading_, *cell)
                                       : insideSentence(*reading_));
}

QString InsidePicture::title() const {
    return tr("Inside %1 at %2")
        .arg(headName(reading_->steps.question.head),
             positionName(*reading_->result, reading_->steps.question.query));
}

int InsidePicture::leastWidth() const {
    return reading_ ? static_cast<int>(leastInsideWidth(reading_->steps, font())) : 0;
}

QSize InsidePicture::sizeHint() const {
    return {leastWidth(), heightForWidth(leastWidth())};
}

QSize InsidePicture::minimumSizeHint() const {
    return {leastWidth(), 0};
}

int InsidePicture::heightForWidth(int width) const {
    if (!reading_)
        return 0;
    const double wide = std::max(leastWidth(), width);
    const QSizeF size = wide == scene_.size.width()
                            ? scene_.size
                            : layOutInside(*reading_, options_, wide, font()).size;
    return static_cast<int>(std::ceil(size.height()));
}

void InsidePicture::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(event->rect(), palette().base());
    if (reading_)
        paintInside(painter, scene_, reading_->steps, InsideInk::fromPalette(palette()),
                    {lit(), chosen_}, font(), event->rect());
}

void InsidePicture::resizeEvent(QResizeEvent* event) {
    if (event->oldSize().width() != event->size().width())
        layOut();
}

void InsidePicture::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        layOut();
}

void InsidePicture::setHovered(const std::optional<InsidePlace>& place) {
    if (place == hovered_)
        return;
    hovered_ = place;
    describe();
    update();
    emit litChanged();
}

void InsidePicture::mouseMoveEvent(QMouseEvent* event) {
    setHovered(placeAt(scene_, event->position()));
}

void InsidePicture::leaveEvent(QEvent*) {
    setHovered(std::nullopt);
}

void InsidePicture::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    if (const auto place = placeAt(scene_, event->position()))
        current_ = place;
    const auto line = std::ranges::find_if(scene_.lines, [&](const InsideLine& each) {
        return each.area.contains(event->position());
    });
    if (line == scene_.lines.end())
        return;
    if (line->kind == InsideLineKind::More)
        setOptions({options_.all_heads, !options_.all_keys});
    else if (line->key)
        emit keyClicked(*line->key);
}

void InsidePicture::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left:
        return step(-1, 0);
    case Qt::Key_Right:
        return step(1, 0);
    case Qt::Key_Up:
        return step(0, -1);
    case Qt::Key_Down:
        return step(0, 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (const auto cell = lit(); cell && isOfKey(cell->part))
            emit keyClicked(cell->row);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void InsidePicture::step(int columns, int lines) {
    if (hovered_)
        current_ = std::exchange(hovered_, std::nullopt);
    else if (!current_)
        current_ = firstPlace(scene_);
    if (!current_)
        return;
    current_ = neighbourOf(scene_, *current_, columns, lines);
    describe();
    update();
    emit litChanged();
    emit placeReached(areaIn(scene_, *current_).toAlignedRect());
}

void InsidePicture::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    if (!current_)
        current_ = firstPlace(scene_);
    describe();
    update();
    emit litChanged();
}

void InsidePicture::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    describe();
    update();
    emit litChanged();
}

Result<void> InsidePicture::saveFigure(const QString& path) const {
    const QFont font = fontOfFigure();
    const InsideScene scene = layOutInside(*reading_, options_, kInsideFigureWidth, font);
    const QSize page(kInsideFigureWidth,
                     kInsideFigureTitle + static_cast<int>(std::ceil(scene.size.height())));
    const QString note = whatIfSentence(reading_->steps.question.temperature);
    const QString shown = note.isEmpty() ? title() : QStringLiteral("%1 · %2").arg(title(), note);
    const InsideInk ink = InsideInk::forPaper();
    return saveDrawn(path, page, title(), note, [&](QPainter& painter) {
        painter.fillRect(QRectF({}, QSizeF(page)), ink.base);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setFont(font);
        painter.setPen(ink.text);
        painter.drawText(QRectF(10.0, 0.0, kInsideFigureWidth - 20.0, kInsideFigureTitle),
                         Qt::AlignLeft | Qt::AlignVCenter, shown);
        painter.translate(0.0, kInsideFigureTitle);
        paintInside(painter, scene, reading_->steps, ink, {std::nullopt, chosen_}, font,
                    QRectF({}, scene.size));
    });
}

} // namespace headscope::ui
