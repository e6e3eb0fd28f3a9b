#include "ui/document/document.h"
#include "ui/views/commands/command_groups.h"
#include "ui/views/main_window.h"
#include "ui/views/prompt/prompt_bar.h"

#include <QCoreApplication>

namespace headscope::ui {
namespace {

struct HeadText {
    Q_DECLARE_TR_FUNCTIONS(HeadText)
};

/// "&Undo ablate L4 H1"
QString withStep(const QString& text, const QString& step) {
    return step.isEmpty() ? text : QStringLiteral("%1 %2").arg(text, step);
}

Command step(Document& document, const char* id, const QString& text, const char* key, int layers,
             int heads) {
    return {.id = QString::fromLatin1(id),
            .text = text,
            .keywords = HeadText::tr("select move"),
            .keys = keys({key}),
            .needs = Needs::Model,
            .act = [&document, layers, heads] { document.moveSelection(layers, heads); }};
}

} // namespace

QList<Command> editCommands(MainWindow& window) {
    QUndoStack* steps = window.document().undoStack();
    return {
        {.id = QStringLiteral("actionUndo"),
         .text = HeadText::tr("&Undo"),
         .keys = keys({"Ctrl+Z"}),
         .needs = Needs::UndoStep,
         .act = [steps] { steps->undo(); },
         .caption = [steps] { return withStep(HeadText::tr("&Undo"), steps->undoText()); }},
        {.id = QStringLiteral("actionRedo"),
         .text = HeadText::tr("&Redo"),
         .keys = keys({"Ctrl+Shift+Z", "Ctrl+Y"}),
         .needs = Needs::RedoStep,
         .act = [steps] { steps->redo(); },
         .caption = [steps] { return withStep(HeadText::tr("&Redo"), steps->redoText()); }},
        {.id = QStringLiteral("actionPrompt"),
         .text = HeadText::tr("Edit &Prompt"),
         .keywords = HeadText::tr("write type text"),
         .keys = keys({"Ctrl+L"}),
         .needs = Needs::Model,
         .act = [&window] { window.promptBar().focusPrompt(); },
         .opens_section = true},
    };
}

QList<Command> headCommands(MainWindow& window) {
    Document& document = window.document();
    Command next_head =
        step(document, "actionNextHead", HeadText::tr("&Next Head"), "Alt+Right", 0, 1);
    next_head.opens_section = true;
    return {
        {.id = QStringLiteral("actionAblateHead"),
         .text = HeadText::tr("&Ablate Head"),
         .keywords = HeadText::tr("ablation restore switch off on knock out remove prune without"),
         .keys = keys({"Del"}),
         .needs = Needs::Model,
         .act = [&document] { document.toggleHead(document.selected()); },
         .checked = [&document] { return document.mask().isAblated(document.selected()); }},
        {.id = QStringLiteral("actionAblateGroup"),
         .text = HeadText::tr("Ablate KV &Group"),
         .keywords = HeadText::tr("ablation restore switch off on GQA MQA"),
         .keys = keys({"Shift+Del"}),
         .needs = Needs::SharedKvHeads,
         .act = [&document] { document.toggleGroup(document.selected()); },
         .checked = [&document] { return document.isGroupAblated(document.selected()); }},
        {.id = QStringLiteral("actionRestoreHeads"),
         .text = HeadText::tr("&Restore All Heads"),
         .keywords = HeadText::tr("ablate ablation switch on clear mask"),
         .needs = Needs::AblatedHeads,
         .act = [&document] { document.clearMask(); }},
        next_head,
        step(document, "actionPreviousHead", HeadText::tr("&Previous Head"), "Alt+Left", 0, -1),
        step(document, "actionNextLayer", HeadText::tr("Next &Layer"), "Alt+Down", 1, 0),
        step(document, "actionPreviousLayer", HeadText::tr("Previous La&yer"), "Alt+Up", -1, 0),
    };
}

} // namespace headscope::ui
