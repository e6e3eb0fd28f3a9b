#include "ui/views/why/why_choices.h"

#include "ui/tables/head_text.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QHBoxLayout>

#include <algorithm>
#include <functional>
#include <initializer_list>

namespace headscope::ui {
namespace {

constexpr int kWidestBox = 176;

QComboBox* positionBox(const char* name, const QString& accessible, QWidget* parent) {
    auto* box = new QComboBox(parent);
    box->setObjectName(QString::fromLatin1(name));
    box->setAccessibleName(accessible);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(6);
    box->setMaximumWidth(kWidestBox);
    box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    return box;
}

} // namespace

WhyChoices::WhyChoices(QWidget* parent) : QWidget(parent) {
    makeBoxes();
    layOut();
    connectBoxes();
}

void WhyChoices::makeBoxes() {
    query_ = positionBox("whyQuery", tr("Query"), this);
    query_->setToolTip(tr("The token that looks; a locked row chooses it, too"));
    key_ = positionBox("whyKey", tr("Key"), this);
    key_->setToolTip(tr("The token it looks at, those with the most attention first"));
    other_ = positionBox("whyOther", tr("Compared with"), this);
    other_->setToolTip(tr("What its score is compared with: why this key and not that"));
    least_ = new QComboBox(this);
    least_->setObjectName(QStringLiteral("whyLeast"));
    least_->setAccessibleName(tr("Smallest share in the graph"));
    least_->setToolTip(tr("The graph shows and follows only that through which this share of the "
                          "score goes"));
    for (const int percent : {40, 20, 10, 5})
        least_->addItem(tr("graph from %1 %").arg(percent), percent / 100.0);
    least_->setCurrentIndex(1);
}

void WhyChoices::layOut() {
    auto* from = new TextLabel(tr("From"), this);
    auto* to = new TextLabel(tr("to"), this);
    auto* rather = new TextLabel(tr("rather than"), this);
    for (QComboBox* box : {query_, key_, other_, least_})
        letShrink(box);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    for (QWidget* widget : std::initializer_list<QWidget*>{from, query_, to, key_, rather, other_})
        row->addWidget(widget, qobject_cast<QComboBox*>(widget) ? 1 : 0);
    row->addStretch(0);
    row->addWidget(least_);
}

void WhyChoices::connectBoxes() {
    connect(least_, &QComboBox::activated, this, &WhyChoices::changed);
    connect(other_, &QComboBox::activated, this, [this](int index) {
        const QVariant key = other_->itemData(index);
        contrast_ = key.isValid() ? ScoreContrast::Key
                    : index == 0  ? ScoreContrast::OtherKeys
                                  : ScoreContrast::Nothing;
        asked_other_ = static_cast<std::size_t>(key.toULongLong());
        emit changed();
    });
    connect(query_, &QComboBox::activated, this, [this](int index) {
        emit queryChosen(static_cast<std::size_t>(query_->itemData(index).toULongLong()));
    });
    connect(key_, &QComboBox::activated, this, [this](int index) {
        asked_key_ = static_cast<std::size_t>(key_->itemData(index).toULongLong());
        if (contrast_ == ScoreContrast::Key && asked_other_ == asked_key_)
            contrast_ = ScoreContrast::OtherKeys;
        emit keyChosen();
    });
}

double WhyChoices::leastShare() const {
    return least_->currentData().toDouble();
}

void WhyChoices::forgetCell() {
    asked_key_.reset();
    contrast_ = ScoreContrast::OtherKeys;
}

void WhyChoices::showReading(const WhyReading& reading) {
    const bool has_reading = reading.result != nullptr;
    for (QComboBox* box : {query_, key_, other_}) {
        box->clear();
        box->setEnabled(has_reading);
    }
    if (!has_reading)
        return;
    for (std::size_t position = 0; position < reading.run->positions(); ++position)
        query_->addItem(positionName(*reading.result, position), qulonglong{position});
    query_->setCurrentIndex(static_cast<int>(reading.parts.question.query));
    auto keys = reading.keys;
    std::ranges::stable_sort(keys, std::greater(), [](const auto& key) { return key.second; });
    for (const auto& [key, weight] : keys)
        key_->addItem(tr("%1  (%2)").arg(positionName(*reading.result, key), percentText(weight)),
                      qulonglong{key});
    key_->setCurrentIndex(key_->findData(qulonglong{reading.parts.question.key}));
    showContrasts(reading);
}

void WhyChoices::showContrasts(const WhyReading& reading) {
    const ScoreQuestion& cell = reading.parts.question;
    other_->setEnabled(reading.keys.size() > 1);
    other_->addItem(tr("the other keys"));
    other_->addItem(tr("nothing"));
    for (int i = 0; i < key_->count(); ++i) // strongest first, as there
        if (i != key_->currentIndex())
            other_->addItem(key_->itemText(i), key_->itemData(i));
    other_->setCurrentIndex(cell.contrast == ScoreContrast::Key
                                ? other_->findData(qulonglong{cell.other})
                                : cell.contrast == ScoreContrast::Nothing);
}

} // namespace headscope::ui
