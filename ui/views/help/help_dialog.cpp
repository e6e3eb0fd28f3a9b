#include "ui/views/help/help_dialog.h"

#include "core/heads/head_type.h"
#include "core/trust/label_trust.h"
#include "ui/markup/markup.h"
#include "ui/tables/core_text.h"
#include "ui/tables/head_text.h"
#include "ui/tables/trust_text.h"
#include "ui/widgets/labels.h"

#include <QDialogButtonBox>
#include <QKeySequence>
#include <QStringList>
#include <QVBoxLayout>

#include <optional>

namespace headscope::ui {

namespace {

constexpr QSize kHelpSize{860, 460};

/// In the words of the system: "Strg+Z" where that is how the key is called.
QString nativeKeys(const QStringList& portable) {
    QStringList names;
    for (const QString& key : portable)
        names << QKeySequence(key, QKeySequence::PortableText).toString(QKeySequence::NativeText);
    return names.join(QStringLiteral(", "));
}

Markup cellsOf(const KeyRow& row) {
    return markup(u"<td><b>%1</b>&nbsp;&nbsp;</td><td>%2&nbsp;&nbsp;&nbsp;&nbsp;</td>",
                  nativeKeys(row.keys), row.what);
}

/// The first half of the keys beside the second.
Markup tableOf(const QList<KeyRow>& keys) {
    const qsizetype rows = (keys.size() + 1) / 2;
    Markup table;
    for (qsizetype row = 0; row < rows; ++row)
        table += markup(u"<tr>%1%2</tr>", cellsOf(keys[row]),
                        row + rows < keys.size() ? cellsOf(keys[row + rows]) : Markup());
    return markup(u"<table cellpadding='2'>%1</table>", table);
}

} // namespace

HelpDialog::HelpDialog(const QList<KeyRow>& keys, const Markup& tour, QWidget* parent)
    : QDialog(parent) {
    setObjectName(QStringLiteral("helpDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Headscope on one page"));
    resize(kHelpSize);
    const Markup first = markup(tr(
        "<p>Each square on the left is one attention head. Its letter says which type of head "
        "it is, its colour how clearly. Choose one: the middle shows what each token (row) "
        "attends to (columns), the right what the head is, what it reads and writes, and the "
        "effect of ablating it.</p>"
        "<p>A type is a label: a measured score that reaches its threshold. Scores are measured "
        "on repeated random tokens and sentences, or on your own prompt. With “Edit "
        "thresholds” the marks on the bars can be dragged. A hollow square is a label of which it "
        "is not known whether the model needs the head; “Test All Labels” finds out.</p>"
        "<p>Every page, result and dialog can be copied as a command of headscope-cli or as "
        "Python (“Copy as”, or the keys below): what is pasted gives the very numbers "
        "again.</p>"));
    const Markup table = markup(u"<h3>%1</h3>", tr("Keys")) + tableOf(keys);
    auto* text = new MarkupPage(first + table + tour, this);
    text->setObjectName(QStringLiteral("helpText"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(text);
    layout->addWidget(buttons);
}

namespace {

constexpr QSize kTypesHelpSize{640, 620};

/// The other condition of a label, which follows its threshold; empty where there is none.
QString whatElse(const HeadType& type) {
    if (type.together_with)
        return TypesHelpDialog::tr(", where “%1” counts too")
            .arg(toQString(headType(*type.together_with).name));
    if (type.acts_on)
        return TypesHelpDialog::tr(", in a layer before the last “%1” head")
            .arg(toQString(headType(*type.acts_on).name));
    return {};
}

Markup paragraph(const HeadType& type) {
    return markup(u"<p><b>%1 · %2</b> %3<br><i>%4</i><br>%5 %6</p>",
                  QString(QLatin1Char(type.letter)), toQString(type.name), toQString(type.summary),
                  toQString(type.formula),
                  TypesHelpDialog::tr("Read from %1; counts from %2%3. Second reading: %4.")
                      .arg(inputName(type.input), scoreText(type.threshold), whatElse(type),
                           toQString(type.variant)),
                  controlText(type));
}

/// "cause": what it says.
Markup wordParagraph(TrustWord word, const QString& look) {
    return markup(u"<li><b>%1</b> (%2): %3</li>", wordName(word), look, wordMeaning(word));
}

/// A part of the evidence, what it asks, and an example of a label that fails it.
Markup partParagraph(TrustPart part, const QString& example) {
    return markup(u"<li><b>%1</b>: %2 <i>%3</i></li>", partName(part),
                  coreText(toQString(trustPartMeaning(part))), example);
}

Markup gradesLine() {
    QStringList marks;
    for (const Grade grade : grades())
        marks << toQString(gradeMark(grade)) + QLatin1Char(' ') +
                     coreText(toQString(gradeName(grade)));
    return markup(u"<p>%1</p>", marks.join(QStringLiteral(", ")));
}

QString exampleOf(TrustPart part) {
    switch (part) {
    case TrustPart::Pattern:
        return TypesHelpDialog::tr(
            "Example: a head that always looks at the first token has large weights, but none on "
            "the token after a repeat, so it is not called induction.");
    case TrustPart::Specific:
        return TypesHelpDialog::tr(
            "Example: a head that always looks 49 tokens back finds the token after the repeat "
            "where the period is 50. It looks at the same place where nothing repeats, so its "
            "score is no larger than that of the control.");
    case TrustPart::Writes:
        return TypesHelpDialog::tr("Example: a head whose output matrix W_O is 0 may attend as an "
                                   "induction head does, and adds nothing to the network.");
    case TrustPart::Needed:
        return TypesHelpDialog::tr("Examples: later layers never read what the head writes, or the "
                                   "model is better without it. Where another head with this label "
                                   "makes up for it, that one is ablated, too.");
    case TrustPart::Transfers:
        return TypesHelpDialog::tr("Example: an induction head that works for tokens of one half "
                                   "of the vocabulary only, or only over short distances.");
    case TrustPart::Stable:
        break;
    }
    return TypesHelpDialog::tr("Example: a score just above its threshold, which ten other "
                               "sequences or another period would put below it.");
}

Markup trustHelp() {
    Markup text = markup(u"<h3>%1</h3>", TypesHelpDialog::tr("What is known of a label"));
    text += markup(TypesHelpDialog::tr(
        "<p>A label rests on a pattern, and a pattern can mislead. “Test This Head's Labels” and "
        "“Test All Labels” measure five things more. Each has a mark:</p>"));
    text += gradesLine();
    Markup parts;
    for (const TrustPart part : trustParts())
        parts += partParagraph(part, exampleOf(part));
    text += markup(u"<ul>%1</ul>", parts);
    text += markup(TypesHelpDialog::tr("<p>All marks together make one word, and the word makes "
                                       "the look of the label in the grid:</p>"));
    text += markup(
        u"<ul>%1</ul>",
        wordParagraph(TrustWord::Cause, TypesHelpDialog::tr("filled")) +
            wordParagraph(TrustWord::Secondary, TypesHelpDialog::tr("filled, inside a ring")) +
            wordParagraph(TrustWord::Correlate, TypesHelpDialog::tr("a broken line")) +
            wordParagraph(TrustWord::Interferer, TypesHelpDialog::tr("stripes")) +
            wordParagraph(TrustWord::Undecided, TypesHelpDialog::tr("hollow")) +
            wordParagraph(TrustWord::Untested, TypesHelpDialog::tr("hollow")) +
            wordParagraph(TrustWord::Description, TypesHelpDialog::tr("pale, with a thin letter")));
    return text;
}

} // namespace

Markup typesHelp() {
    Markup text = markup(TypesHelpDialog::tr(
        "<p>A is the attention pattern, q the query token, k the key token, T the number of "
        "tokens. A score is a mean over sequences, with its 95 % interval (Student's t). A head "
        "has a type when its score reaches the threshold and the interval is above the baseline, "
        "which is the score of a head that attends evenly to all it sees, and above the "
        "<b>control</b>, where the type has one: what is read at the same places of input that "
        "lacks what the type looks for. A head may have several types. A type says what a head "
        "does, not that the model depends on it: <b>Test This Head's Labels</b> measures that for "
        "each label, and <b>Effect of Ablating This Head</b> for the head.</p>"));
    text += markup(TypesHelpDialog::tr(
        "<p>The verdict on an effect is one of these. <b>Needed</b>: ablating the head costs more "
        "than the least effect, and more than three in four heads near it; a head that the answer "
        "goes through. <b>Secondary</b>: more than the least effect, but not clearly more than "
        "heads near it. <b>Interferes</b>: the model does better without it. <b>No effect "
        "found</b>: the whole interval is less than the least effect; the head may be idle, or "
        "another may make up for it, which “Find its backups” tells. <b>Undecided</b>: the "
        "interval is too wide for any of these, as with a single prompt.</p>"));
    text += trustHelp();
    std::optional<TypeGroup> group;
    for (const HeadType& type : headTypes()) {
        if (group != type.group)
            text += markup(u"<h3>%1</h3>", groupName(type.group));
        group = type.group;
        text += paragraph(type);
    }
    return text;
}

TypesHelpDialog::TypesHelpDialog(QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("typesHelpDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Head types"));
    resize(kTypesHelpSize);
    auto* text = new MarkupPage(typesHelp(), this);
    text->setObjectName(QStringLiteral("typesHelpText"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(text, 1);
    layout->addWidget(buttons);
}

} // namespace headscope::ui
