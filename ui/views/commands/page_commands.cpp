#include "ui/views/commands/commands.h"
#include "ui/views/main_window.h"
#include "ui/views/pages/page_area.h"
#include "ui/views/window/side_panels.h"

#include <QCoreApplication>

namespace headscope::ui {
namespace {

struct PageText {
    Q_DECLARE_TR_FUNCTIONS(PageText)
};

} // namespace

QList<Command> pageCommands(MainWindow& window) {
    PageArea& pages = window.pages();
    const auto needs_page = [&pages] {
        return pages.current() ? QString() : PageText::tr("The page in front is not an analysis.");
    };
    const auto needs_two = [&pages] {
        return pages.hasWindows() || pages.size() == 1
                   ? PageText::tr("There are no pages beside the patterns; “Analyse” opens them.")
                   : QString();
    };
    return {
        {.id = QStringLiteral("actionNextPage"),
         .text = PageText::tr("&Next Page"),
         .keywords = PageText::tr("tab analysis switch"),
         .keys = keys({"Ctrl+PgDown"}),
         .act = [&pages] { pages.step(1); },
         .refusal = needs_two},
        {.id = QStringLiteral("actionPreviousPage"),
         .text = PageText::tr("&Previous Page"),
         .keywords = PageText::tr("tab analysis switch"),
         .keys = keys({"Ctrl+PgUp"}),
         .act = [&pages] { pages.step(-1); },
         .refusal = needs_two},
        {.id = QStringLiteral("actionPageAcross"),
         .text = PageText::tr("Page to the Other &Side"),
         .keywords = PageText::tr("split two side by side beside tab"),
         .tip = PageText::tr("Shows two pages side by side, or in one group again"),
         .keys = keys({"Ctrl+Shift+D"}),
         .act = [&pages] { pages.moveAcross(); },
         .refusal = needs_two},
        {.id = QStringLiteral("actionClosePage"),
         .text = PageText::tr("&Close Page"),
         .keywords = PageText::tr("tab analysis"),
         .keys = keys({"Ctrl+W"}),
         .act = [&pages] { pages.closeCurrent(); },
         .refusal = needs_page},
        {.id = QStringLiteral("actionPageWindows"),
         .text = PageText::tr("Analyses in &Windows of Their Own"),
         .keywords = PageText::tr("tear off detach tabs pages screen"),
         .act = [&pages] { pages.setWindows(!pages.hasWindows()); },
         .checked = [&pages] { return pages.hasWindows(); }},
        {.id = QStringLiteral("actionSidePanels"),
         .text = PageText::tr("&Heads and Types at the Sides"),
         .keywords = PageText::tr("panels fold collapse hide grid room"),
         .keys = keys({"F9"}),
         .act = [&window] { window.sidePanels().show(!window.sidePanels().areShown()); },
         .checked = [&window] { return window.sidePanels().areShown(); }},
    };
}

} // namespace headscope::ui
