#include "ui/views/scores/head_card.h"

#include "core/heads/head_type.h"
#include "ui/document/document.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/tables/trust_text.h"
#include "ui/views/maps/what_is_read.h"
#include "ui/views/tokens/writing_line.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/stale.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QStringList>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>
#include <vector>

namespace headscope::ui {

namespace {

constexpr int kLongestNote = 2000; ///< characters

} // namespace

NoteLine::NoteLine(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
    bookmark_ = new QToolButton(this);
    bookmark_->setObjectName(QStringLiteral("headBookmark"));
    bookmark_->setCheckable(true);
    bookmark_->setAutoRaise(true);
    bookmark_->setAccessibleName(tr("Bookmark"));
    bookmark_->setToolTip(tr("Bookmarks this head (Ctrl+K); Head > Bookmarked Heads leads back"));
    text_ = new QLineEdit(this);
    text_->setObjectName(QStringLiteral("headNote"));
    text_->setMaxLength(kLongestNote);
    text_->setPlaceholderText(tr("Note on this head"));
    text_->setAccessibleName(tr("Note on this head"));
    text_->setToolTip(tr("Kept for this model, and saved with projects"));
    of_project_ = new TextLabel(this);
    of_project_->setObjectName(QStringLiteral("headProjectNote"));
    of_project_->setWordWrap(true);
    of_project_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(bookmark_, 0, 0);
    layout->addWidget(text_, 0, 1);
    layout->addWidget(of_project_, 1, 1);
    layout->setColumnStretch(1, 1);
    connect(bookmark_, &QToolButton::clicked, this, &NoteLine::takeNote);
    connect(text_, &QLineEdit::textEdited, this, &NoteLine::takeNote);
    connect(&document_.selection(), &Selection::headChanged, this, &NoteLine::showNote);
    connect(&document_.notes(), &NoteBook::changed, this, &NoteLine::showNote);
    showNote();
}

void NoteLine::showNote() {
    setEnabled(document_.model() != nullptr);
    const HeadNote note = document_.notes().note(document_.selection().head());
    bookmark_->setChecked(note.is_bookmarked);
    bookmark_->setText(note.is_bookmarked ? QStringLiteral("★") : QStringLiteral("☆"));
    const QString text = toQString(note.text);
    text_->setMaxLength(std::max<int>(kLongestNote, static_cast<int>(text.size())));
    if (text != text_->text()) // else the cursor would go to the end while it is typed
        text_->setText(text);
    showProjectNote();
}

void NoteLine::showProjectNote() {
    const HeadNote note = document_.notes().projectNote(document_.selection().head());
    of_project_->setVisible(!note.empty());
    if (note.empty())
        return;
    const QString text = toQString(note.text);
    of_project_->setText(text.isEmpty() ? tr("The project bookmarks this head.")
                                        : tr("In the project: %1").arg(text.left(kLongestNote)));
}

void NoteLine::takeNote() {
    document_.notes().setNote(document_.selection().head(),
                              {text_->text().toStdString(), bookmark_->isChecked()});
}

namespace {

constexpr std::chrono::milliseconds kWritingDelay{250};
constexpr int kTypeLines = 4;
constexpr int kReadLines = 2;

/// "induction 0.59 (untested), attention sink 0.50", the first in bold, the word only of those that
/// claim a cause.
Markup typesMarkup(const HeadScores& scores, LayerHead head, const std::vector<HeadTypeId>& types,
                   const LabelTester& tester) {
    QList<Markup> parts;
    for (const HeadTypeId type : types) {
        const QString name = typeName(scores.at(type, head));
        Markup part = markup(u"%1 %2", parts.isEmpty() ? markup(u"<b>%1</b>", name) : Markup(name),
                             scoreText(scores.at(type, head).score));
        const LabelTrust* const trust = tester.label(head, type);
        if (trust && claimsCause(type))
            part += markup(u" (%1)", wordName(trust->word()));
        parts << part;
    }
    return joined(parts, markup(u", "));
}

/// What a head with these scores is, after its name.
Markup whatItIs(const HeadScores& scores, LayerHead head, const Thresholds& thresholds,
                const LabelTester& tester) {
    const std::vector<HeadTypeId> found = labels(scores, head, thresholds);
    if (!found.empty())
        return typesMarkup(scores, head, found, tester);
    if (scores.naming() == Naming::OneText)
        return Markup(HeadCard::tr("one text gives scores, and no type"));
    const auto nearest = nearestType(scores, head, thresholds);
    if (!nearest)
        return Markup(HeadCard::tr("no type"));
    return Markup(HeadCard::tr("no type; nearest is %1, with %2 where %3 is needed")
                      .arg(typeName(*nearest), scoreText(scores.at(*nearest, head).score),
                           scoreText(thresholds.of(*nearest))));
}

} // namespace

HeadCard::HeadCard(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
    setObjectName(QStringLiteral("headCard"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    types_ = new MarkupLabel(this);
    addLine(types_, "headCardTypes", kTypeLines);
    reads_ = new TextLabel(this);
    addLine(reads_, "headCardReads", kReadLines);
    reads_->setToolTip(tr("The keys that take most of the attention of this query: the locked row "
                          "or, without one, the last token"));
    writes_ = new WritingLine(this);
    writes_->setObjectName(QStringLiteral("headCardWrites"));
    layout->addWidget(writes_);
    layout->addWidget(new NoteLine(document_, this));
    writing_delay_.setSingleShot(true);
    writing_delay_.setInterval(kWritingDelay);
    connect(&writing_delay_, &QTimer::timeout, this, &HeadCard::readWriting);
    connectDocument();
    showTypes();
    showPlace();
}

void HeadCard::addLine(QLabel* label, const char* name, int lines) {
    label->setObjectName(QString::fromLatin1(name));
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    label->setMinimumHeight(lines * label->fontMetrics().lineSpacing());
    layout()->addWidget(label);
}

void HeadCard::connectDocument() {
    connect(&document_, &Document::modelChanged, this, &HeadCard::showTypes);
    connect(&document_, &Document::labelsChanged, this, &HeadCard::showTypes);
    connect(&document_.labelTester(), &LabelTester::trustChanged, this, &HeadCard::showTypes);
    connect(&document_.selection(), &Selection::headChanged, this, &HeadCard::showTypes);
    connect(&document_.ablation(), &Ablation::changed, this, &HeadCard::showTypes);
    connect(&document_.selection(), &Selection::headChanged, this, &HeadCard::showPlace);
    connect(&document_, &Document::shownChanged, this, &HeadCard::showPlace);
    connect(&document_.selection(), &Selection::lockedRowChanged, this, &HeadCard::showPlace);
    connect(&document_.promptRunner(), &PromptRunner::currentChanged, this, [this] {
        for (QWidget* of_the_run : {static_cast<QWidget*>(reads_), static_cast<QWidget*>(writes_)})
            setStale(of_the_run, !document_.promptRunner().isCurrent());
    });
}

void HeadCard::showTypes() {
    if (!document_.model())
        return types_->setMarkup(Markup(tr("No head is selected.")));
    const LayerHead head = document_.selection().head();
    const auto scores = document_.headScorer().scores();
    // Without a run no prompt will tell them either.
    const bool never =
        !document_.model()->spec.cannot_run.empty() && !document_.headScorer().isMeasuring();
    const QString missing =
        never ? tr("its types cannot be read") : tr("its types are not read yet");
    Markup text = markup(u"<b>%1</b>", headName(head));
    if (document_.ablation().mask().isAblated(head))
        text += markup(u" · %1", tr("ablated"));
    text += markup(u"<br>%1",
                   scores && scores->naming() != Naming::WeightsAlone
                       ? whatItIs(*scores, head, document_.thresholds(), document_.labelTester())
                       : Markup(missing));
    types_->setMarkup(text);
    types_->setToolTip(asTip(scores ? QString() : document_.headScorer().error()));
}

void HeadCard::showPlace() {
    const auto at = readQuery(document_);
    if (!at) {
        writing_delay_.stop();
        writes_->clearLine();
        return reads_->clear();
    }
    reads_->setText(readsText(*document_.shown().result, document_.selection().head(), *at));
    writes_->stopUnless(document_.shown().result, document_.selection().head());
    writing_delay_.start();
}

void HeadCard::readWriting() {
    if (const auto at = readQuery(document_))
        writes_->readAt(document_.shown().result, document_.selection().head(), *at);
}

} // namespace headscope::ui
