#include "core/heads/head_type.h"
#include "tests/support/runner.h"
#include "tests/ui/views/open_menu.h"
#include "tests/ui/views/pasted.h"
#include "ui/tables/head_text.h"
#include "ui/views/export/save_model_dialog.h"
#include "ui/views/model/model_dialog.h"
#include "ui/views/prompt/prompt_bar.h"
#include "ui/views/scores/scores_dialog.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

namespace test_copy_runs {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestCopyRuns : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l"))); }

    void init() { QVERIFY(showsTheStory(*window_)); }

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
            document.ablation().setKind(static_cast<AblationKind>(kind));
            document.ablation().toggleHeads({{4, 1}, {2, 3}}, QStringLiteral("two"));
        }
        QVERIFY(window_->hasRun());
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
        QVERIFY(press(dialog.dialog, Qt::Key_C).startsWith(QStringLiteral("headscope-cli heads ")));
        QVERIFY(press(dialog.dialog, Qt::Key_Y).contains(QStringLiteral("m.heads()")));
        dialog.dialog->close();
        window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window));
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
        QTRY_VERIFY_WITH_TIMEOUT(window_->document().headScorer().scores(), kPatience);
        QVERIFY(copiesCommand(dialog.dialog));
        const nlohmann::json on_prompt = paste.json();
        QVERIFY2(on_prompt.is_object(), qPrintable(paste.error()));
        QVERIFY(areScoresOf(*window_->document().headScorer().scores(), on_prompt["heads"]));
        window_->document().ablation().toggleHeads({{0, 2}}, QStringLiteral("one"));
        QVERIFY(window_->hasRun());
        QVERIFY(!copiesCommand(dialog.dialog));
        trigger("actionRandomScores");
        dialog.dialog->close();
    }

    void theEffectOfAHead() {
        QVERIFY(window_->settled());
        Document& document = window_->document();
        for (const AblationKind kind : {AblationKind::Zero, AblationKind::Mean}) {
            document.ablation().setKind(kind);
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
            QVERIFY(chooseInMenu(panel, {2, 2}, "copyPython") == 2);
            if (kHasPython)
                QVERIFY2(paste.python(QStringLiteral("json.loads(effect.to_json())")) == effect,
                         qPrintable(Paste::copied() + paste.error()));
        }
    }

    void whatTheModelWrites() {
        Document& document = window_->document();
        document.ablation().toggleHeads({{0, 2}}, QStringLiteral("one"));
        QVERIFY(window_->hasRun());
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
        QVERIFY(copiesPython(dialog.dialog));
        if (kHasPython)
            QVERIFY2(paste.python(QStringLiteral("info")) == info, qPrintable(paste.error()));
        dialog.dialog->close();
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
    void trigger(const char* action) { window_->find<QAction>(action)->trigger(); }

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

    SharedWindow window_;
};

const headscope::test::TestRegistration<TestCopyRuns> registration;

} // namespace test_copy_runs

#include "test_copy_runs.moc"
