#include "core/export/export_patterns.h"
#include "core/export/provenance.h"
#include "core/heads/head_type.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"
#include "tests/ui/views/open_menu.h"
#include "tests/ui/views/pasted.h"
#include "ui/tables/head_text.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/export/save_model_dialog.h"
#include "ui/views/model/model_dialog.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/prompt/prompt_bar.h"
#include "ui/views/scores/scores_dialog.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStatusBar>

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

const QString kStory = QStringLiteral("When Mary and John went to the store, John gave a drink to");

/// Of the run that is shown, [query, key].
std::vector<float> shownPattern(const RunResult& result, LayerHead head) {
    const std::size_t positions = result.prompt.ids.size();
    const Tensor pattern = result.masked->pattern(head, {0, positions}, {0, positions});
    return {pattern.values().begin(), pattern.values().end()};
}

bool areClose(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && !a.empty() && std::ranges::equal(a, b, [](float x, float y) {
               return isClose(static_cast<double>(x), static_cast<double>(y));
           });
}

/// The numbers of a square matrix with names on both axes, which may hold commas.
std::vector<float> csvNumbers(const QString& path) {
    QFile file(path);
    std::vector<float> numbers;
    if (!file.open(QIODevice::ReadOnly))
        return numbers;
    const QStringList lines =
        QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts).mid(1);
    for (const QString& line : lines)
        for (const QString& cell : line.split(QLatin1Char(',')).last(lines.size()))
            numbers.push_back(cell.toFloat());
    return numbers;
}

} // namespace

class TestCopyRuns : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l"))); }

    void init() {
        Document& document = window_->document();
        document.clearMask();
        document.setAblationKind(AblationKind::Zero);
        document.setBosMode(BosMode::Auto);
        document.comparison().turnOff();
        document.setPromptText(kStory);
        document.select({4, 1});
        QVERIFY(hasRun());
        pattern().showPage(PatternPage::Heatmap);
        PatternSettings settings = pattern().settings();
        settings.map = PatternMap::Attention;
        pattern().setSettings(settings);
    }

    void aRunGivesTheSameLossAndPredictions_data() {
        QTest::addColumn<QString>("prompt");
        QTest::addColumn<int>("bos");
        QTest::addColumn<bool>("ablated");
        QTest::addColumn<int>("kind");
        const auto row = [](const char* name, const QString& prompt, BosMode bos = BosMode::Auto,
                            bool ablated = false, AblationKind kind = AblationKind::Zero) {
            QTest::newRow(name) << prompt << static_cast<int>(bos) << ablated
                                << static_cast<int>(kind);
        };
        row("plain", kStory);
        row("quotes", QStringLiteral("it's \"so\" `now` $HOME \\n ! * ?"));
        row("line ends", QStringLiteral("one\ntwo\r\nthree\n"));
        row("emoji", QStringLiteral("naïve 🙂 café"));
        row("spaces", QStringLiteral("   three before, two behind  "));
        row("an option", QStringLiteral("--json"));
        row("a dash", QStringLiteral("-x y"));
        row("a list", QStringLiteral("[a, b]"));
        row("empty", QString());
        row("tabs", QStringLiteral("a\tb"));
        row("without BOS", kStory, BosMode::No);
        row("by zero", kStory, BosMode::Auto, true);
        row("by mean", kStory, BosMode::Auto, true, AblationKind::Mean);
        row("all at once", QStringLiteral("-'q'\n🙂 "), BosMode::No, true, AblationKind::Mean);
    }

    void aRunGivesTheSameLossAndPredictions() {
        QFETCH(const QString, prompt);
        QFETCH(const int, bos);
        QFETCH(const bool, ablated);
        QFETCH(const int, kind);
        Document& document = window_->document();
        document.setBosMode(static_cast<BosMode>(bos));
        document.setPromptText(prompt);
        if (ablated) {
            document.setAblationKind(static_cast<AblationKind>(kind));
            document.toggleHeads({{4, 1}, {2, 3}}, QStringLiteral("two"));
        }
        QVERIFY(hasRun());
        QWidget& outcome = *window_->operator->()->promptBar().outcome();
        QVERIFY(chooseInMenu(outcome, outcome.rect().center(), "copyCommand") > 2);
        Paste paste;
        const nlohmann::json run = paste.json();
        QVERIFY2(run.is_object(), qPrintable(Paste::copied() + paste.error()));
        QVERIFY(showsTheSame(run["loss"], run["predictions"]));
        if (!kHasPython)
            return;
        chooseInMenu(outcome, outcome.rect().center(), "copyPython");
        const nlohmann::json python =
            paste.python(QStringLiteral("[run.loss, [p._asdict() for p in run.predictions()]]"));
        QVERIFY2(python.is_array(), qPrintable(Paste::copied() + paste.error()));
        QVERIFY(showsTheSame(python[0], python[1]));
    }

    void thePatternOfAHead() {
        Paste paste;
        trigger("actionCopyCommand");
        QVERIFY(Paste::copied().startsWith(QStringLiteral("headscope-cli export /")));
        QVERIFY(window_->operator->()->statusBar()->currentMessage().startsWith(
            QStringLiteral("Copied: ")));
        paste.run();
        QVERIFY2(areClose(csvNumbers(paste.file(QStringLiteral(".csv"))), shown({4, 1})),
                 qPrintable(paste.error()));
        if (!kHasPython)
            return;
        trigger("actionCopyPython");
        const auto python = paste.python(QStringLiteral("pattern.flatten().tolist()"));
        QVERIFY2(python.is_array(), qPrintable(paste.error()));
        QVERIFY(areClose(python.get<std::vector<float>>(), shown({4, 1})));
    }

    void keysCopyWhatIsInFront() {
        const auto press = [](QWidget* widget, Qt::Key key) {
            QGuiApplication::clipboard()->clear();
            QTest::keyClick(widget, key, Qt::ControlModifier | Qt::ShiftModifier);
            return Paste::copied();
        };
        MainWindow* window = window_->operator->();
        window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window));
        QVERIFY(press(window, Qt::Key_C).startsWith(QStringLiteral("headscope-cli export ")));
        QVERIFY(press(window, Qt::Key_Y).startsWith(QStringLiteral("import headscope")));
        QVERIFY(window_->settled());
        const OpenedDialog<ScoresDialog> dialog(*window_, "actionAllScores", "scoresDialog");
        // A window also counts as active while the one that it belongs to is.
        QTRY_VERIFY_WITH_TIMEOUT(QApplication::activeWindow() == dialog.dialog, kPatience);
        QVERIFY(press(dialog.dialog, Qt::Key_C).startsWith(QStringLiteral("headscope-cli heads ")));
        QVERIFY(press(dialog.dialog, Qt::Key_Y).contains(QStringLiteral("m.heads()")));
        dialog.dialog->close();
        window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window));
    }

    void thePatternWithAblatedHeads() {
        window_->document().setAblationKind(AblationKind::Mean);
        window_->document().toggleHeads({{0, 2}, {1, 5}}, QStringLiteral("two"));
        QVERIFY(hasRun());
        Paste paste;
        trigger("actionCopyCommand");
        paste.run();
        QVERIFY2(!paste.file(QStringLiteral(".npz")).isEmpty(), qPrintable(paste.error()));
        QVERIFY(areClose(ofHead(paste.file(QStringLiteral(".npz")), {4, 1}), shown({4, 1})));
        if (!kHasPython)
            return;
        trigger("actionCopyPython");
        const auto python = paste.python(QStringLiteral("pattern.flatten().tolist()"));
        QVERIFY2(python.is_array(), qPrintable(paste.error()));
        QVERIFY(areClose(python.get<std::vector<float>>(), shown({4, 1})));
    }

    void thePatternsOfAllHeads() {
        pattern().showPage(PatternPage::AllHeads);
        Paste paste;
        trigger("actionCopyCommand");
        paste.run();
        const QString file = paste.file(QStringLiteral(".npz"));
        QVERIFY2(!file.isEmpty(), qPrintable(paste.error()));
        for (const LayerHead head : window_->document().model()->spec.allHeads())
            QVERIFY(areClose(ofHead(file, head), shown(head)));
        if (!kHasPython)
            return;
        trigger("actionCopyPython");
        const auto python =
            paste.python(QStringLiteral("run['blocks.5.attn.hook_pattern'][7].flatten().tolist()"));
        QVERIFY2(python.is_array(), qPrintable(paste.error()));
        QVERIFY(areClose(python.get<std::vector<float>>(), shown({5, 7})));
    }

    void textAndLinesAreOfTheChosenHeads() {
        for (const PatternPage page : {PatternPage::Text, PatternPage::Lines}) {
            pattern().showPage(page);
            window_->document().choose({{4, 1}, {2, 3}}, {4, 1});
            Paste paste;
            trigger("actionCopyCommand");
            paste.run();
            const QString file = paste.file(QStringLiteral(".npz"));
            QVERIFY2(!file.isEmpty(), qPrintable(paste.error()));
            for (const LayerHead head : {LayerHead{4, 1}, LayerHead{2, 3}})
                QVERIFY(areClose(ofHead(file, head), shown(head)));
        }
    }

    void aDifferenceIsTwoCommands() {
        Document& document = window_->document();
        document.comparison().turnOn();
        document.comparison().setPromptText(
            QStringLiteral("When Anna and John went to the store, John gave a drink to"));
        document.showSide(Side::Difference);
        QVERIFY(QTest::qWaitFor(
            [&] {
                const auto& other = document.shown().other;
                return other && other->prompt.text.starts_with("When Anna");
            },
            kPatience));
        Paste paste;
        trigger("actionCopyCommand");
        QCOMPARE(Paste::copied().count(QLatin1Char('\n')), 1);
        paste.run();
        const QStringList files = QDir(QFileInfo(paste.path(QStringLiteral("x"))).path())
                                      .entryList({QStringLiteral("*.csv")}, QDir::Files);
        QCOMPARE(files.size(), 2);
        const QString of_a = patternFile(*document.shown().result);
        const QString of_b = patternFile(*document.shown().other);
        QVERIFY(
            areClose(csvNumbers(paste.path(of_a)), shownPattern(*document.shown().result, {4, 1})));
        QVERIFY(
            areClose(csvNumbers(paste.path(of_b)), shownPattern(*document.shown().other, {4, 1})));
        document.showSide(Side::B);
        trigger("actionCopyCommand");
        QVERIFY(Paste::copied().contains(QStringLiteral("Anna")));
        QCOMPARE(Paste::copied().count(QLatin1Char('\n')), 0);
    }

    void theDifferenceToTheWholeModelIsTwoCommands() {
        window_->document().toggleHeads({{0, 2}}, QStringLiteral("one"));
        QVERIFY(hasRun());
        trigger("actionDifference");
        trigger("actionCopyCommand");
        const QStringList lines = Paste::copied().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), 2);
        QVERIFY(lines[0].startsWith(QStringLiteral("headscope-cli export ")));
        QVERIFY(lines[1].contains(QStringLiteral(" --ablate 0.2 ")));
        pattern().showPage(PatternPage::AllHeads);
        Paste paste;
        trigger("actionCopyCommand");
        paste.run();
        QVERIFY2(paste.error().isEmpty(), qPrintable(paste.error()));
        QCOMPARE(QDir(QFileInfo(paste.path(QStringLiteral("x"))).path())
                     .entryList({QStringLiteral("*.npz")}, QDir::Files)
                     .size(),
                 2);
    }

    void whatNoCommandGivesIsGreyedWithAReason() {
        trigger("actionValueWeighted");
        const auto* copy = window_->find<QAction>("actionCopyCommand");
        QVERIFY(!copy->isEnabled());
        QVERIFY(copy->toolTip().contains(QStringLiteral("weights patterns by values")));
        trigger("actionValueWeighted");
        QVERIFY(copy->isEnabled());
        QVERIFY(!copy->toolTip().contains(QStringLiteral("weights patterns")));
    }

    void theScoresOfAllHeads() {
        QVERIFY(window_->settled());
        const OpenedDialog<ScoresDialog> dialog(*window_, "actionAllScores", "scoresDialog");
        Paste paste;
        QVERIFY(copiesCommand(dialog.dialog));
        const nlohmann::json heads = paste.json();
        QVERIFY2(heads.is_object(), qPrintable(paste.error()));
        QVERIFY(areScoresOf(*window_->document().headScorer().scores(), heads["heads"]));
        QVERIFY(dialog.find<QLabel>("scoresHead")->text().startsWith(QStringLiteral("Copied: ")));
        if (kHasPython) {
            QVERIFY(copiesPython(dialog.dialog));
            const auto python = paste.python(
                QStringLiteral("[None if s != s else s for s in scores['score'].tolist()]"));
            QVERIFY2(python.is_array(), qPrintable(paste.error()));
            std::vector<double> found;
            for (const nlohmann::json& score : python)
                found.push_back(numberOf(score));
            std::vector<double> shown;
            for (const HeadScore& score : window_->document().headScorer().scores()->scores)
                shown.push_back(score.score);
            QVERIFY(haveSameNumbers(found, shown));
        }
        // On the prompt, while nothing is ablated.
        trigger("actionPromptScores");
        QVERIFY(copiesCommand(dialog.dialog));
        const nlohmann::json on_prompt = paste.json();
        QVERIFY2(on_prompt.is_object(), qPrintable(paste.error()));
        QVERIFY(areScoresOf(*window_->document().headScorer().scores(), on_prompt["heads"]));
        window_->document().toggleHeads({{0, 2}}, QStringLiteral("one"));
        QVERIFY(hasRun());
        QVERIFY(!copiesCommand(dialog.dialog));
        trigger("actionRandomScores");
        dialog.dialog->close();
    }

    void theEffectOfAHead() {
        QVERIFY(window_->settled());
        Document& document = window_->document();
        for (const AblationKind kind : {AblationKind::Zero, AblationKind::Mean}) {
            document.setAblationKind(kind);
            document.effectTester().forget();
            auto* test = window_->find<QPushButton>("testEffect");
            QTest::mouseClick(test, Qt::LeftButton);
            QVERIFY(QTest::qWaitFor(
                [&] {
                    return document.effectTester().effect({4, 1}) &&
                           !document.effectTester().worker()->isBusy();
                },
                kPatience));
            QWidget& panel = *test->parentWidget();
            QVERIFY(chooseInMenu(panel, {2, 2}, "copyCommand") == 2);
            Paste paste;
            const nlohmann::json effect = paste.json();
            QVERIFY2(effect.is_object(), qPrintable(Paste::copied() + paste.error()));
            const AblationEffect& shown = *document.effectTester().effect({4, 1});
            QVERIFY(isClose(numberOf(effect["difference"]), shown.difference));
            QVERIFY(isClose(numberOf(effect["low"]), shown.interval.low));
            std::vector<double> others;
            for (const AblationEffect::Other& other : shown.others)
                others.push_back(other.difference);
            QVERIFY(haveSameNumbers(numbersOf(effect["others"], "difference"), others));
        }
    }

    void whatTheModelWrites() {
        Document& document = window_->document();
        document.toggleHeads({{0, 2}}, QStringLiteral("one"));
        QVERIFY(hasRun());
        auto& writer = window_->operator->()->promptBar().writer();
        writer.setSettings({8, 0.7});
        writer.write();
        QVERIFY(QTest::qWaitFor([&] { return writer.written().has_value(); }, kPatience));
        auto* button = window_->find<QToolButton>("writeButton");
        const auto menu = button->menu()->actions();
        const auto copy =
            std::ranges::find(menu, QLatin1String("copyCommand"), &QAction::objectName);
        QVERIFY(copy != menu.end());
        emit button->menu()->aboutToShow();
        QVERIFY((*copy)->isEnabled());
        (*copy)->trigger();
        Paste paste;
        const nlohmann::json text = paste.json();
        QVERIFY2(text.is_object(), qPrintable(paste.error()));
        QCOMPARE(kStory + QString::fromStdString(text["text"].get<std::string>()),
                 document.promptText());
        if (!kHasPython)
            return;
        const auto python =
            std::ranges::find(menu, QLatin1String("copyPython"), &QAction::objectName);
        (*python)->trigger();
        const nlohmann::json written = paste.python(QStringLiteral("written.fields['text']"));
        QVERIFY2(written == text["text"], qPrintable(Paste::copied() + paste.error()));
    }

    void theModelCard() {
        const OpenedDialog<ModelDialog> dialog(*window_, "actionModelCard", "modelDialog");
        QVERIFY(copiesCommand(dialog.dialog));
        Paste paste;
        const nlohmann::json info = paste.json();
        QVERIFY2(info.is_object(), qPrintable(paste.error()));
        QCOMPARE(info["sha256"].get<std::string>(), window_->document().model()->sha256);
        QVERIFY(!copiesPython(dialog.dialog));
        dialog.dialog->close();
    }

    void whatIsExported() {
        for (const ExportWhat what : {ExportWhat::Head, ExportWhat::Layer, ExportWhat::AllHeads}) {
            const OpenedDialog<ExportDialog> dialog(*window_, "actionExport", "exportDialog");
            QVERIFY(!copiesCommand(dialog.dialog)); // a picture
            auto* choice = dialog.find<QComboBox>("exportWhat");
            choice->setCurrentIndex(choice->findData(static_cast<int>(what)));
            Paste paste;
            dialog.find<QLineEdit>("exportPath")->setText(paste.path(QStringLiteral("mine.npz")));
            QVERIFY(copiesCommand(dialog.dialog));
            paste.run();
            const QByteArray pasted = bytesOfFile(paste.path(QStringLiteral("mine.npz")));
            QVERIFY2(!pasted.isEmpty(), qPrintable(paste.error()));
            QFile::remove(paste.path(QStringLiteral("mine.npz")));
            QTest::mouseClick(dialog.find<QPushButton>("exportWrite"), Qt::LeftButton);
            QVERIFY(QTest::qWaitFor(
                [&] { return QFile::exists(paste.path(QStringLiteral("mine.npz"))); }, kPatience));
            QCOMPARE(bytesOfFile(paste.path(QStringLiteral("mine.npz"))), pasted);
            QTRY_VERIFY(!window_->find<ExportDialog>("exportDialog"));
        }
    }

    void theModelThatIsSaved() {
        const OpenedDialog<SaveModelDialog> dialog(*window_, "actionSaveModel", "saveModelDialog");
        Paste paste;
        const QString path = paste.path(QStringLiteral("it's.h5"));
        dialog.find<QLineEdit>("savePath")->setText(path);
        dialog.find<QComboBox>("saveFormat")->setCurrentIndex(1);
        QVERIFY(copiesPython(dialog.dialog));
        const QString python = Paste::copied();
        QVERIFY(copiesCommand(dialog.dialog));
        paste.run();
        const QByteArray pasted = bytesOfFile(path);
        QVERIFY2(!pasted.isEmpty(), qPrintable(paste.error()));
        QFile::remove(path);
        QTest::mouseClick(dialog.find<QPushButton>("saveWrite"), Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([&] { return QFile::exists(path); }, kPatience));
        QCOMPARE(bytesOfFile(path), pasted);
        if (!kHasPython)
            return;
        QFile::remove(path);
        QGuiApplication::clipboard()->setText(python);
        QVERIFY2(paste.python(QStringLiteral("1")).is_number(), qPrintable(paste.error()));
        QCOMPARE(bytesOfFile(path), pasted);
    }

private:
    PatternView& pattern() { return window_->operator->()->patternView(); }
    void trigger(const char* action) { window_->find<QAction>(action)->trigger(); }

    /// Waits for the run of what is asked now.
    bool hasRun() {
        Document& document = window_->document();
        return QTest::qWaitFor(
            [&] {
                const auto result = document.promptRunner().result();
                return result && toQString(result->prompt.text) == document.promptText() &&
                       result->mask == document.mask() &&
                       !document.promptRunner().worker()->isBusy();
            },
            kPatience);
    }

    std::vector<float> shown(LayerHead head) {
        return shownPattern(*window_->document().promptRunner().result(), head);
    }

    bool showsTheSame(const nlohmann::json& loss, const nlohmann::json& predictions) {
        const RunResult& result = *window_->document().promptRunner().result();
        const auto shown_loss = result.mask.empty() ? result.full_loss : result.masked_loss;
        if (loss.is_null() != !shown_loss || (shown_loss && !isClose(numberOf(loss), *shown_loss)))
            return false;
        for (std::size_t i = 0; i < predictions.size(); ++i)
            if (predictions[i]["id"] != result.predictions[i].id ||
                !isClose(numberOf(predictions[i]["probability"]),
                         result.predictions[i].probability))
                return false;
        return !predictions.empty();
    }

    static bool areScoresOf(const HeadScores& scores, const nlohmann::json& heads) {
        if (heads.empty())
            return false;
        for (const nlohmann::json& row : heads) {
            const LayerHead head{row["layer"], row["head"]};
            for (const HeadTypeId type : scores.types) {
                const auto& json = row["scores"][std::string(headType(type).key)];
                if (!isClose(numberOf(json["score"]), scores.at(type, head).score))
                    return false;
            }
        }
        return true;
    }

    static std::vector<float> ofHead(const QString& npz, LayerHead head) {
        const auto arrays = headscope::test::readNpz(npz.toStdString());
        const auto& array =
            arrays.at("blocks." + std::to_string(head.layer) + ".attn.hook_pattern").array;
        const std::vector<float> all = array.floats();
        const std::size_t size = array.shape[1] * array.shape[2];
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(head.head * size);
        return {begin, begin + static_cast<std::ptrdiff_t>(size)};
    }

    static QString patternFile(const RunResult& result) {
        const Model& model = *result.full->model;
        return toQString(patternFileName(provenanceOf(model, result.prompt, {}), {4, 1}, ".csv"));
    }

    static QByteArray bytesOfFile(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    SharedWindow window_;
};

const headscope::test::TestRegistration<TestCopyRuns> registration;
#include "test_copy_runs.moc"
