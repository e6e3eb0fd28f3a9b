#include "ui/views/why/removal_bar.h"

#include "ui/tables/head_text.h"
#include "ui/views/pages/copy_actions.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <utility>

namespace headscope::ui {
namespace {

Repetition nothingMeasured() {
    return notRepeated(RemovalBar::tr("Nothing is measured without a part yet."));
}

} // namespace

RemovalBar::RemovalBar(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), repetition_(nothingMeasured()) {
    measure_ = new QPushButton(tr("&Measure Without It"), this);
    measure_->setObjectName(QStringLiteral("whyMeasure"));
    measure_->setToolTip(tr("Take the chosen part out of what this head reads, only there, and run "
                            "on: prediction beside measurement, and beside random directions"));
    measured_ = new QLabel(this);
    measured_->setObjectName(QStringLiteral("whyMeasured"));
    measured_->setTextFormat(Qt::PlainText);
    measured_->setWordWrap(true);
    measured_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    copies_ = new CopyActions(
        this, [this] { return repetition_; }, CopyActions::Keys::None);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(measure_, 0, Qt::AlignTop);
    layout->addWidget(measured_, 1);
    copy_ = copies_->makeButton(this);
    copy_->hide(); // until something is measured: the page itself is copied by its own commands
    layout->addWidget(copy_, 0, Qt::AlignTop);
    connect(measure_, &QPushButton::clicked, this, &RemovalBar::measure);
    connect(&worker_, &JobRunner::busyChanged, this, &RemovalBar::showState);
    connect(copies_, &CopyActions::said, measured_, &QLabel::setText);
}

void RemovalBar::setReading(const WhyReading& reading) {
    reading_ = reading;
    setChoice(std::nullopt, std::nullopt, tr("Choose a part in a table to take it away."));
}

void RemovalBar::forget() {
    worker_.cancel();
    setChoice(std::nullopt, std::nullopt, measured_->text());
}

void RemovalBar::choose(const RemovalQuestion& part, const QString& text) {
    setChoice(part, std::nullopt, text);
}

void RemovalBar::chooseDirection(std::size_t rank, const QString& text) {
    setChoice(std::nullopt, rank, text);
}

void RemovalBar::chooseNothing(const QString& text) {
    setChoice(std::nullopt, std::nullopt, text);
}

void RemovalBar::setChoice(std::optional<RemovalQuestion> part, std::optional<std::size_t> rank,
                           const QString& text) {
    part_ = std::move(part);
    direction_ = rank;
    repetition_ = nothingMeasured();
    measured_->setText(text);
    showState();
}

void RemovalBar::showState() {
    measure_->setEnabled(!worker_.isBusy() && (part_ || direction_));
    copy_->setVisible(bool(repetition_));
    copies_->refresh();
}

void RemovalBar::measure() {
    if (!part_ && !direction_)
        return;
    repetition_ = nothingMeasured();
    measured_->setText(tr("Measuring …"));
    worker_.start(
        [run = reading_.run, cell = reading_.parts.question, part = part_,
         rank = direction_](const Progress&, const std::stop_token& stop) -> Result<PartRemoval> {
            const auto question =
                part ? Result<RemovalQuestion>(*part)
                     : directionRemoval(*run, cell, HeadSide::Key, rank.value_or(1));
            return question ? removePart(*run, *question, stop) : question.error();
        },
        [this, rank = direction_](const Result<PartRemoval>& removal) { take(removal, rank); });
}

void RemovalBar::take(const Result<PartRemoval>& removal, std::optional<std::size_t> rank) {
    if (!removal)
        return measured_->setText(toQString(removal.error().message));
    measured_->setText(removalText(reading_, *removal));
    repetition_ = repetitionOfRemoval(document_, reading_, removal->question, rank);
    showState();
    document_.history().add(tr("Measured without %1").arg(partName(removal->question.part)),
                            repetition_);
}

} // namespace headscope::ui
