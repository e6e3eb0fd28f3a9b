#include "ui/document/document.h"
#include "ui/document/repetition.h"
#include "ui/views/commands/commands.h"
#include "ui/views/grid/grid_colouring.h"
#include "ui/views/grid/head_grid_view.h"
#include "ui/views/main_window.h"
#include "ui/views/model/model_dialog.h"
#include "ui/views/pattern/outline_box.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/theme.h"

#include <QCoreApplication>

namespace headscope::ui {
namespace {

struct ViewText {
    Q_DECLARE_TR_FUNCTIONS(ViewText)
};

void showModelDialog(MainWindow& window, ModelDialog::Page page) {
    (new ModelDialog(loadedModel(window.document()), page, &window))->show();
}

QList<Command> themeCommands() {
    const QPair<Theme, QString> choices[] = {{Theme::System, ViewText::tr("&System Theme")},
                                             {Theme::Light, ViewText::tr("&Light Theme")},
                                             {Theme::Dark, ViewText::tr("&Dark Theme")}};
    QList<Command> commands;
    for (const auto& [theme, text] : choices)
        commands << Command{.id = QStringLiteral("theme_") + themeKey(theme),
                            .text = text,
                            .keywords = ViewText::tr("colours appearance"),
                            .act =
                                [chosen = theme] {
                                    applyTheme(chosen);
                                    keepTheme(chosen);
                                },
                            .checked = [chosen = theme] { return keptTheme() == chosen; },
                            .is_choice = true};
    return commands;
}

/// Shows this map, or attention again.
Command mapCommand(PatternView& pattern, const char* id, const QString& text,
                   const QString& keywords, PatternMap map) {
    return {.id = QString::fromLatin1(id),
            .text = text,
            .keywords = keywords,
            .act =
                [&pattern, map] {
                    PatternSettings settings = pattern.settings();
                    settings.map = settings.map == map ? PatternMap::Attention : map;
                    pattern.setSettings(settings);
                },
            .checked = [&pattern, map] { return pattern.settings().map == map; }};
}

QList<Command> patternCommands(PatternView& pattern) {
    return {
        {.id = QStringLiteral("actionOneHead"),
         .text = ViewText::tr("&Heatmap of the Selected Head"),
         .keywords = ViewText::tr("attention pattern"),
         .keys = keys({"Ctrl+1"}),
         .act = [&pattern] { pattern.showPage(PatternPage::Heatmap); },
         .checked = [&pattern] { return pattern.page() == PatternPage::Heatmap; },
         .is_choice = true},
        {.id = QStringLiteral("actionAllHeads"),
         .text = ViewText::tr("Patterns of &All Heads"),
         .keywords = ViewText::tr("attention mosaic overview"),
         .keys = keys({"Ctrl+2"}),
         .act = [&pattern] { pattern.showPage(PatternPage::AllHeads); },
         .checked = [&pattern] { return pattern.page() == PatternPage::AllHeads; },
         .is_choice = true},
        {.id = QStringLiteral("actionText"),
         .text = ViewText::tr("Prompt as Te&xt, Tinted by the Chosen Heads"),
         .keywords = ViewText::tr("running words tokens reads highlight"),
         .keys = keys({"Ctrl+3"}),
         .act = [&pattern] { pattern.showPage(PatternPage::Text); },
         .checked = [&pattern] { return pattern.page() == PatternPage::Text; },
         .is_choice = true},
        {.id = QStringLiteral("actionLines"),
         .text = ViewText::tr("Li&nes Between Tokens of the Chosen Heads"),
         .keywords = ViewText::tr("BertViz head view columns"),
         .keys = keys({"Ctrl+4"}),
         .act = [&pattern] { pattern.showPage(PatternPage::Lines); },
         .checked = [&pattern] { return pattern.page() == PatternPage::Lines; },
         .is_choice = true},
        {.id = QStringLiteral("actionWhy"),
         .text = ViewText::tr("Wh&y the Selected Head Looks There"),
         .keywords = ViewText::tr("reason cause score query key decompose trace graph circuit"),
         .keys = keys({"Ctrl+5"}),
         .act = [&pattern] { pattern.showPage(PatternPage::Why); },
         .checked = [&pattern] { return pattern.page() == PatternPage::Why; },
         .is_choice = true},
        {.id = QStringLiteral("actionInside"),
         .text = ViewText::tr("&Inside the Selected Head, Step by Step"),
         .keywords = ViewText::tr("query key value score softmax temperature weighted sum "
                                  "concatenation mechanism numbers learn"),
         .keys = keys({"Ctrl+6"}),
         .act = [&pattern] { pattern.showPage(PatternPage::Inside); },
         .checked = [&pattern] { return pattern.page() == PatternPage::Inside; },
         .is_choice = true},
        {.id = QStringLiteral("actionReadBy"),
         .text = ViewText::tr("Text Shows &Who Reads a Token"),
         .keywords = ViewText::tr("direction turn round attended by"),
         .keys = keys({"Ctrl+D"}),
         .act =
             [&pattern] {
                 PatternControls& controls = pattern.controls();
                 const bool reads = controls.direction() == TokenDirection::Reads;
                 controls.setDirection(reads ? TokenDirection::ReadBy : TokenDirection::Reads);
             },
         .checked = [&pattern] { return pattern.controls().direction() == TokenDirection::ReadBy; },
         .opens_section = true},
        {.id = QStringLiteral("actionResetZoom"),
         .text = ViewText::tr("Reset &Zoom"),
         .keys = keys({"Ctrl+0"}),
         .act = [&pattern] { pattern.resetZoom(); },
         .opens_section = true},
        mapCommand(pattern, "actionDifference", ViewText::tr("&Difference from the Whole Model"),
                   ViewText::tr("ablation change effect before after"), PatternMap::Difference),
        mapCommand(pattern, "actionValueWeighted", ViewText::tr("&Value-Weighted Pattern"),
                   ViewText::tr("norm map"), PatternMap::ValueWeighted),
        {.id = QStringLiteral("actionFirstKey"),
         .text = ViewText::tr("Hide the &First Key"),
         .keywords = ViewText::tr("attention sink BOS column past"),
         .act = [&pattern] { pattern.controls().toggleFirstKey(); },
         .checked = [&pattern] { return pattern.controls().isFirstKeyHidden(); }},
        {.id = QStringLiteral("actionOwnScale"),
         .text = ViewText::tr("&Own Colour Scale"),
         .keywords = ViewText::tr("range stretch"),
         .act =
             [&pattern] {
                 PatternSettings settings = pattern.settings();
                 settings.own_scale = !settings.own_scale;
                 pattern.setSettings(settings);
             },
         .checked = [&pattern] { return pattern.settings().own_scale; }},
        {.id = QStringLiteral("actionOutline"),
         .text = ViewText::tr("O&utline Where a Head of Its Type Would Look"),
         .keywords = ViewText::tr("perfect targets"),
         .act = [&pattern] { pattern.controls().outline().toggle(); },
         .checked = [&pattern] { return pattern.controls().outline().type().has_value(); }},
    };
}

QList<Command> gridCommands(GridColouring& colouring) {
    return {
        {.id = QStringLiteral("actionColourBy"),
         .text = ViewText::tr("Colour Heads &By …"),
         .keywords = ViewText::tr("score grid"),
         .needs = Needs::Model,
         .act = [&colouring] { colouring.openChoices(); },
         .opens_section = true},
        {.id = QStringLiteral("actionSortHeads"),
         .text = ViewText::tr("&Sort Heads by Score"),
         .keywords = ViewText::tr("order grid"),
         .needs = Needs::Model,
         .act = [&colouring] { colouring.toggleSorting(); },
         .checked = [&colouring] { return colouring.isSorted(); }},
    };
}

QList<Command> modelCommands(MainWindow& window) {
    return {
        {.id = QStringLiteral("actionModelCard"),
         .text = ViewText::tr("Model &Card"),
         .keywords = ViewText::tr("parameters KV cache size GQA MQA"),
         .keys = keys({"Ctrl+I"}),
         .needs = Needs::Model,
         .act = [&window] { showModelDialog(window, ModelDialog::Page::Card); },
         .opens_section = true},
        {.id = QStringLiteral("actionLoadReport"),
         .text = ViewText::tr("Load &Report"),
         .keywords = ViewText::tr("tensors ignored config"),
         .needs = Needs::Model,
         .act = [&window] { showModelDialog(window, ModelDialog::Page::Report); }},
        {.id = QStringLiteral("actionFlipSquare"),
         .text = ViewText::tr("Read S&quare Matrices Transposed"),
         .keywords = ViewText::tr("flip the other way round layout"),
         .needs = Needs::SquareMatrices,
         .act = [&window] { window.flipSquareMatrices(); },
         .checked = [&window] { return window.document().loadOptions().flip_square_matrices; }},
    };
}

} // namespace

QList<Command> viewCommands(MainWindow& window) {
    return patternCommands(window.patternView()) + gridCommands(window.headGrid().colouring()) +
           modelCommands(window) +
           QList<Command>{{.id = QStringLiteral("themeMenu"),
                           .text = ViewText::tr("&Theme"),
                           .opens_section = true,
                           .submenu = themeCommands}};
}

} // namespace headscope::ui
