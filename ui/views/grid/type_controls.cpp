#include "ui/views/grid/type_controls.h"

#include "core/heads/head_score.h"
#include "core/heads/head_type.h"
#include "ui/document/document.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/tab_group.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/elided_text.h"
#include "ui/widgets/labels.h"

#include <QApplication>
#include <QGridLayout>
#include <QList>
#include <QPainter>
#include <QPixmap>
#include <QSet>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::ui {

namespace {

constexpr int kSide = 18; // logical pixels
constexpr int kScale = 3; // so that it stays sharp on dense screens

} // namespace

QColor typeColourOf(HeadTypeId id) {
    const auto all = headTypes();
    return typeColour(static_cast<int>(&headType(id) - all.data()));
}

ChipLook chipLook(TrustWord word) {
    switch (word) {
    case TrustWord::Cause:
        return ChipLook::Full;
    case TrustWord::Secondary:
        return ChipLook::Ringed;
    case TrustWord::Correlate:
        return ChipLook::Dashed;
    case TrustWord::Interferer:
        return ChipLook::Striped;
    case TrustWord::Description:
        return ChipLook::Faint;
    case TrustWord::Undecided:
    case TrustWord::Untested:
        break;
    }
    return ChipLook::Hollow;
}

namespace {

void paintBadge(QPainter& painter, HeadTypeId id, ChipLook look, const QColor& ground) {
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF square(0.5, 0.5, kSide - 1.0, kSide - 1.0);
    const QColor letter = paintChip(painter, square, 4.0, look, typeColourOf(id), ground);
    QFont font = QApplication::font();
    font.setBold(look != ChipLook::Faint);
    font.setPixelSize(12);
    painter.setFont(font);
    painter.setPen(letter);
    painter.drawText(square, Qt::AlignCenter, QString(QLatin1Char(headType(id).letter)));
}

} // namespace

QIcon typeIcon(HeadTypeId id) {
    QPixmap pixmap(kSide * kScale, kSide * kScale);
    pixmap.setDevicePixelRatio(kScale);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintBadge(painter, id, ChipLook::Full, Qt::transparent);
    painter.end();
    return QIcon(pixmap);
}

TypeBadge::TypeBadge(HeadTypeId type, QWidget* parent) : QWidget(parent), type_(type) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void TypeBadge::setLook(ChipLook look) {
    look_ = look;
    update();
}

QSize TypeBadge::sizeHint() const {
    return {kSide, kSide};
}

void TypeBadge::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintBadge(painter, type_, look_, palette().color(QPalette::Window));
}

ScoreBox::ScoreBox(const QString& none, QWidget* parent) : QComboBox(parent), none_(none) {
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(12);
    setMaxVisibleItems(30);
    if (!none_.isEmpty())
        addItem(none_);
    connect(this, &QComboBox::activated, this, [this] {
        if (wanted_ == chosen())
            return;
        wanted_ = chosen();
        emit changed();
    });
}

void ScoreBox::setTypes(const std::vector<HeadTypeId>& types) {
    if (types == types_)
        return;
    types_ = types;
    clear();
    if (!none_.isEmpty())
        addItem(none_);
    for (const HeadTypeId id : types_) {
        addItem(typeIcon(id), typeName(id), static_cast<int>(id));
        setItemData(count() - 1, asTip(wide(typeTip(headType(id)))), Qt::ToolTipRole);
    }
    showWanted();
}

void ScoreBox::choose(std::optional<HeadTypeId> type) {
    wanted_ = type;
    showWanted();
}

std::optional<HeadTypeId> ScoreBox::chosen() const {
    const QVariant id = currentData();
    return id.isValid() ? std::optional(static_cast<HeadTypeId>(id.toInt())) : std::nullopt;
}

void ScoreBox::showWanted() {
    const int found = wanted_ ? findData(static_cast<int>(*wanted_)) : 0;
    setCurrentIndex(std::min(std::max(found, 0), count() - 1));
}

namespace {

constexpr int kLegendColumns = 2;
constexpr int kLegendRows = 8; ///< most models have fewer types; more scroll
constexpr int kLegendSpacing = 2;

} // namespace

TypeLegend::TypeLegend(Document& document, QWidget* parent)
    : QScrollArea(parent), document_(document) {
    setObjectName(QStringLiteral("typeLegend"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWidgetResizable(true);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    shown_ = new TabGroup(kLegendColumns, this);
    connect(shown_, &TabGroup::reached, this,
            [this](QWidget* button) { ensureWidgetVisible(button, 0, 0); });
    auto* content = new QWidget(this);
    places_ = new QGridLayout;
    places_->setSpacing(kLegendSpacing);
    for (const HeadType& type : headTypes())
        buttons_.insert(type.id, makeButton(type));
    note_ = new TextLabel(content);
    note_->setObjectName(QStringLiteral("gridNote"));
    note_->setWordWrap(true);
    note_->setForegroundRole(QPalette::PlaceholderText);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(places_);
    layout->addWidget(note_);
    layout->addStretch(1);
    setWidget(content);
    connect(&document_, &Document::modelChanged, this, &TypeLegend::showTypes);
    connect(&document_, &Document::labelsChanged, this, &TypeLegend::showTypes);
    connect(&document_.selection(), &Selection::shownTypesChanged, this, &TypeLegend::showTypes);
    setNote({});
    showTypes();
}

QToolButton* TypeLegend::makeButton(const HeadType& type) {
    auto* button = new ElidedButton(this);
    button->setObjectName(QStringLiteral("legend_%1").arg(toQString(type.key)));
    button->setText(toQString(type.name));
    button->setIcon(typeIcon(type.id));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setCheckable(true);
    button->setAutoRaise(true);
    // The types that are shown come and go and must not move the splitter.
    button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setRichTip(button,
               markup(tr("<b>%1</b><br>%2 Click to see only this type in the grid, again to see "
                         "all."),
                      toQString(type.name), toQString(type.summary)));
    connect(button, &QToolButton::toggled, this,
            [this, id = type.id](bool only) { document_.selection().showType(id, only); });
    button->hide();
    return button;
}

void TypeLegend::setNote(const QString& note) {
    note_->setText(note);
    note_->setVisible(!note.isEmpty());
}

QSize TypeLegend::sizeHint() const {
    const int row = buttons_.first()->sizeHint().height() + kLegendSpacing;
    return {QScrollArea::sizeHint().width(), kLegendRows * row};
}

void TypeLegend::showTypes() {
    // What is shown is there, so that a choice can be taken back.
    QSet<HeadTypeId> present = document_.selection().shownTypes();
    if (const auto scores = document_.headScorer().scores())
        for (const LayerHead head : scores->heads)
            for (const HeadTypeId id : labels(*scores, head, document_.thresholds()))
                present.insert(id);
    QList<QWidget*> shown;
    for (const HeadType& type : headTypes()) {
        QToolButton* button = buttons_.value(type.id);
        places_->removeWidget(button);
        button->setVisible(present.contains(type.id));
        if (!present.contains(type.id))
            continue;
        const int place = static_cast<int>(shown.size());
        places_->addWidget(button, place / kLegendColumns, place % kLegendColumns);
        shown << button;
    }
    shown_->setMembers(shown);
}

} // namespace headscope::ui
