#include "ui/views/help/help_dialog.h"

#include "core/heads/head_type.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/widgets/labels.h"

#include <QDialogButtonBox>
#include <QKeySequence>
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

HelpDialog::HelpDialog(const QList<KeyRow>& keys, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("helpDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Headscope on one page"));
    resize(kHelpSize);
    const Markup first = markup(
        tr("<p>Each square on the left is one attention head. Its letter says which type of head "
           "it is, its colour how clearly. Choose one: the middle shows what each token (row) "
           "attends to (columns), the right what the head is, what it reads and writes, and the "
           "effect of ablating it.</p>"
           "<p>A type is a label: a measured score that reaches its threshold. Scores are measured "
           "on repeated random tokens and sentences, or on your own prompt. With “Edit "
           "thresholds” the marks on the bars can be dragged.</p>"
           "<p>Every page, result and dialog can be copied as a command of headscope-cli or as "
           "Python (“Copy as”, or the keys below): what is pasted gives the very numbers "
           "again.</p>"));
    auto* text = new MarkupPage(first + tableOf(keys), this);
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

/// " Control: the same score two tokens back." Empty for types without one.
QString controlSentence(const HeadType& type) {
    return type.control ? QStringLiteral(" ") + TypesHelpDialog::tr("Control: the same score %1.")
                                                    .arg(toQString(type.control->what))
                        : QString();
}

Markup paragraph(const HeadType& type) {
    return markup(u"<p><b>%1 · %2</b> %3<br><i>%4</i><br>%5%6</p>",
                  QString(QLatin1Char(type.letter)), toQString(type.name), toQString(type.summary),
                  toQString(type.formula),
                  TypesHelpDialog::tr("Read from %1; counts from %2%3. Second reading: %4.")
                      .arg(inputName(type.input), scoreText(type.threshold), whatElse(type),
                           toQString(type.variant)),
                  controlSentence(type));
}

} // namespace

Markup typesHelp() {
    Markup text = markup(TypesHelpDialog::tr(
        "<p>A is the attention pattern, q the query token, k the key token, T the number of "
        "tokens. A score is a mean over sequences, with its 95 % interval (Student's t). A head "
        "has a "
        "type when its score reaches the threshold and the interval lies above the baseline, which "
        "is the score of a head that attends evenly to all it sees, and above the <b>control</b>, "
        "where the type has one: what is read at the same places of input that lacks what the type "
        "looks for. A head may have several types. "
        "A type says what a head does, not that the model depends on it: <b>Effect of Ablating "
        "This Head</b> measures that.</p>"));
    text += markup(TypesHelpDialog::tr(
        "<p>The verdict on an effect is one of these. <b>Needed</b>: ablating the head costs more "
        "than the "
        "least effect, and more than three in four heads near it; a head that the answer goes "
        "through. <b>Secondary</b>: more than the least effect, but not clearly more than heads "
        "near it. <b>Interferes</b>: the model does better without it. <b>No effect found</b>: "
        "the whole interval is less than the least effect; the head may be idle, or another may "
        "stand in for it, which “Find its backups” tells. <b>Undecided</b>: the interval is too "
        "wide for any of these, as with a single prompt.</p>"));
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
