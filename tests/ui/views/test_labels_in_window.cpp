#include "core/heads/head_type.h"
#include "core/trust/label_trust.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/document/repetition.h"
#include "ui/tables/core_text.h"
#include "ui/views/grid/type_controls.h"
#include "ui/widgets/head_mosaic.h"

#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QTextBrowser>

#include <set>

namespace test_labels_in_window {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

bool isIdle(WindowUnderTest& window) {
    return QTest::qWaitFor([&] { return !window.document().labelTester().worker()->isBusy(); },
                           kPatience);
}

bool hasTested(WindowUnderTest& window, LayerHead head) {
    return QTest::qWaitFor([&] { return window.document().labelTester().isTested(head); },
                           kPatience) &&
           isIdle(window);
}

ChipLook lookAt(WindowUnderTest& window, LayerHead head) {
    return window.find<HeadMosaic>("headGrid")
        ->cell(static_cast<int>(head.layer), static_cast<int>(head.head))
        .look;
}

QString textOf(WindowUnderTest& window, const char* label) {
    return window.find<QLabel>(label)->text();
}

} // namespace

class TestLabelsInWindow : public QObject {
    Q_OBJECT

private slots:
    void aLabelIsHollowUntilItIsTested() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        window.document().selection().select({0, 0});
        QCOMPARE(lookAt(window, {0, 0}), ChipLook::Hollow);
        QCOMPARE(window.find<TypeBadge>("badge_previous")->look(), ChipLook::Hollow);
        QCOMPARE(textOf(window, "word_previous"), QStringLiteral("untested"));
        QCOMPARE(textOf(window, "trust_previous_specific"), QStringLiteral("● specific"));
        QCOMPARE(textOf(window, "trust_previous_writes"), QStringLiteral("● writes"));
        QCOMPARE(textOf(window, "trust_previous_needed"), QStringLiteral("· needed"));
        QCOMPARE(textOf(window, "trust_previous_transfers"), QStringLiteral("· transfers"));
        QCOMPARE(textOf(window, "trust_previous_stable"), QStringLiteral("· stable"));
        QVERIFY(textOf(window, "headCardTypes").contains(QStringLiteral("(untested)")));
        // A label that claims no cause is quiet from the start.
        QCOMPARE(window.find<TypeBadge>("badge_positional")->look(), ChipLook::Faint);
        QCOMPARE(textOf(window, "word_positional"), QStringLiteral("description"));

        auto* button = window.find<QPushButton>("testLabels");
        QCOMPARE(button->text(), QStringLiteral("Test the labels of L0 H0"));
        const QRect row = window.find<QLabel>("trust_previous_stable")->geometry();
        const QRect below = window.find<QLabel>("word_positional")->geometry();
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(!button->isEnabled());
        QVERIFY(hasTested(window, {0, 0}));
        QCOMPARE(lookAt(window, {0, 0}), ChipLook::Full);
        QCOMPARE(window.find<TypeBadge>("badge_previous")->look(), ChipLook::Full);
        QCOMPARE(textOf(window, "word_previous"), QStringLiteral("cause"));
        QCOMPARE(textOf(window, "trust_previous_needed"), QStringLiteral("● needed"));
        QCOMPARE(textOf(window, "trust_previous_transfers"), QStringLiteral("● transfers"));
        QCOMPARE(textOf(window, "trust_previous_stable"), QStringLiteral("● stable"));
        QVERIFY(textOf(window, "headCardTypes").contains(QStringLiteral("(cause)")));
        const QString tip = window.find<QLabel>("trust_previous_needed")->toolTip();
        QVERIFY2(tip.contains(QStringLiteral("needed: passed")) &&
                     tip.contains(QStringLiteral("raises the loss")),
                 qPrintable(tip));
        const QString word = window.find<QLabel>("word_previous")->toolTip();
        QVERIFY2(word.contains(QStringLiteral("The model needs the head")), qPrintable(word));
        const QString cell = window.find<HeadMosaic>("headGrid")->cell(0, 0).tooltip.plainText();
        QVERIFY2(cell.contains(QStringLiteral("previous token: cause.")), qPrintable(cell));
        // Nothing has moved, and no other head was tested.
        QCOMPARE(window.find<QLabel>("trust_previous_stable")->geometry(), row);
        QCOMPARE(window.find<QLabel>("word_positional")->geometry(), below);
        QCOMPARE(lookAt(window, {1, 0}), ChipLook::Hollow);
    }

    void everyWordHasALookOfItsOwn() {
        const std::set<ChipLook> looks{
            chipLook(TrustWord::Cause),     chipLook(TrustWord::Secondary),
            chipLook(TrustWord::Correlate), chipLook(TrustWord::Interferer),
            chipLook(TrustWord::Untested),  chipLook(TrustWord::Description)};
        QCOMPARE(looks.size(), std::size_t{6});
    }

    void allAreTestedInTheBackground() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        LabelTester& tester = window.document().labelTester();
        const QSignalSpy progressed(tester.worker(), &JobRunner::progressed);
        const QSignalSpy changed(&tester, &LabelTester::trustChanged);
        auto* all = window.find<QAction>("actionTestAllLabels");
        QVERIFY(all->isEnabled());
        all->trigger();
        QVERIFY(QTest::qWaitFor([&] { return tester.areAllTested(); }, kPatience) &&
                isIdle(window));
        QVERIFY(changed.count() > 4); // as they are measured
        QCOMPARE(lookAt(window, {0, 0}), ChipLook::Full);
        QCOMPARE(lookAt(window, {1, 0}), ChipLook::Ringed); // its twin makes up for it
        QCOMPARE(lookAt(window, {0, 1}), ChipLook::Dashed); // its output is 0
        QCOMPARE(lookAt(window, {0, 3}), ChipLook::Faint);  // it claims nothing
        const QString spoken = window.find<HeadMosaic>("headGrid")->cell(0, 1).spoken;
        QVERIFY2(spoken.contains(QStringLiteral("(correlate: pattern only)")), qPrintable(spoken));
        static const QRegularExpression counts(QStringLiteral("^[0-9]+ of [0-9]+ labels$"));
        QVERIFY(!progressed.isEmpty());
        for (const auto& signal : progressed)
            QVERIFY2(counts.match(signal[1].toString()).hasMatch(),
                     qPrintable(signal[1].toString()));
        QVERIFY(!all->isEnabled());
        QCOMPARE(all->toolTip(), QStringLiteral("All labels are tested."));
        QCOMPARE(window.document().history().steps().back().what, std::string("Tested labels"));
    }

    void anInterfererIsStriped() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        window.document().selection().select({0, 1});
        window.find<QAction>("actionTestLabels")->trigger();
        QVERIFY(hasTested(window, {0, 1}));
        QCOMPARE(lookAt(window, {0, 1}), ChipLook::Striped);
        QCOMPARE(textOf(window, "word_current"), QStringLiteral("interferer"));
    }

    void aTestCanBeCancelled() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        LabelTester& tester = window.document().labelTester();
        window.find<QAction>("actionTestAllLabels")->trigger();
        auto* cancel = window->statusBar()->findChild<QPushButton*>(QStringLiteral("jobCancel"));
        QTRY_VERIFY_WITH_TIMEOUT(cancel->isVisible(), kPatience);
        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY(!tester.worker()->isBusy());
        QVERIFY(!tester.areAllTested());
        QVERIFY(window.document().history().steps().back().what != "Tested labels");
        QVERIFY(tester.error().isEmpty());
        QVERIFY(window.find<QAction>("actionTestAllLabels")->isEnabled());
        QVERIFY(window.find<QPushButton>("testLabels")->isEnabled());
    }

    void anotherModelHasNoneOfItsGrades() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        window.document().labelTester().test({0, 0});
        QVERIFY(hasTested(window, {0, 0}));
        window->openPath(samplePath(QStringLiteral("attn-only-2l")));
        QTRY_VERIFY_WITH_TIMEOUT(window.document().model()->name == "attn-only-2l", kPatience);
        QVERIFY(window.settled());
        QVERIFY(!window.document().labelTester().trust().labels.empty());
        for (const LabelTrust& label : window.document().labelTester().trust().labels)
            QVERIFY(!label.effect && label.sets.empty());
        window->openPath(samplePath(QStringLiteral("induction-circuit")));
        QTRY_VERIFY_WITH_TIMEOUT(window.document().model()->name == "induction-circuit", kPatience);
        QVERIFY(window.settled());
        QCOMPARE(lookAt(window, {0, 0}), ChipLook::Full); // and it has them still
    }

    void otherThresholdsAreOtherLabels() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        Document& document = window.document();
        document.labelTester().test({0, 0});
        QVERIFY(hasTested(window, {0, 0}));
        document.setThreshold(HeadTypeId::Induction, 0.9);
        QCOMPARE(lookAt(window, {0, 0}), ChipLook::Hollow);
        QVERIFY(!document.labelTester().isTested({0, 0}));
        document.setThresholds({});
        QCOMPARE(lookAt(window, {0, 0}), ChipLook::Full);
        // A test that runs is of the labels that it began with.
        document.labelTester().testAll();
        QVERIFY(document.labelTester().worker()->isBusy());
        document.setThreshold(HeadTypeId::Induction, 0.9);
        QVERIFY(!document.labelTester().worker()->isBusy());
    }

    void labelsOfOwnTextAreNotTested() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        window.document().labelTester().test({0, 0});
        QVERIFY(hasTested(window, {0, 0}));
        window.document().setScoreSource(ScoreSource::Prompt);
        QTRY_VERIFY_WITH_TIMEOUT(window.document().headScorer().scores(), kPatience);
        QVERIFY(window.document().labelTester().labels({0, 0}).empty());
        const auto* action = window.find<QAction>("actionTestLabels");
        QVERIFY(!action->isEnabled());
        QVERIFY2(action->toolTip().startsWith(QStringLiteral("Labels are tested on what")),
                 qPrintable(action->toolTip()));
        QVERIFY(!window.find<QPushButton>("testLabels")->isEnabled());
        // Those of a set of prompts are labels, and hollow, whatever was measured elsewhere.
        window.document().headScorer().setPromptSetScores(
            window.document().headScorer().measuredScores());
        window.document().setScoreSource(ScoreSource::PromptSet);
        QCOMPARE(lookAt(window, {0, 0}), ChipLook::Hollow);
        window.document().setScoreSource(ScoreSource::RandomRepeats);
        QCOMPARE(lookAt(window, {0, 0}), ChipLook::Full);
    }

    void whatWasTestedIsThereInTheNextWindow() {
        const TemporarySettings settings;
        {
            WindowUnderTest window;
            QVERIFY(window.start(QStringLiteral("induction-circuit")));
            window.document().labelTester().test({0, 0});
            QVERIFY(hasTested(window, {0, 0}));
            window.close();
        }
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        QCOMPARE(lookAt(window, {0, 0}), ChipLook::Full);
        QCOMPARE(lookAt(window, {1, 0}), ChipLook::Hollow);
        const LabelTrust* label =
            window.document().labelTester().label({0, 0}, HeadTypeId::Previous);
        QVERIFY(label && label->effect && label->sets.size() == 5 && label->resamples > 0);
    }

    void aDamagedFileIsKeptAsideAndALaterOneStays() {
        const TemporarySettings settings;
        QString file;
        {
            WindowUnderTest window;
            QVERIFY(window.start(QStringLiteral("induction-circuit")));
            window.document().labelTester().test({0, 0});
            QVERIFY(hasTested(window, {0, 0}));
            file = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
                   QStringLiteral("/labels/") + toQString(window.document().model()->sha256) +
                   QStringLiteral(".json");
        }
        const auto write = [&](const QByteArray& bytes) {
            QFile out(file);
            return out.open(QIODevice::WriteOnly) && out.write(bytes) == bytes.size();
        };
        const auto content = [&](const QString& path) {
            QFile in(path);
            return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
        };
        QVERIFY(QFile::exists(file));
        QVERIFY(write("{"));
        {
            WindowUnderTest window;
            const QSignalSpy problems(&window.document().labelTester(), &LabelTester::problem);
            QVERIFY(window.start(QStringLiteral("induction-circuit")));
            QTRY_COMPARE_WITH_TIMEOUT(problems.count(), 1, kPatience);
            QCOMPARE(lookAt(window, {0, 0}), ChipLook::Hollow);
            QCOMPARE(content(file + QStringLiteral(".bak")), QByteArray("{"));
            // Damaged by something else while the window is open.
            QVERIFY(write("["));
            window.document().labelTester().test({0, 0});
            QVERIFY(hasTested(window, {0, 0}));
            QTRY_COMPARE_WITH_TIMEOUT(problems.count(), 2, kPatience);
            QCOMPARE(content(file + QStringLiteral(".bak")), QByteArray("["));
            QVERIFY(content(file).startsWith("{"));
        }
        const QByteArray later("{\"headscope_labels\": 9}");
        QVERIFY(write(later));
        WindowUnderTest window;
        const QSignalSpy problems(&window.document().labelTester(), &LabelTester::problem);
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        QTRY_COMPARE_WITH_TIMEOUT(problems.count(), 1, kPatience);
        window.document().labelTester().test({0, 0});
        QVERIFY(hasTested(window, {0, 0}));
        QCOMPARE(content(file), later);
    }

    void theTableOfLabelsIsShownCopiedAndWritten() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        const OpenedDialog<QDialog> scores(window, "actionAllScores", "scoresDialog");
        auto* pages = scores.find<QTabWidget>("scoresPages");
        auto* page = pages->findChild<QWidget*>(QStringLiteral("labelsPage"));
        pages->setCurrentWidget(page);
        const auto* view = page->findChild<QTableView*>();
        const QAbstractItemModel* rows = view->model();
        QCOMPARE(rows->rowCount(),
                 static_cast<int>(window.document().labelTester().trust().labels.size()));
        QCOMPARE(rows->headerData(3, Qt::Horizontal).toString(), QStringLiteral("pattern"));
        QCOMPARE(rows->index(0, 0).data().toString(), QStringLiteral("L0 H0"));
        QCOMPARE(rows->index(0, 2).data().toString(), QStringLiteral("untested"));
        QTest::mouseClick(scores.find<QPushButton>("testAllLabels"), Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([&] { return window.document().labelTester().areAllTested(); },
                                kPatience));
        QVERIFY(isIdle(window));
        QCOMPARE(rows->index(0, 2).data().toString(), QStringLiteral("cause"));
        QVERIFY2(rows->index(0, 6).data().toString().startsWith(QStringLiteral("● ")),
                 qPrintable(rows->index(0, 6).data().toString()));
        const QString summary = scores.find<QLabel>("labelsSummary")->text();
        QVERIFY2(summary.startsWith(QStringLiteral("1 cause · 2 secondary · ")) &&
                     summary.contains(QStringLiteral("expected to be chance")),
                 qPrintable(summary));

        // A row chosen is its head, whose other labels do not take its place.
        view->selectionModel()->setCurrentIndex(
            rows->index(1, 0), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        QCOMPARE(window.document().selection().head(), (LayerHead{0, 0}));
        QCOMPARE(view->currentIndex().row(), 1);
        QTest::mouseClick(scores.find<QPushButton>("scoresCopy"), Qt::LeftButton);
        const QString copied = QGuiApplication::clipboard()->text();
        QVERIFY2(copied.startsWith(QStringLiteral("Head\tType\tWord\tpattern\tspecific")) &&
                     copied.contains(QStringLiteral("L0 H0\tprevious, by weights\tdescription\t●")),
                 qPrintable(copied));

        window.dialogs.to_save = settings.path(QStringLiteral("labels.csv"));
        QTest::mouseClick(scores.find<QPushButton>("tableExport"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(window.dialogs.to_save), kPatience);
        QVERIFY(window.dialogs.suggested.endsWith(QStringLiteral("induction-circuit_labels.csv")));
        QFile file(window.dialogs.to_save);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("0.0,previous,cause,passed,passed,passed,passed"));
        QVERIFY(!scores.find<QPushButton>("scoresExport")->isVisible());
        pages->setCurrentIndex(0);
        QVERIFY(scores.find<QPushButton>("scoresExport")->isVisible());
    }

    void aCommandMeasuresTheSame() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        const Repetition repetition = repetitionOfLabels(window.document());
        QVERIFY(repetition);
        const QString command = toQString(shellLines(*repetition));
        QVERIFY2(command.contains(QStringLiteral("headscope-cli heads ")) &&
                     command.contains(QStringLiteral(" --trust")),
                 qPrintable(command));
        QVERIFY(toQString(pythonLines(*repetition)).contains(QStringLiteral("m.trust()")));
        window.document().setThreshold(HeadTypeId::Induction, 0.9);
        QVERIFY(!repetitionOfLabels(window.document()));
    }

    void theHelpSaysWhatGradesAndWordsMean() {
        const TemporarySettings settings;
        WindowUnderTest window;
        window.find<QAction>("actionTypesHelp")->trigger();
        const QString shown = window.find<QTextBrowser>("typesHelpText")->toPlainText();
        for (const TrustPart part : trustParts())
            QVERIFY2(shown.contains(toQString(trustPartMeaning(part))), trustPartName(part).data());
        for (const TrustWord word :
             {TrustWord::Cause, TrustWord::Secondary, TrustWord::Correlate, TrustWord::Interferer,
              TrustWord::Undecided, TrustWord::Untested, TrustWord::Description})
            QVERIFY2(shown.contains(toQString(trustWordMeaning(word))), trustWordName(word).data());
    }
};

const headscope::test::TestRegistration<TestLabelsInWindow> registration;

} // namespace test_labels_in_window

#include "test_labels_in_window.moc"
