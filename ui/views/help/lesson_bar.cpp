#include "ui/views/help/lesson_bar.h"

#include "ui/document/sample_models.h"
#include "ui/markup/markup.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/widgets/labels.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace headscope::ui {

namespace {

struct LessonText {
    Q_DECLARE_TR_FUNCTIONS(LessonText)
};

} // namespace

Lesson whyLesson() {
    constexpr LayerHead kInduction{1, 0};
    constexpr LayerHead kPreviousToken{0, 0};
    constexpr std::size_t kPositionOfD = 4;
    return {
        LessonText::tr("Why a head looks there"),
        QStringLiteral("induction-circuit"),
        QStringLiteral("a b c d a b c"),
        {{LessonText::tr("Where does it look?"),
          markup(LessonText::tr(
              "The weights of this small model were set by hand. It has read <b>a b c d a b c</b>. "
              "Each row of the picture is a token that looks, the last <b>c</b> below: head L1 H0 "
              "gives all of its attention to <b>d</b>, which came after the first c, and so helps "
              "to predict d. That is an <b>induction head</b>. But how does it know where d is?")),
          PatternPage::Heatmap, kInduction},
         {LessonText::tr("Why there?"),
          markup(LessonText::tr(
              "The page <b>Why</b> takes the score of that one cell apart. What made d stand out "
              "from the other keys? The table on the left says: what <b>L0 H0</b> wrote there. And "
              "the query, on the right, reads its own token, c. So d carries the note “after c”. "
              "Shares are above 100 % because other parts speak against it. Point at L0 H0 in the "
              "table, and the grid shows it.")),
          PatternPage::Why, kInduction},
         {LessonText::tr("Is it true?"),
          markup(LessonText::tr(
              "What was taken apart can be measured. Choose <b>L0 H0</b> in the table on the left "
              "and press <b>Measure Without It</b>: the part is taken out of what this one key "
              "gives this one head. The score falls as far as it should, and the attention on d "
              "is gone; directions drawn at random, of the same length, do far less.")),
          PatternPage::Why, kInduction},
         {LessonText::tr("Who told it?"),
          markup(LessonText::tr(
              "Now the same question for L0 H0 at d; in the graph of the step before, a double "
              "click on it leads here. It looks at the token before, c, and both of its sides read "
              "<b>positions</b> alone: it is a <b>previous token head</b>, and what it moves from "
              "c to d is the note.")),
          PatternPage::Why, kPreviousToken, kPositionOfD},
         {LessonText::tr("Ablate it"),
          markup(LessonText::tr(
              "Here L0 H0 is ablated. The induction head no longer finds d, and the line under the "
              "prompt says what that costs: d is no longer predicted. <b>Ctrl+Z</b> takes it back. "
              "Trained models share such work among many heads: open gpt2-mini-6l from the sample "
              "models "
              "and ask why L4 H1 looks where it looks.")),
          PatternPage::Heatmap,
          kInduction,
          std::nullopt,
          {kPreviousToken}}}};
}

namespace {

const QColor kLessonTint(0, 114, 178);

} // namespace

LessonBar::LessonBar(Document& document, PatternView& pattern, QWidget* parent)
    : TintedFrame(kLessonTint, parent), document_(document), pattern_(pattern) {
    setObjectName(QStringLiteral("lessonBar"));
    layOut();
    hide();
    connect(&document_, &Document::modelChanged, this, [this] {
        if (std::exchange(is_opening_, false))
            arrange();
    });
    connect(&document_, &Document::loadFailed, this, [this] { is_opening_ = false; });
}

void LessonBar::layOut() {
    title_ = new MarkupLabel(this);
    title_->setObjectName(QStringLiteral("lessonTitle"));
    text_ = new MarkupLabel(this);
    text_->setObjectName(QStringLiteral("lessonText"));
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    back_ = new QPushButton(tr("Back"), this);
    back_->setObjectName(QStringLiteral("lessonBack"));
    next_ = new QPushButton(this);
    next_->setObjectName(QStringLiteral("lessonNext"));
    auto* close = new QPushButton(tr("Close Lesson"), this);
    close->setObjectName(QStringLiteral("lessonClose"));
    connect(back_, &QPushButton::clicked, this, [this] { goTo(step_ - 1); });
    connect(next_, &QPushButton::clicked, this, [this] { goTo(step_ + 1); });
    connect(close, &QPushButton::clicked, this, &LessonBar::end);

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(title_, 1);
    for (QPushButton* button : {close, back_, next_})
        buttons->addWidget(button);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 10);
    layout->setSpacing(4);
    layout->addLayout(buttons);
    layout->addWidget(text_);
}

void LessonBar::begin(const Lesson& lesson) {
    lesson_ = lesson;
    show();
    goTo(0);
    next_->setFocus(Qt::OtherFocusReason);
}

void LessonBar::goTo(int step) {
    if (step < 0)
        return;
    if (step >= lesson_.steps.size())
        return end();
    step_ = step;
    showStep();
    arrange();
}

void LessonBar::end() {
    step_ = -1;
    is_opening_ = false;
    hide();
}

/// Opens the lesson's model where another is open; its steps begin when it is there.
void LessonBar::arrange() {
    const auto model = document_.model();
    if (!model || model->name != lesson_.model.toStdString()) {
        const QList<SampleModel> samples = sampleModels();
        const auto sample = std::ranges::find(samples, lesson_.model, &SampleModel::name);
        if (sample == samples.end())
            return text_->setMarkup(Markup(tr("The sample model %1, which this lesson is about, "
                                              "is not installed beside the program.")
                                               .arg(lesson_.model)));
        is_opening_ = true;
        return document_.open(sample->path, lesson_.prompt);
    }
    const LessonStep& step = lesson_.steps[step_];
    document_.comparison().turnOff();
    document_.setBosMode(BosMode::Auto);
    document_.setPromptText(lesson_.prompt);
    document_.ablation().ablateOnly(step.ablated, AblationKind::Zero,
                                    tr("Lesson: %1").arg(step.title));
    document_.selection().select(step.head);
    document_.selection().lockRow(step.locked_row);
    pattern_.showPage(step.page);
}

void LessonBar::showStep() {
    const LessonStep& step = lesson_.steps[step_];
    title_->setMarkup(markup(
        u"<b>%1</b>&nbsp;&nbsp; %2", step.title,
        tr("%1, step %2 of %3")
            .arg(lesson_.name, QString::number(step_ + 1), QString::number(lesson_.steps.size()))));
    text_->setMarkup(step.text);
    back_->setEnabled(step_ > 0);
    next_->setText(step_ + 1 < lesson_.steps.size() ? tr("Next") : tr("Done"));
}

} // namespace headscope::ui
