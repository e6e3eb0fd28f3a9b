#include "ui/document/document.h"
#include "ui/views/commands/command_palette.h"
#include "ui/views/commands/commands.h"
#include "ui/views/commands/tour.h"
#include "ui/views/help/help_dialog.h"
#include "ui/views/help/lesson_bar.h"
#include "ui/views/help/verify_dialog.h"
#include "ui/views/main_window.h"
#include "ui/widgets/message_boxes.h"

#include <QCoreApplication>

namespace headscope::ui {
namespace {

struct HelpText {
    Q_DECLARE_TR_FUNCTIONS(HelpText)
};

void showPalette(MainWindow& window) {
    (new CommandPalette(allCommands(window.commands()), window.document(), &window))->open();
}

void showAbout(MainWindow& window) {
    tellInBox(
        &window, HelpText::tr("About Headscope"),
        markup(HelpText::tr("<b>Headscope %1</b><p>See, name, prune and export the attention heads "
                            "of a transformer.</p><p>Free software under the GNU GPL, version 3 or "
                            "later.</p>"),
               QStringLiteral(HEADSCOPE_VERSION)));
}

} // namespace

QList<Command> helpCommands(MainWindow& window) {
    return {
        {.id = QStringLiteral("actionHelp"),
         .text = HelpText::tr("&Headscope on One Page"),
         .keywords = HelpText::tr("keys shortcuts manual tour first steps"),
         .keys = keys({"F1"}),
         .act =
             [&window] {
                 const auto menus = window.commands();
                 (new HelpDialog(keyTable(menus), tour(allCommands(menus)), &window))->show();
             }},
        {.id = QStringLiteral("actionTypesHelp"),
         .text = HelpText::tr("Head &Types"),
         .keywords = HelpText::tr("definitions formulas sources labels"),
         .act = [&window] { (new TypesHelpDialog(&window))->show(); }},
        {.id = QStringLiteral("actionWhyLesson"),
         .text = HelpText::tr("&Lesson: Why a Head Looks There"),
         .keywords = HelpText::tr("tutorial tour induction circuit learn five steps"),
         .act = [&window] { window.lesson().begin(whyLesson()); }},
        {.id = QStringLiteral("actionPalette"),
         .text = HelpText::tr("Any &Command …"),
         .keywords = HelpText::tr("palette search"),
         .keys = keys({"Ctrl+Shift+P"}),
         .act = [&window] { showPalette(window); }},
        {.id = QStringLiteral("actionVerify"),
         .text = HelpText::tr("&Verify …"),
         .keywords = HelpText::tr("check numbers reference Hugging Face TransformerLens"),
         .act =
             [&window] {
                 (new VerifyDialog(window.document().model(), window.document().loadOptions(),
                                   window.systemDialogs(), &window))
                     ->show();
             },
         .opens_section = true},
        {.id = QStringLiteral("actionAbout"),
         .text = HelpText::tr("&About Headscope"),
         .keywords = HelpText::tr("version licence"),
         .act = [&window] { showAbout(window); },
         .opens_section = true},
    };
}

} // namespace headscope::ui
