#include "ui/views/inside/inside_page.h"

#include "ui/tables/head_text.h"
#include "ui/views/inside/inside_picture.h"
#include "ui/views/inside/inside_text.h"
#include "ui/views/inside/temperature_control.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/widgets/elided_text.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/stale.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr int kWidestQuery = 176;
constexpr int kReadoutLines = 2;
constexpr int kAroundCell = 24; ///< kept in sight around what the arrow keys reach

} // namespace

InsidePage::InsidePage(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
    makeControls();
    makePicture();
    layOut();
    connectDocument();
    showMessage(QString());
}

void InsidePage::makeControls() {
    query_ = new QComboBox(this);
    query_->setObjectName(QStringLiteral("insideQuery"));
    query_->setAccessibleName(tr("Query"));
    query_->setToolTip(tr("The token that looks; a locked row chooses it, too"));
    query_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    query_->setMinimumContentsLength(6);
    query_->setMaximumWidth(kWidestQuery);
    letShrink(query_);
    connect(query_, &QComboBox::activated, this,
            [this](int index) { document_.selection().lockRow(static_cast<std::size_t>(index)); });
    temperature_ = new TemperatureControl(this);
    connect(temperature_, &TemperatureControl::changed, this, &InsidePage::ask);
    all_heads_ = new QCheckBox(tr("All heads"), this);
    all_heads_->setObjectName(QStringLiteral("insideAllHeads"));
    all_heads_->setToolTip(tr("Show z of all heads of the layer side by side, as W_O reads them, "
                              "or that of this head alone"));
    connect(all_heads_, &QCheckBox::toggled, this, [this](bool is_on) {
        picture_->setOptions({is_on, picture_->options().all_keys});
    });
}

void InsidePage::makePicture() {
    sentence_ = new ElidedLabel(this);
    sentence_->setObjectName(QStringLiteral("insideSentence"));
    what_if_ = new TextLabel(this);
    what_if_->setObjectName(QStringLiteral("insideWhatIf"));
    QFont bold = what_if_->font();
    bold.setBold(true);
    what_if_->setFont(bold);
    message_ = new TextLabel(this);
    message_->setObjectName(QStringLiteral("insideMessage"));
    message_->setWordWrap(true);
    message_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    picture_ = new InsidePicture(this);
    picture_->setObjectName(QStringLiteral("insidePicture"));
    picture_->setAccessibleName(tr("What the head computes, step by step"));
    connect(picture_, &InsidePicture::litChanged, this, &InsidePage::showReadout);
    connect(picture_, &InsidePicture::keyClicked, this, &InsidePage::chooseKey);
    connect(picture_, &InsidePicture::placeReached, this, [this](QRect place) {
        area_->ensureVisible(place.center().x(), place.center().y(), kAroundCell, kAroundCell);
    });
    area_ = new QScrollArea(this);
    area_->setObjectName(QStringLiteral("insideArea"));
    area_->setWidget(picture_);
    area_->setWidgetResizable(true);
    area_->setFocusPolicy(Qt::NoFocus);
    readout_ = new TextLabel(this);
    readout_->setObjectName(QStringLiteral("insideReadout"));
    readout_->setWordWrap(true);
    readout_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    readout_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    readout_->setFixedHeight(kReadoutLines * readout_->fontMetrics().lineSpacing() + 2);
}

void InsidePage::layOut() {
    auto* at = new TextLabel(tr("At"), this);
    at->setBuddy(query_);
    auto* row = new QHBoxLayout;
    row->addWidget(at);
    row->addWidget(query_, 1);
    row->addStretch(0);
    row->addWidget(temperature_);
    row->addWidget(all_heads_);
    auto* said = new QHBoxLayout;
    said->addWidget(sentence_, 1);
    said->addWidget(what_if_);
    content_ = new QWidget(this);
    content_->setObjectName(QStringLiteral("insideContent"));
    auto* inner = new QVBoxLayout(content_);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->addLayout(said);
    inner->addWidget(message_, 1);
    inner->addWidget(area_, 1);
    inner->addWidget(readout_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(row);
    layout->addWidget(content_, 1);
}

void InsidePage::connectDocument() {
    connect(&document_, &Document::modelChanged, this, &InsidePage::ask);
    connect(&document_, &Document::shownChanged, this, &InsidePage::ask);
    connect(&document_.selection(), &Selection::headChanged, this, &InsidePage::ask);
    connect(&document_.selection(), &Selection::lockedRowChanged, this, &InsidePage::ask);
}

void InsidePage::setEmptyText(const QString& text) {
    empty_text_ = text;
    if (!reading_)
        showMessage(empty_text_);
}

void InsidePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    read();
}

void InsidePage::ask() {
    is_stale_ = true;
    read();
}

/// The locked row, else the position that predicts.
std::size_t InsidePage::query() const {
    const RunResult& result = *document_.shown().result;
    const std::size_t last = result.prompt.ids.size() - 1;
    return std::min(document_.selection().lockedRow().value_or(result.predicted_at.value_or(last)),
                    last);
}

void InsidePage::read() {
    const auto& result = document_.shown().result;
    if (!result) {
        worker_.cancel();
        reading_.reset();
        return showMessage(empty_text_);
    }
    if (!isVisible() || !is_stale_)
        return;
    is_stale_ = false;
    setStale(content_, true);
    const InsideQuestion question{result, document_.selection().head(), query(),
                                  temperature_->temperature()};
    worker_.start(
        [question, known = reading_](const Progress&, const std::stop_token& stop) {
            return readInside(question, known, stop);
        },
        [this](const Result<std::shared_ptr<const InsideReading>>& reading) { take(reading); });
}

void InsidePage::take(const Result<std::shared_ptr<const InsideReading>>& reading) {
    setStale(content_, false);
    reading_ = reading ? *reading : nullptr;
    if (reading)
        showReading();
    else
        showMessage(toQString(reading.error().message));
    emit shownChanged();
}

void InsidePage::showReading() {
    sentence_->setText(insideSentence(*reading_));
    what_if_->setText(whatIfSentence(reading_->steps.question.temperature));
    message_->hide();
    area_->show();
    picture_->setReading(reading_);
    showQueries();
    showReadout();
}

void InsidePage::showMessage(const QString& message) {
    sentence_->clear();
    what_if_->clear();
    picture_->setReading(nullptr);
    area_->hide();
    message_->setText(message);
    message_->show();
    showQueries();
    showReadout();
}

void InsidePage::showQueries() {
    const QSignalBlocker quiet(query_);
    const auto& result = document_.shown().result;
    if (result != queries_of_) {
        queries_of_ = result;
        query_->clear();
        for (std::size_t position = 0; result && position < result->prompt.ids.size(); ++position)
            query_->addItem(positionName(*result, position));
    }
    query_->setEnabled(result != nullptr);
    if (result)
        query_->setCurrentIndex(static_cast<int>(query()));
}

void InsidePage::showReadout() {
    const auto cell = picture_->lit();
    if (!reading_)
        readout_->clear();
    else if (cell)
        readout_->setText(insideReadout(*reading_, *cell));
    else
        readout_->setText(tr("Point at a number to read it and how it comes about. Blue is below "
                             "0, red above; each kind of vector has a scale of its own."));
}

void InsidePage::chooseKey(std::size_t row) {
    picture_->chooseKey(row);
    emit keyChosen(reading_->steps.question.query, reading_->positionOf(row));
}

std::shared_ptr<const InsideReading> InsidePage::shownReading() const {
    return reading_ && !isReading() ? reading_ : nullptr;
}

Result<void> InsidePage::saveFigure(const QString& path) const {
    if (!reading_ || isReading())
        return Error{ErrorCode::InvalidArgument,
                     tr("The head is being read; try again in a moment.").toStdString()};
    return picture_->saveFigure(path);
}

} // namespace headscope::ui
