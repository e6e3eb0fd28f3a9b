#include "core/pruning/recipe.h"
#include "tests/support/runner.h"
#include "tests/ui/views/open_pruning.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProcess>
#include <QToolButton>

#include <nlohmann/json.hpp>

namespace test_prune_files {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestPruneFiles : public QObject {
    Q_OBJECT

private slots:
    void smallerModelAndRecipeAreReadBack() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("llama-mini-gqa-4l")));
        const OpenPruning bench(window);
        QVERIFY(cutsGroups(window, bench));
        const HeadSet removed = headsOf(window.document().ablation().mask());
        window.dialogs.to_save = settings.path(QStringLiteral("smaller.txt"));
        bench.trigger("saveSmallerHdf5");
        QVERIFY(bench.text("pruneState").contains(QStringLiteral("is written as .h5")));
        window.dialogs.to_save = settings.path(QStringLiteral("smaller"));
        bench.trigger("saveSmallerHdf5");
        QVERIFY(bench.says("pruneState", QStringLiteral("Saved ")));
        const auto saved = loadModel(settings.path(QStringLiteral("smaller.h5")).toStdString());
        QVERIFY(bool(saved));
        QCOMPARE((*saved)->spec.allHeads().size(),
                 window.document().model()->spec.allHeads().size() - removed.size());
        const QString beside = settings.path(QStringLiteral("smaller.recipe.json"));
        const auto recipe = readRecipe(bytesOf(beside).toStdString(), "the recipe");
        QVERIFY(bool(recipe));
        QCOMPARE(sorted(recipe->heads), removed);
        QCOMPARE(recipe->order, std::string("weight"));
        window.dialogs.to_save = settings.path(QStringLiteral("alone.recipe.json"));
        bench.click("saveRecipe");
        QVERIFY(bench.says("pruneState", QStringLiteral("Written: ")));
        QCOMPARE(bytesOf(window.dialogs.to_save), bytesOf(beside));
        // The message of the main window opens it.
        QTest::mouseClick(window.find<QPushButton>("messageAction"), Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([&] { return window.document().model()->name == "smaller"; },
                                kPatience));
        QVERIFY(window.settled());
        QVERIFY(bench.plot()->content().lines.isEmpty());
    }

    /// The same heads for other programs; llama.cpp has no form for groups that differ.
    void smallerModelsForOthers() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("llama-mini-gqa-4l")));
        const OpenPruning bench(window);
        QVERIFY(cutsGroups(window, bench));
        const std::size_t left = window.document().model()->spec.allHeads().size() -
                                 headsOf(window.document().ablation().mask()).size();
        window.dialogs.to_save = settings.path(QStringLiteral("for-llama"));
        bench.trigger("saveSmallerGguf");
        QVERIFY(bench.says("pruneState", QStringLiteral("Saved ")));
        const auto gguf = loadModel(settings.path(QStringLiteral("for-llama.gguf")).toStdString());
        QVERIFY(bool(gguf));
        QCOMPARE((*gguf)->spec.allHeads().size(), left);
        window.dialogs.to_save = settings.path(QStringLiteral("folder"));
        bench.trigger("saveSmallerFolder");
        QVERIFY(bench.says("pruneState", QStringLiteral("by the load_model.py inside")));
        const auto folder = loadModel(window.dialogs.to_save.toStdString());
        QVERIFY(bool(folder));
        QCOMPARE((*folder)->spec.allHeads().size(), left);
        // A folder is never written over.
        bench.trigger("saveSmallerFolder");
        QVERIFY(bench.says("pruneState", QStringLiteral("already")));
        // The message of the main window opens the folder.
        QTest::mouseClick(window.find<QPushButton>("messageAction"), Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([&] { return window.document().model()->name == "folder"; },
                                kPatience));
    }

    void figureAndNumbersAreWritten() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenPruning bench(window);
        QVERIFY(!bench.find<QPushButton>("saveCurveNumbers")->isEnabled());
        QVERIFY(bench.readsFew() && bench.measures({QStringLiteral("weight")}));
        const auto write = [&](const char* button, const char* name) {
            window.dialogs.to_save = settings.path(QString::fromLatin1(name));
            bench.click(button);
            return bench.says("pruneState", window.dialogs.to_save);
        };
        QVERIFY(write("saveCurveFigure", "curve.svg"));
        QVERIFY(bytesOf(window.dialogs.to_save).contains("whole model"));
        QVERIFY(write("saveCurveNumbers", "curve.csv"));
        QVERIFY(bytesOf(window.dialogs.to_save).startsWith("text,order,units,removed,share,loss"));
        QCOMPARE(bytesOf(window.dialogs.to_save).count('\n'), 1 + 1 + 4);
        QVERIFY(write("saveCurveNumbers", "curve.json"));
        QVERIFY(bytesOf(window.dialogs.to_save).contains("\"provenance\""));
        QVERIFY(write("saveCurveNumbers", "curve.h5"));
        QVERIFY(write("saveCurveFigure", "curve.gif"));
        QVERIFY(bench.text("pruneState").contains(QStringLiteral(".svg, .pdf or .png")));
        bench.trigger("copyCommand");
        const QString command = QGuiApplication::clipboard()->text();
        QVERIFY2(command.startsWith(QStringLiteral("headscope-cli prune ")) &&
                     command.contains(QStringLiteral(" --orders weight --points 4 ")),
                 qPrintable(command));
    }

    void theCommandMeasuresTheSame() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenPruning bench(window);
        bench.find<QComboBox>("pruneCompensation")->setCurrentIndex(2);
        bench.find<QSpinBox>("leastPerLayer")->setValue(1);
        bench.find<QLineEdit>("protectedHeads")->setText(QStringLiteral("0.1 1.2"));
        QVERIFY(bench.readsFew() &&
                bench.measures({QStringLiteral("gradient"), QStringLiteral("random")}));
        // What is asked next is no part of the command for what is shown.
        bench.find<QSpinBox>("testTokens")->setValue(1024);
        bench.tick({QStringLiteral("weight")});
        bench.trigger("copyCommand");
        QString command = QGuiApplication::clipboard()->text();
        const QString output = settings.path(QStringLiteral("curve.json"));
        command.replace(0, static_cast<int>(qstrlen("headscope-cli")),
                        QStringLiteral(HEADSCOPE_CLI));
        QProcess shell;
        shell.start(QStringLiteral("/bin/sh"),
                    {QStringLiteral("-c"), command + QStringLiteral(" -o ") + output});
        QVERIFY(shell.waitForFinished(kPatience));
        QVERIFY2(shell.exitCode() == 0, shell.readAllStandardError().constData());
        const auto json = nlohmann::json::parse(bytesOf(output).toStdString());
        const CurvePlotLine& line = bench.plot()->content().lines[0];
        qsizetype point = 0;
        std::size_t random = 0;
        for (const auto& cut : json["cuts"]) {
            random += cut["order"].get<std::string>().starts_with("random") ? 1 : 0;
            if (cut["order"] == "gradient")
                QCOMPARE(line.points[point++].y, cut["loss"].get<double>());
        }
        QCOMPARE(point, line.points.size());
        QCOMPARE(random, static_cast<std::size_t>(2 * point));
        QCOMPARE(bench.text("pruneVerdict").toStdString(), json["verdict"].get<std::string>());
    }

    void theSameTextIsRefused() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenPruning bench(window);
        QVERIFY(bench.readsFew());
        QString text;
        for (int i = 0; i < 200; ++i)
            text += QStringLiteral("Line %1 of a text. ").arg(i * i);
        for (const char* which : {"calibration", "test"}) {
            auto* source = bench.find<QComboBox>((std::string(which) + "Source").c_str());
            QTest::keyClick(source, Qt::Key_End);
            auto* pasted = bench.find<QPlainTextEdit>((std::string(which) + "Pasted").c_str());
            QVERIFY(pasted->isVisible());
            pasted->setPlainText(text);
        }
        QVERIFY(!bench.find<QPushButton>("pruneMeasure")->isEnabled());
        QVERIFY(bench.says("textsProblem", QStringLiteral("give two different texts")));
        QVERIFY(bench.plot()->emptyText().contains(QStringLiteral("give two different texts")));
        QVERIFY(!bench.find<QPushButton>("pruneMeasure")->isEnabled());
        QTest::keyClick(bench.find<QComboBox>("calibrationSource"), Qt::Key_Home);
        QVERIFY(bench.isReady());
        QVERIFY(!bench.find<QLabel>("textsProblem")->isVisible());
    }

    void textsAndListsComeFromFiles() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenPruning bench(window);
        QVERIFY(bench.readsFew());
        const auto write = [&](const char* name, const QByteArray& content) {
            window.dialogs.to_open = settings.path(QString::fromLatin1(name));
            QFile file(window.dialogs.to_open);
            return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
        };
        auto* source = bench.find<QComboBox>("testSource");
        window.dialogs.to_open = settings.path(QStringLiteral("missing.txt"));
        QTest::keyClick(source, Qt::Key_Down);
        QVERIFY(bench.text("textsProblem").contains(QStringLiteral("missing.txt")));
        QCOMPARE(source->currentIndex(), 0);
        QVERIFY(write("mine.txt", QByteArray("One small step for a man. ").repeated(40)));
        QTest::keyClick(source, Qt::Key_Down);
        QCOMPARE(source->currentText(), QStringLiteral("mine.txt"));
        QVERIFY(bench.isReady());
        QVERIFY(bench.text("testInfo").contains(QStringLiteral("1 document ")));
        QVERIFY(write("heads.txt", "1.3\n0.2 0.1\n"));
        bench.click("chooseList");
        QVERIFY(bench.find<QCheckBox>("order_list")->isChecked());
        QVERIFY(bench.measures({QStringLiteral("list")}));
        bench.trigger("copyCommand");
        QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("heads.txt")));
        QVERIFY(bench.plot()->content().lines[0].name.contains(QStringLiteral("heads.txt")));
    }

    void whatCannotBeMeasuredIsSaid() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenPruning bench(window);
        QVERIFY(bench.readsFew());
        bench.tick({});
        bench.click("pruneMeasure");
        QCOMPARE(bench.text("pruneState"), QStringLiteral("Tick at least one order."));
        bench.tick({QStringLiteral("weight")});
        bench.find<QLineEdit>("protectedHeads")->setText(QStringLiteral("7.0"));
        bench.click("pruneMeasure");
        QVERIFY(bench.text("pruneState").contains(QStringLiteral("There is no head 7.0")));
        bench.find<QLineEdit>("protectedHeads")->clear();
        window.document().selection().select({1, 2});
        QTest::mouseClick(bench.find<QToolButton>("protectSelected"), Qt::LeftButton);
        QCOMPARE(bench.find<QLineEdit>("protectedHeads")->text(), QStringLiteral("1.2"));
        QVERIFY(bench.measures({QStringLiteral("weight")}));
        QTest::keyClick(bench.plot(), Qt::Key_Right);
        QVERIFY(!bench.text("prunePoint").contains(QStringLiteral("L1 H2")));
    }

private:
    /// Measures one order of whole KV groups, and ablates those of its second point.
    static bool cutsGroups(WindowUnderTest& window, const OpenPruning& bench) {
        bench.find<QComboBox>("pruneUnit")->setCurrentIndex(1);
        if (!bench.readsFew() || !bench.measures({QStringLiteral("weight")}))
            return false;
        QTest::mouseClick(bench.drawing(), Qt::LeftButton, {}, bench.onDrawing({0, 1}));
        return window.settled();
    }
};

const headscope::test::TestRegistration<TestPruneFiles> registration;

} // namespace test_prune_files

#include "test_prune_files.moc"
