#include "ui/views/pruning/texts_panel.h"

#include "ui/document/pruning_reading.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/prompts/text_source.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSpinBox>
#include <QVBoxLayout>

#include <chrono>

namespace headscope::ui {
namespace {

constexpr std::chrono::milliseconds kTypingPause{300};
constexpr int kShortestPassage = 8;
constexpr int kLongestPassage = 1'000'000;
constexpr int kFirstPassage = 128;
constexpr int kPassageStep = 32;
constexpr int kMostSeed = 1'000'000'000;

} // namespace

TextsPanel::TextsPanel(PruningBench& bench, Dialogs& dialogs, QWidget* parent)
    : QWidget(parent), bench_(bench) {
    makeControls(dialogs);
    layOut();
    pause_.setSingleShot(true);
    pause_.setInterval(kTypingPause);
    connect(&pause_, &QTimer::timeout, this, &TextsPanel::read);
    for (const TextSource* source : {calibration_, test_}) {
        connect(source, &TextSource::changed, this, &TextsPanel::readAfterPause);
        connect(source, &TextSource::failed, problem_, [this](const QString& message) {
            problem_->setText(message);
            problem_->show();
        });
    }
    connect(domains_, &QComboBox::currentIndexChanged, this, &TextsPanel::readAfterPause);
    for (const QSpinBox* box : {length_, seed_})
        connect(box, &QSpinBox::valueChanged, this, &TextsPanel::readAfterPause);
    connect(&bench_, &PruningBench::textsChanged, this, &TextsPanel::showFound);
    showFound();
}

void TextsPanel::makeControls(Dialogs& dialogs) {
    calibration_ =
        new TextSource({tr("Cali&bration"), QStringLiteral("calibration"),
                        tr("The text that heads are ranked by and compensations are fitted to"),
                        tr("the pasted calibration text")},
                       bundledCalibration(), dialogs, this);
    test_ = new TextSource({tr("&Test"), QStringLiteral("test"),
                            tr("The text that cuts are judged on; another one, since what was "
                               "measured on the same text says nothing"),
                            tr("the pasted test text")},
                           bundledTest(), dialogs, this);
    for (TextSource* source : {calibration_, test_})
        source->setNameWidth(fontMetrics().horizontalAdvance(tr("Calibration ")));
    domains_ = new QComboBox(this);
    domains_->setObjectName(QStringLiteral("pruneDomains"));
    domains_->setToolTip(tr("Which of the bundled texts; own is what the model writes itself. Each "
                            "has curves of its own"));
    domains_->addItem(tr("all"));
    for (const std::string& name : domainNames())
        domains_->addItem(toQString(name));
    length_ = new QSpinBox(this);
    length_->setObjectName(QStringLiteral("passageLength"));
    length_->setRange(kShortestPassage, kLongestPassage);
    length_->setSingleStep(kPassageStep);
    length_->setValue(kFirstPassage);
    length_->setSuffix(tr(" tokens"));
    length_->setToolTip(tr("Tokens of a passage, BOS included; what a model of shorter context "
                           "can read counts there"));
    seed_ = new QSpinBox(this);
    seed_->setObjectName(QStringLiteral("pruneSeed"));
    seed_->setRange(0, kMostSeed);
    seed_->setToolTip(tr("Seed of random orders, of masked tokens and of Taylor's draws"));
    problem_ = new TextLabel(this);
    problem_->setObjectName(QStringLiteral("textsProblem"));
    problem_->setWordWrap(true);
}

void TextsPanel::layOut() {
    auto* cut = new QHBoxLayout;
    addField(cut, tr("Passages o&f"), length_);
    addField(cut, tr("&Seed"), seed_);
    cut->addStretch(1);
    auto* kinds = new QHBoxLayout;
    addField(kinds, tr("Bun&dled texts"), domains_);
    kinds->addStretch(1);
    auto* hint = new TextLabel(tr("Few test tokens make wide intervals: then chance decides which "
                                  "hard documents are among them."),
                               this);
    hint->setWordWrap(true);
    hint->setForegroundRole(QPalette::PlaceholderText);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(calibration_);
    layout->addWidget(test_);
    layout->addLayout(kinds);
    layout->addLayout(cut);
    layout->addWidget(problem_);
    layout->addWidget(hint);
}

PruningTextQuestion TextsPanel::question() const {
    PruningTextQuestion question;
    question.calibration = calibration_->text();
    question.test = test_->text();
    if (domains_->currentIndex() > 0)
        question.domains = {domains_->currentText().toStdString()};
    question.length = static_cast<std::size_t>(length_->value());
    question.calibration_tokens = calibration_->tokens();
    question.test_tokens = test_->tokens();
    question.seed = static_cast<std::uint64_t>(seed_->value());
    return question;
}

void TextsPanel::readAfterPause() {
    bench_.dropTexts();
    pause_.start();
}

void TextsPanel::read() {
    bench_.setTexts(question());
}

QString TextsPanel::foundIn(PassageSet PruningDomain::*part) const {
    const std::vector<PruningDomain>& texts = bench_.allTexts()->domains;
    if (texts.size() == 1)
        return passagesText(texts.front().*part);
    std::size_t tokens = 0;
    for (const PruningDomain& domain : texts)
        tokens += (domain.*part).tokens;
    return tr("%1 tokens of %2 texts").arg(groupedText(tokens)).arg(texts.size());
}

void TextsPanel::showFound() {
    const bool found = bench_.allTexts() != nullptr;
    const QString waiting = bench_.textsError().isEmpty() ? tr("Reading …") : QString();
    calibration_->showInfo(found ? foundIn(&PruningDomain::calibration) : waiting);
    test_->showInfo(found ? foundIn(&PruningDomain::test) : waiting);
    domains_->setEnabled(bench_.textQuestion().isBundled());
    problem_->setText(bench_.textsError());
    problem_->setVisible(!bench_.textsError().isEmpty());
}

} // namespace headscope::ui
