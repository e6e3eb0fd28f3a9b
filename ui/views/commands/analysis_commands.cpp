#include "ui/document/document.h"
#include "ui/views/attribution/attribution_dialog.h"
#include "ui/views/circuits/circuits_dialog.h"
#include "ui/views/commands/commands.h"
#include "ui/views/examples/example_window.h"
#include "ui/views/main_window.h"
#include "ui/views/pages/page_area.h"
#include "ui/views/patching/patch_dialog.h"
#include "ui/views/prompt/compare_bar.h"
#include "ui/views/prompts/prompt_set_window.h"
#include "ui/views/pruning/pruning_window.h"
#include "ui/views/scores/scores_dialog.h"
#include "ui/views/similarity/similarity_dialog.h"
#include "ui/views/window/messages.h"

#include <QCoreApplication>
#include <QWidget>

#include <cstddef>

namespace headscope::ui {
namespace {

struct AnalysisText {
    Q_DECLARE_TR_FUNCTIONS(AnalysisText)
};

/// One is enough; most keep what they have while they are closed.
template <class Analysis>
Analysis* openOne(MainWindow& window, const char* command) {
    auto* analysis = window.findChild<Analysis*>();
    const bool is_going = analysis && analysis->testAttribute(Qt::WA_DeleteOnClose) &&
                          !window.pages().isOpen(analysis);
    if (!analysis || is_going)
        analysis = new Analysis(window.document(), window.systemDialogs(), &window);
    window.pages().open(analysis, QString::fromLatin1(command));
    return analysis;
}

void openPruning(MainWindow& window, const char* command) {
    auto* bench = openOne<PruningWindow>(window, command);
    QObject::connect(bench, &PruningWindow::modelSaved, &window, &MainWindow::saySaved,
                     Qt::UniqueConnection);
}

/// B begins as the prompt itself, to be changed by a word.
void toggleComparison(MainWindow& window) {
    Document& document = window.document();
    if (document.comparison().isOn())
        return document.comparison().turnOff();
    document.comparison().turnOn();
    document.comparison().setPromptText(document.promptText());
    document.showSide(Side::Difference);
    window.compareBar().focusPrompt();
}

void showNextSide(Document& document) {
    const Side next[] = {Side::B, Side::Difference, Side::A}; // by Side
    document.showSide(next[static_cast<std::size_t>(document.comparison().side())]);
}

/// Each holds an answer of its own, so there may be several.
template <class Analysis>
void openAnother(MainWindow& window, const char* command) {
    window.pages().open(new Analysis(window.document(), window.systemDialogs(), &window),
                        QString::fromLatin1(command));
}

Command source(Document& document, const char* id, const QString& text, ScoreSource source) {
    return {.id = QString::fromLatin1(id),
            .text = text,
            .keywords = AnalysisText::tr("score input measured on labels"),
            .needs = Needs::Model,
            .act = [&document, source] { document.setScoreSource(source); },
            .checked = [&document,
                        source] { return document.headScorer().effectiveSource() == source; },
            .is_choice = true};
}

/// Its scores are there only once a set was run.
Command promptSetSource(Document& document) {
    Command command = source(document, "actionPromptSetScores",
                             AnalysisText::tr("Types from &a Prompt Set"), ScoreSource::PromptSet);
    command.tip = AnalysisText::tr("Types are the means over the prompts of the window Prompt Set");
    command.refusal = [&document] {
        return document.headScorer().hasPromptSetScores()
                   ? QString()
                   : AnalysisText::tr(
                         "No prompt set has been run on this model yet; “Prompt Set …” "
                         "runs one.");
    };
    return command;
}

} // namespace

QList<Command> analysisCommands(MainWindow& window) {
    Document& document = window.document();
    return {
        source(document, "actionRandomScores",
               AnalysisText::tr("Types from &Repeats and Sentences"), ScoreSource::RandomRepeats),
        source(document, "actionPromptScores", AnalysisText::tr("Types from This &Prompt"),
               ScoreSource::Prompt),
        promptSetSource(document),
        {.id = QStringLiteral("actionScore"),
         .text = AnalysisText::tr("Score &Heads Again"),
         .keywords = AnalysisText::tr("measure types labels"),
         .keys = keys({"F5"}),
         .needs = Needs::Model,
         .act = [&document] { document.scoreHeads(); },
         .opens_section = true},
        {.id = QStringLiteral("actionResetThresholds"),
         .text = AnalysisText::tr("Reset &Thresholds"),
         .keywords = AnalysisText::tr("labels types"),
         .act = [&document] { document.setThresholds({}); }},
        {.id = QStringLiteral("actionTestEffect"),
         .text = AnalysisText::tr("E&ffect of Ablating This Head"),
         .keywords = AnalysisText::tr("ablation test does it matter cause"),
         .keys = keys({"Ctrl+T"}),
         .needs = Needs::Model,
         .act = [&document] { document.testEffect(document.selection().head()); },
         .opens_section = true},
        {.id = QStringLiteral("actionTestAllEffects"),
         .text = AnalysisText::tr("Effects of Ablating All &Labelled Heads"),
         .keywords = AnalysisText::tr("ablation test do they matter cause types"),
         .needs = Needs::Model,
         .act = [&document] { document.testAllEffects(); }},
        {.id = QStringLiteral("actionTestLabels"),
         .text = AnalysisText::tr("Test This Head's La&bels"),
         .keywords = AnalysisText::tr("trust cause specific needed transfers stable grade"),
         .keys = keys({"Ctrl+Shift+L"}),
         .needs = Needs::Model,
         .act = [&document] { document.labelTester().test(document.selection().head()); },
         .refusal =
             [&document] {
                 return document.model()
                            ? document.labelTester().refusal(document.selection().head())
                            : QString();
             }},
        {.id = QStringLiteral("actionTestAllLabels"),
         .text = AnalysisText::tr("T&est All Labels"),
         .keywords = AnalysisText::tr("trust cause specific needed transfers stable grades"),
         .needs = Needs::Model,
         .act = [&document] { document.labelTester().testAll(); },
         .refusal =
             [&document] {
                 return document.model() ? document.labelTester().refusalOfAll() : QString();
             }},
        {.id = QStringLiteral("actionCompare"),
         .text = AnalysisText::tr("C&ompare with Another Prompt or Model"),
         .keywords = AnalysisText::tr("A B difference second prompt side by side checkpoint"),
         .keys = keys({"Ctrl+Shift+B"}),
         .needs = Needs::Model,
         .act = [&window] { toggleComparison(window); },
         .checked = [&document] { return document.comparison().isOn(); },
         .opens_section = true},
        {.id = QStringLiteral("actionCompareWhole"),
         .text = AnalysisText::tr("Compare with the &Whole Model"),
         .keywords = AnalysisText::tr("A B difference ablated all heads on before after"),
         .needs = Needs::AblatedHeads,
         .act =
             [&document] {
                 document.comparison().turnOn();
                 document.comparison().setPromptText({});
                 document.comparison().setAblatesAsA(false);
                 document.showSide(Side::Difference);
             }},
        {.id = QStringLiteral("actionNextSide"),
         .text = AnalysisText::tr("Show the &Next of A, B and B − A"),
         .keywords = AnalysisText::tr("compare side difference switch"),
         .keys = keys({"Ctrl+B"}),
         .needs = Needs::Comparison,
         .act = [&document] { showNextSide(document); }},
        {.id = QStringLiteral("actionPatch"),
         .text = AnalysisText::tr("Patch Acti&vations Between A and B …"),
         .keywords = AnalysisText::tr("causal tracing path patching restore corrupted clean "
                                      "attribution patching"),
         .keys = keys({"Ctrl+Shift+T"}),
         .needs = Needs::Comparison,
         .act = [&window] { openAnother<PatchDialog>(window, "actionPatch"); },
         .opens_page = true},
        {.id = QStringLiteral("actionPromptSet"),
         .text = AnalysisText::tr("Pro&mpt Set …"),
         .keywords = AnalysisText::tr("many prompts dataset batch mean loss file jsonl"),
         .keys = keys({"Ctrl+Shift+M"}),
         .needs = Needs::Model,
         .act = [&window] { openOne<PromptSetWindow>(window, "actionPromptSet"); },
         .opens_page = true},
        {.id = QStringLiteral("actionExamples"),
         .text = AnalysisText::tr("E&xamples from a Text …"),
         .keywords = AnalysisText::tr("corpus dataset strongest deciles histogram HeadVis "
                                      "Neuronpedia max activating"),
         .keys = keys({"Ctrl+Shift+X"}),
         .needs = Needs::Model,
         .act = [&window] { openOne<ExampleWindow>(window, "actionExamples"); },
         .opens_page = true},
        {.id = QStringLiteral("actionAllScores"),
         .text = AnalysisText::tr("All &Scores …"),
         .keywords = AnalysisText::tr("table scatter types"),
         .keys = keys({"Ctrl+Shift+A"}),
         .needs = Needs::Model,
         .act = [&window] { openOne<ScoresDialog>(window, "actionAllScores"); },
         .opens_page = true,
         .opens_section = true},
        {.id = QStringLiteral("actionAttribution"),
         .text = AnalysisText::tr("&Direct Logit Attribution and Logit Lens …"),
         .keywords = AnalysisText::tr("DLA where the prediction comes from readout"),
         .needs = Needs::Model,
         .act = [&window] { openAnother<AttributionDialog>(window, "actionAttribution"); },
         .opens_page = true},
        {.id = QStringLiteral("actionCircuits"),
         .text = AnalysisText::tr("OV/QK &Circuits …"),
         .keywords = AnalysisText::tr("weights composition copying eigenvalues"),
         .needs = Needs::Model,
         .act = [&window] { openAnother<CircuitsDialog>(window, "actionCircuits"); },
         .opens_page = true},
        {.id = QStringLiteral("actionSimilarity"),
         .text = AnalysisText::tr("Head S&imilarity …"),
         .keywords = AnalysisText::tr("similarity redundancy clusters distance"),
         .needs = Needs::Model,
         .act = [&window] { openAnother<SimilarityDialog>(window, "actionSimilarity"); },
         .opens_page = true},
        {.id = QStringLiteral("actionPrune"),
         .text = AnalysisText::tr("Pr&une Heads …"),
         .keywords = AnalysisText::tr("pruning smaller model remove curve recipe compensation"),
         .keys = keys({"Ctrl+Shift+R"}),
         .needs = Needs::Model,
         .act = [&window] { openPruning(window, "actionPrune"); },
         .opens_page = true,
         .opens_section = true},
    };
}

} // namespace headscope::ui
