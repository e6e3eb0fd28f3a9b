#include "ui/views/window/messages.h"

#include "core/base/utf8.h"
#include "core/io/tensor_source.h"
#include "core/model/model.h"
#include "ui/tables/head_text.h"
#include "ui/tables/model_tables.h"
#include "ui/views/pages/job_indicator.h"
#include "ui/widgets/labels.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QStatusBar>
#include <QToolButton>

#include <algorithm>
#include <chrono>
#include <utility>

namespace headscope::ui {

namespace {

constexpr std::chrono::seconds kInfoStays{12};
constexpr QRgb kInfoTint = 0xff0072b2;
constexpr QRgb kErrorTint = 0xffd55e00;
constexpr int kMessageWidth = 360;
constexpr int kFromEdge = 10;

/// Control characters of names are escaped: they could reverse or hide the words after them.
QString withEscapedControls(const QString& text) {
    QStringList lines = text.split(QLatin1Char('\n'));
    for (QString& line : lines)
        line = toQString(escapeControls(line.toStdString()));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

MessageBar::MessageBar(QWidget* parent) : TintedFrame(kInfoTint, parent) {
    setObjectName(QStringLiteral("messageBar"));
    text_ = new TextLabel(this);
    text_->setObjectName(QStringLiteral("messageText"));
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    for (QPushButton*& button : buttons_)
        button = new QPushButton(this);
    buttons_[0]->setObjectName(QStringLiteral("messageAction"));
    buttons_[1]->setObjectName(QStringLiteral("messageOther"));
    auto* close = new QToolButton(this);
    close->setObjectName(QStringLiteral("messageClose"));
    close->setText(QStringLiteral("✕"));
    close->setAutoRaise(true);
    close->setToolTip(tr("Close this message"));
    close->setAccessibleName(tr("Close message"));

    setFrameShape(QFrame::StyledPanel);
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(12, 8, 8, 8);
    layout->addWidget(text_, 0, 0);
    layout->addWidget(close, 0, 1, Qt::AlignTop);
    auto* row = new QHBoxLayout;
    for (QPushButton* button : buttons_)
        row->addWidget(button);
    row->addStretch(1);
    layout->addLayout(row, 1, 0);
    layout->setColumnStretch(0, 1);

    connect(close, &QToolButton::clicked, this, &MessageBar::closeMessage);
    for (std::size_t i = 0; i < buttons_.size(); ++i)
        connect(buttons_[i], &QPushButton::clicked, this, [this, i] { take(i); });
    away_.setSingleShot(true);
    away_.setInterval(kInfoStays);
    connect(&away_, &QTimer::timeout, this, &MessageBar::endMessage);
    parent->installEventFilter(this);
    hide();
}

bool MessageBar::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest)
        place();
    return TintedFrame::event(event);
}

bool MessageBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize)
        place();
    return TintedFrame::eventFilter(watched, event);
}

void MessageBar::place() {
    const QSize room = parentWidget()->size() - 2 * QSize(kFromEdge, kFromEdge);
    const int width = std::min(kMessageWidth, room.width());
    const int height = std::min(heightForWidth(width), room.height());
    setGeometry(kFromEdge + room.width() - width, kFromEdge + room.height() - height, width,
                height);
}

void MessageBar::showError(const QString& text) {
    appear({.text = text, .is_error = true});
}

void MessageBar::showInfo(const QString& text, const QString& action_text,
                          std::function<void()> action) {
    Message message{.text = text};
    if (!action_text.isEmpty())
        message.choices.push_back({action_text, std::move(action)});
    appear(message);
    away_.start();
}

void MessageBar::showOffer(const QString& text, const std::vector<Choice>& choices) {
    offer_ = {.text = text, .choices = choices, .is_offer = true};
    if (isHidden() || shown_.is_offer)
        appear(*offer_);
}

void MessageBar::endMessage() {
    if (offer_)
        appear(*offer_);
    else
        hide();
}

void MessageBar::closeMessage() {
    if (shown_.is_offer)
        offer_.reset();
    endMessage();
}

void MessageBar::take(std::size_t choice) {
    const auto act = shown_.choices[choice].act;
    closeMessage();
    act();
}

QString MessageBar::text() const {
    return text_->text();
}

void MessageBar::appear(const Message& message) {
    shown_ = message;
    away_.stop();
    const QString text = withEscapedControls(message.text);
    text_->setText(text);
    setAccessibleName(text);
    setTint(message.is_error ? kErrorTint : kInfoTint);
    for (std::size_t i = 0; i < buttons_.size(); ++i) {
        const bool is_there = i < message.choices.size();
        buttons_[i]->setText(is_there ? message.choices[i].text : QString());
        buttons_[i]->setVisible(is_there);
    }
    place();
    show();
    raise();
}

StatusView::StatusView(Document& document, QStatusBar* bar) : QObject(bar), document_(document) {
    run_ = new TextLabel(bar);
    run_->setObjectName(QStringLiteral("runLabel"));
    model_ = new TextLabel(bar);
    model_->setObjectName(QStringLiteral("modelLabel"));
    auto* jobs = new JobIndicator(bar);
    jobs->watch(document_.loader(), tr("Loading"));
    jobs->watch(document_.headScorer().worker(), tr("Measuring types"));
    jobs->watch(document_.headScorer().promptReader(), tr("Reading types off the prompt"));
    jobs->watch(document_.effectTester().worker(), tr("Testing heads"));
    jobs->watch(document_.labelTester().worker(), tr("Testing labels"));
    jobs->watch(document_.promptRunner().worker(), tr("Running the prompt"));
    for (QLabel* label : {run_, model_}) {
        label->setContentsMargins(10, 0, 10, 0);
    }
    bar->addWidget(run_);
    if (isReaderUnsealed()) {
        auto* unsealed = new TextLabel(tr("Files are read unprotected"), bar);
        unsealed->setObjectName(QStringLiteral("unsealedLabel"));
        unsealed->setToolTip(tr("HEADSCOPE_UNSEALED is set: a file made to mislead could do harm. "
                                "Open only files that you trust."));
        bar->addPermanentWidget(unsealed);
    }
    bar->addPermanentWidget(jobs);
    bar->addPermanentWidget(model_);
    connect(&document_, &Document::modelChanged, this, &StatusView::showModel);
    connect(&document_.promptRunner(), &PromptRunner::resultChanged, this, &StatusView::showRun);
}

void StatusView::showModel() {
    const auto model = document_.model();
    QString text = modelSummary(*model, modelCard(*model));
    if (document_.loadOptions().flip_square_matrices)
        text += QStringLiteral(" · ") + tr("square matrices transposed");
    model_->setText(text);
    run_->clear();
}

void StatusView::showRun() {
    const auto result = document_.promptRunner().result();
    const std::size_t count = result->prompt.ids.size();
    run_->setText((count == 1 ? tr("1 token") : tr("%1 tokens").arg(count)) +
                  QStringLiteral(" · ") + durationText(result->masked->seconds));
    run_->setToolTip(tr("Length of the prompt and time of its forward pass"));
}

} // namespace headscope::ui
