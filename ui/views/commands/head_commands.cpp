#include "core/heads/head_type.h"
#include "ui/document/document.h"
#include "ui/document/head_groups.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/commands/commands.h"
#include "ui/views/commands/repeat_page.h"
#include "ui/views/main_window.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/page_area.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/prompt/prompt_bar.h"
#include "ui/views/window/messages.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QPixmap>
#include <QStatusBar>

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr int kSaidFor = 5000; ///< milliseconds
constexpr qsizetype kShownPrompts = 20;
constexpr qsizetype kShownOfPrompt = 70; ///< characters

struct HeadCommandText {
    Q_DECLARE_TR_FUNCTIONS(HeadCommandText)
};

/// "&Undo ablate L4 H1"
QString withStep(const QString& text, const QString& step) {
    return step.isEmpty() ? text : HeadCommandText::tr("%1 %2", "Undo, and what").arg(text, step);
}

/// Copies the picture of the page in front.
void copyPicture(MainWindow& window) {
    Result<void> copied;
    if (QDialog* analysis = window.pages().current())
        QApplication::clipboard()->setPixmap(analysis->grab());
    else
        copied = window.patternView().copyFigure();
    if (copied)
        window.statusBar()->showMessage(HeadCommandText::tr("The picture is on the clipboard."),
                                        kSaidFor);
    else
        window.messages().showError(toQString(copied.error().message));
}

/// What gives the numbers of the page in front again.
Repetition repetitionInFront(MainWindow& window) {
    const QDialog* analysis = window.pages().current();
    const auto* copies =
        analysis ? analysis->findChild<CopyActions*>(QString(), Qt::FindDirectChildrenOnly)
                 : nullptr;
    return copies ? copies->repetition()
                  : repetitionOfPage(window.document(), window.patternView());
}

/// Puts what repeats the page on the clipboard and says so.
void copyPage(MainWindow& window, QString (*copy)(const Repetition&)) {
    window.statusBar()->showMessage(copy(repetitionInFront(window)).simplified(), kSaidFor);
}

QList<Command> copyCommands(MainWindow& window) {
    const auto refusal = [&window] {
        if (window.pages().current())
            return QString(); // which changes by itself; copying says what is missing
        const Repetition now = repetitionOfPage(window.document(), window.patternView());
        return now ? QString() : toQString(now.error().message);
    };
    return {
        {.id = QStringLiteral("actionCopyCommand"),
         .text = HeadCommandText::tr("Copy as Co&mmand"),
         .keywords = HeadCommandText::tr("clipboard headscope-cli shell line repeat reproduce"),
         .tip = HeadCommandText::tr("Puts the line of headscope-cli on the clipboard that gives "
                                    "the numbers of this page again"),
         .keys = {copyCommandKey()},
         .act = [&window] { copyPage(window, copyAsCommand); },
         .refusal = refusal},
        {.id = QStringLiteral("actionCopyPython"),
         .text = HeadCommandText::tr("Copy as P&ython"),
         .keywords = HeadCommandText::tr("clipboard notebook module repeat reproduce"),
         .tip = HeadCommandText::tr("Puts lines of Python on the clipboard that give the numbers "
                                    "of this page again"),
         .keys = {copyPythonKey()},
         .act = [&window] { copyPage(window, copyAsPython); },
         .refusal = refusal},
    };
}

QString ablateText(std::size_t heads) {
    return heads > 1 ? HeadCommandText::tr("&Ablate %1 Heads").arg(heads)
                     : HeadCommandText::tr("&Ablate Head");
}

Command step(Document& document, const char* id, const QString& text, const char* key, int layers,
             int heads) {
    return {.id = QString::fromLatin1(id),
            .text = text,
            .keywords = HeadCommandText::tr("select move"),
            .keys = keys({key}),
            .needs = Needs::Model,
            .act = [&document, layers, heads] { document.selection().move(layers, heads); }};
}

/// The heads that are labelled with it now.
void toggleType(Document& document, HeadTypeId type) {
    if (const auto scores = document.headScorer().scores())
        document.ablation().toggleHeads(
            headsOfType(*scores, type, document.thresholds()),
            HeadCommandText::tr("heads of type %1").arg(typeName(type)));
}

/// One for each type that some head has.
QList<Command> typeCommands(Document& document) {
    QList<Command> commands;
    const auto scores = document.headScorer().scores();
    if (!scores)
        return commands;
    for (const HeadTypeId type : scores->types) {
        const auto heads = headsOfType(*scores, type, document.thresholds());
        if (heads.empty())
            continue;
        commands << Command{
            .id = QStringLiteral("ablateType_") + toQString(headType(type).key),
            .text = HeadCommandText::tr("%1 (%2)")
                        .arg(toQString(headType(type).name))
                        .arg(heads.size()),
            .keywords = HeadCommandText::tr("ablate ablation restore type"),
            .act = [&document, type] { toggleType(document, type); },
            .checked = [&document, heads] { return document.ablation().areAblated(heads); }};
    }
    return commands;
}

QString firstLine(const QString& prompt) {
    QString line = prompt.simplified();
    if (line.size() > kShownOfPrompt)
        line = line.first(kShownOfPrompt) + QStringLiteral(" …");
    return asCaption(line);
}

QList<Command> earlierPrompts(Document& document) {
    QList<Command> commands;
    const QStringList prompts = document.promptHistory().prompts().first(
        std::min(kShownPrompts, document.promptHistory().prompts().size()));
    for (const QString& prompt : prompts)
        commands << Command{.id = QStringLiteral("earlierPrompt%1").arg(commands.size()),
                            .text = firstLine(prompt),
                            .keywords = HeadCommandText::tr("earlier prompt history"),
                            .act = [&document, prompt] { document.setPromptText(prompt); }};
    return commands;
}

/// The bookmarked heads that the open model has: notes may name any heads.
QList<Command> bookmarkedHeads(Document& document) {
    QList<Command> commands;
    const auto model = document.model();
    for (const auto& [head, note] : document.notes().all()) {
        if (!note.is_bookmarked || !model || !model->spec.hasHead(head))
            continue;
        const QString text =
            note.text.empty() ? headName(head)
                              : HeadCommandText::tr("%1: %2").arg(headName(head),
                                                                  firstLine(toQString(note.text)));
        commands << Command{.id = QStringLiteral("bookmark_") + headName(head),
                            .text = text,
                            .keywords = HeadCommandText::tr("bookmark note"),
                            .act = [&document, at = head] { document.selection().select(at); }};
    }
    return commands;
}

void toggleBookmark(Document& document) {
    HeadNote note = document.notes().note(document.selection().head());
    note.is_bookmarked = !note.is_bookmarked;
    document.notes().setNote(document.selection().head(), note);
}

} // namespace

QList<Command> editCommands(MainWindow& window) {
    QUndoStack* steps = window.document().ablation().undoStack();
    const QList<Command> first{
        {.id = QStringLiteral("actionUndo"),
         .text = HeadCommandText::tr("&Undo"),
         .keys = keys({"Ctrl+Z"}),
         .needs = Needs::UndoStep,
         .act = [steps] { steps->undo(); },
         .caption = [steps] { return withStep(HeadCommandText::tr("&Undo"), steps->undoText()); }},
        {.id = QStringLiteral("actionRedo"),
         .text = HeadCommandText::tr("&Redo"),
         .keys = keys({"Ctrl+Shift+Z", "Ctrl+Y"}),
         .needs = Needs::RedoStep,
         .act = [steps] { steps->redo(); },
         .caption = [steps] { return withStep(HeadCommandText::tr("&Redo"), steps->redoText()); }},
        {.id = QStringLiteral("actionCopyPicture"),
         .text = HeadCommandText::tr("&Copy Picture"),
         .keywords = HeadCommandText::tr("clipboard figure heatmap text lines"),
         .keys = keys({"Ctrl+C"}),
         .needs = Needs::Run,
         .act = [&window] { copyPicture(window); },
         .opens_section = true}};
    const QList<Command> prompts{
        {.id = QStringLiteral("actionPrompt"),
         .text = HeadCommandText::tr("Edit &Prompt"),
         .keywords = HeadCommandText::tr("write type text"),
         .keys = keys({"Ctrl+L"}),
         .needs = Needs::Model,
         .act = [&window] { window.promptBar().focusPrompt(); },
         .opens_section = true},
        {.id = QStringLiteral("earlierPromptsMenu"),
         .text = HeadCommandText::tr("&Earlier Prompts"),
         .submenu = [&window] { return earlierPrompts(window.document()); }},
        {.id = QStringLiteral("actionWriteOn"),
         .text = HeadCommandText::tr("Let the Model &Write On"),
         .keywords = HeadCommandText::tr("generate sample continue next tokens"),
         .keys = keys({"Ctrl+G"}),
         .needs = Needs::Run,
         .act = [&window] { window.promptBar().writer().write(); }},
        {.id = QStringLiteral("actionTakeBack"),
         .text = HeadCommandText::tr("Take the Last &Token Back"),
         .keywords = HeadCommandText::tr("remove delete shorten step"),
         .keys = keys({"Ctrl+Shift+G"}),
         .needs = Needs::Run,
         .act = [&window] { window.promptBar().writer().takeLastTokenBack(); }},
    };
    return first + copyCommands(window) + prompts;
}

QList<Command> headCommands(MainWindow& window) {
    Document& document = window.document();
    Command next_head =
        step(document, "actionNextHead", HeadCommandText::tr("&Next Head"), "Alt+Right", 0, 1);
    next_head.opens_section = true;
    return {
        {.id = QStringLiteral("actionAblateHead"),
         .text = HeadCommandText::tr("&Ablate Head"),
         .keywords =
             HeadCommandText::tr("ablation restore switch off on knock out remove prune without"),
         .keys = keys({"Del"}),
         .needs = Needs::Model,
         .act = [&document] { document.ablation().toggleHeads(document.selection().chosen()); },
         .checked =
             [&document] { return document.ablation().areAblated(document.selection().chosen()); },
         .caption = [&document] { return ablateText(document.selection().chosen().size()); }},
        {.id = QStringLiteral("actionAblateGroup"),
         .text = HeadCommandText::tr("Ablate KV &Group"),
         .keywords = HeadCommandText::tr("ablation restore switch off on GQA MQA"),
         .keys = keys({"Shift+Del"}),
         .needs = Needs::SharedKvHeads,
         .act = [&document] { document.ablation().toggleGroup(document.selection().head()); },
         .checked =
             [&document] {
                 return document.model() &&
                        document.ablation().areAblated(
                            document.model()->spec.groupOf(document.selection().head()));
             }},
        {.id = QStringLiteral("actionAblateLayer"),
         .text = HeadCommandText::tr("Ablate &Whole Layer"),
         .keywords = HeadCommandText::tr("ablation restore switch off on all heads"),
         .keys = keys({"Ctrl+Del"}),
         .needs = Needs::Model,
         .act = [&document] { document.ablation().toggleLayer(document.selection().head().layer); },
         .checked =
             [&document] {
                 return document.model() &&
                        document.ablation().areAblated(headsOfLayer(
                            document.model()->spec, document.selection().head().layer));
             }},
        {.id = QStringLiteral("ablateTypeMenu"),
         .text = HeadCommandText::tr("Ablate Heads of a &Type"),
         .submenu = [&document] { return typeCommands(document); }},
        {.id = QStringLiteral("actionRestoreHeads"),
         .text = HeadCommandText::tr("&Restore All Heads"),
         .keywords = HeadCommandText::tr("ablate ablation switch on clear mask"),
         .needs = Needs::AblatedHeads,
         .act = [&document] { document.ablation().clearMask(); }},
        {.id = QStringLiteral("actionBookmark"),
         .text = HeadCommandText::tr("&Bookmark Head"),
         .keywords = HeadCommandText::tr("star mark note favourite"),
         .keys = keys({"Ctrl+K"}),
         .needs = Needs::Model,
         .act = [&document] { toggleBookmark(document); },
         .checked =
             [&document] {
                 return document.notes().note(document.selection().head()).is_bookmarked;
             },
         .opens_section = true},
        {.id = QStringLiteral("bookmarksMenu"),
         .text = HeadCommandText::tr("Bookmarked &Heads"),
         .submenu = [&document] { return bookmarkedHeads(document); }},
        next_head,
        step(document, "actionPreviousHead", HeadCommandText::tr("&Previous Head"), "Alt+Left", 0,
             -1),
        step(document, "actionNextLayer", HeadCommandText::tr("Next &Layer"), "Alt+Down", 1, 0),
        step(document, "actionPreviousLayer", HeadCommandText::tr("Previous La&yer"), "Alt+Up", -1,
             0),
    };
}

} // namespace headscope::ui
