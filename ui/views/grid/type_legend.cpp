#include "ui/views/grid/type_legend.h"

#include "core/heads/head_score.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"
#include "ui/views/grid/type_badge.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/tab_group.h"
#include "ui/widgets/elided_button.h"

#include <QGridLayout>
#include <QLabel>
#include <QList>
#include <QSet>
#include <QVBoxLayout>

namespace headscope::ui {
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
    note_ = new QLabel(content);
    note_->setTextFormat(Qt::PlainText);
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
               tr("<b>%1</b><br>%2 Click to see only this type in the grid, again to see all.")
                   .arg(toQString(type.name), toQString(type.summary)));
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
