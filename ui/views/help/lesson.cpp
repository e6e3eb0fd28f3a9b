#include "ui/views/help/lesson.h"

#include <QCoreApplication>

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
          LessonText::tr(
              "The weights of this small model were set by hand. It has read <b>a b c d a b c</b>. "
              "Each row of the picture is a token that looks, the last <b>c</b> below: head L1 H0 "
              "gives all of its attention to <b>d</b>, which came after the first c, and so helps "
              "to predict d. That is an <b>induction head</b>. But how does it know where d is?"),
          PatternPage::Heatmap, kInduction},
         {LessonText::tr("Why there?"),
          LessonText::tr(
              "The page <b>Why</b> takes the score of that one cell apart. What made d stand out "
              "from the other keys? The table on the left says: what <b>L0 H0</b> wrote there. And "
              "the query, on the right, reads its own token, c. So d carries the note “after c”. "
              "Shares are above 100 % because other parts speak against it. Point at L0 H0 in the "
              "table, and the grid shows it."),
          PatternPage::Why, kInduction},
         {LessonText::tr("Is it true?"),
          LessonText::tr(
              "What was taken apart can be measured. Choose <b>L0 H0</b> in the table on the left "
              "and press <b>Measure Without It</b>: the part is taken out of what this one key "
              "gives this one head. The score falls as far as it should, and the attention on d "
              "is gone; directions drawn at random, of the same length, do far less."),
          PatternPage::Why, kInduction},
         {LessonText::tr("Who told it?"),
          LessonText::tr(
              "Now the same question for L0 H0 at d; in the graph of the step before, a double "
              "click on it leads here. It looks at the token before, c, and both of its sides read "
              "<b>positions</b> alone: it is a <b>previous token head</b>, and what it moves from "
              "c to d is the note."),
          PatternPage::Why, kPreviousToken, kPositionOfD},
         {LessonText::tr("Ablate it"),
          LessonText::tr(
              "Here L0 H0 is ablated. The induction head no longer finds d, and the line under the "
              "prompt says what that costs: d is no longer predicted. <b>Ctrl+Z</b> takes it back. "
              "Trained models share such work among many heads: open gpt2-mini-6l from the sample "
              "models "
              "and ask why L4 H1 looks where it looks."),
          PatternPage::Heatmap,
          kInduction,
          std::nullopt,
          {kPreviousToken}}}};
}

} // namespace headscope::ui
