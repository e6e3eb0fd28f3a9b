#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/grid/type_controls.h"
#include "ui/views/prompts/prompt_set_window.h"

#include <QClipboard>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>

namespace test_prompt_set_window {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

const QString kFirst = QStringLiteral("When Mary and John went to the store, John gave a drink to");
const QString kSecond = QStringLiteral("Once upon a time there was a little girl named Anna");

} // namespace

class TestPromptSetWindow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l")));
        window_->find<QAction>("actionPromptSet")->trigger();
        set_ = window_->find<PromptSetWindow>("promptSetWindow");
        QVERIFY(set_ && set_->isVisible());
    }
    void init() {
        window_->document().ablation().clearMask();
        window_->document().setScoreSource(ScoreSource::RandomRepeats);
        window_->document().selection().select({4, 1});
    }
    void cleanupTestCase() { window_.close(); }

    void itBeginsWithAnExplanation() {
        QVERIFY(text("promptSetSummary").startsWith(QStringLiteral("Runs many prompts")));
        QVERIFY(text("tableEmpty").startsWith(QStringLiteral("No prompts were run")));
        QVERIFY(!find<QPushButton>("promptSetGrid")->isEnabled());
        QVERIFY(!find<QPushButton>("promptSetExport")->isEnabled());
        QVERIFY(!find<QComboBox>("promptSetType")->isVisible());
    }

    void pastedLinesRun() {
        paste({kFirst, QStringLiteral("{\"x\": 1}"), kSecond});
        QVERIFY(run());
        QCOMPARE(rows(), 2);
        QVERIFY2(text("promptSetSummary").contains(QStringLiteral("2 prompts of the pasted lines")),
                 qPrintable(text("promptSetSummary")));
        QVERIFY(text("promptSetSummary").contains(QStringLiteral("line 2:")));
        QCOMPARE(cell(0, "prompt"), kFirst);
        QCOMPARE(cell(0, "predicts"), QStringLiteral("·Mary"));
        QCOMPARE(column("change, nats"), -1);
    }

    void ablatedHeadsAreCompared() {
        paste({kFirst, kSecond});
        QVERIFY(run());
        QVERIFY(!text("promptSetSummary").contains(QStringLiteral("run again")));
        window_->document().ablation().ablateOnly({{4, 1}}, AblationKind::Zero,
                                                  QStringLiteral("ablate"));
        QVERIFY(text("promptSetSummary").contains(QStringLiteral("run again")));
        QVERIFY(run());
        QVERIFY(!text("promptSetSummary").contains(QStringLiteral("run again")));
        QVERIFY(text("promptSetSummary").contains(QStringLiteral("with heads ablated")));
        QVERIFY(column("change, nats") > 0);

        auto* view = find<QTableView>("tableView");
        view->sortByColumn(column("change, nats"), Qt::AscendingOrder);
        QVERIFY(number(0, "change, nats") <= number(1, "change, nats"));
        view->sortByColumn(column("change, nats"), Qt::DescendingOrder);
        QVERIFY(number(0, "change, nats") >= number(1, "change, nats"));
        view->sortByColumn(-1, Qt::AscendingOrder);
    }

    void theScoreOfTheSelectedHeadFollows() {
        paste({kFirst, kSecond});
        QVERIFY(run());
        auto* type = find<ScoreBox>("promptSetType");
        QVERIFY(type->isVisible());
        QVERIFY(type->chosen());
        type->setCurrentIndex(type->findData(static_cast<int>(HeadTypeId::Sink)));
        emit type->activated(type->currentIndex());
        QVERIFY(column("4.1 Attention sink") > 0);
        const double sink = number(0, "4.1 Attention sink");
        QVERIFY(sink > 0.3);
        window_->document().selection().select({0, 0});
        QVERIFY(column("0.0 Attention sink") > 0);
        QVERIFY(number(0, "0.0 Attention sink") < sink);
        QCOMPARE(text("promptSetHead"), QStringLiteral("&Score of L0 H0"));
    }

    void aRowOpensAsThePrompt() {
        paste({kFirst, kSecond});
        QVERIFY(run());
        auto* view = find<QTableView>("tableView");
        view->setCurrentIndex(view->model()->index(1, 0));
        view->setFocus();
        QTest::keyClick(view, Qt::Key_Return);
        QVERIFY(find<QPushButton>("promptSetRun")->isEnabled()); // Return does not run the set, too
        QCOMPARE(window_->document().promptText(), kSecond);
        view->selectRow(1);
        QTest::mouseClick(find<QPushButton>("promptSetCopy"), Qt::LeftButton);
        QVERIFY(QApplication::clipboard()->text().contains(kSecond));
        QVERIFY(window_->settled());
    }

    void copiedRowsComputeNothing() {
        paste({kFirst, QStringLiteral("=1+1 and so on")});
        QVERIFY(run());
        find<QTableView>("tableView")->selectRow(1);
        QTest::mouseClick(find<QPushButton>("promptSetCopy"), Qt::LeftButton);
        const QStringList cells = QApplication::clipboard()
                                      ->text()
                                      .section(QLatin1Char('\n'), 1)
                                      .split(QLatin1Char('\t'));
        QVERIFY2(cells.contains(QStringLiteral("'=1+1 and so on")), qPrintable(cells.join(u'|')));
    }

    void theGridShowsTheMeans() {
        paste({kFirst, kSecond});
        QVERIFY(run());
        QTest::mouseClick(find<QPushButton>("promptSetGrid"), Qt::LeftButton);
        const HeadScorer& scorer = window_->document().headScorer();
        QCOMPARE(scorer.effectiveSource(), ScoreSource::PromptSet);
        QCOMPARE(scorer.scores()->measuredOn(HeadTypeId::Previous).input,
                 std::string("2 prompts of the pasted lines"));
        QCOMPARE(window_->find<QComboBox>("scoreSource")->currentText(),
                 QStringLiteral("prompt set"));
        window_->document().testEffect({4, 1});
        QTRY_VERIFY_WITH_TIMEOUT(window_->document().effectTester().effect({4, 1}), kPatience);
        QCOMPARE(window_->document().effectTester().effect({4, 1})->sequences, 2u);
    }

    void theTableIsWritten() {
        paste({kFirst, kSecond});
        QVERIFY(run());
        window_->dialogs.to_save = window_.settings().path(QStringLiteral("set.json"));
        QTest::mouseClick(find<QPushButton>("promptSetExport"), Qt::LeftButton);
        QFile file(window_->dialogs.to_save);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
        const QJsonArray prompts = json.value(QStringLiteral("prompts")).toArray();
        QCOMPARE(prompts.size(), 2);
        QCOMPARE(prompts[0].toObject().value(QStringLiteral("best")).toString(),
                 QStringLiteral(" Mary"));
        QVERIFY(text("promptSetSummary").startsWith(QStringLiteral("Written: ")));
    }

    void bundledSetsRun() {
        for (const int source : {0, 1}) {
            choose(source);
            QVERIFY(run());
            QVERIFY(rows() >= 50);
        }
    }

    void filesThatAreNoSetAreSaid() {
        window_->dialogs.to_open = QStringLiteral("/nowhere/set.txt");
        choose(2);
        QVERIFY(text("promptSetSummary").contains(QStringLiteral("/nowhere/set.txt")));
        paste({});
        QVERIFY(!run());
        QVERIFY2(text("promptSetSummary").contains(QStringLiteral("holds no prompt")),
                 qPrintable(text("promptSetSummary")));
        const QString path = window_.settings().path(QStringLiteral("names.txt"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("Mary had a lamb\n");
        file.close();
        window_->dialogs.to_open = path;
        choose(2);
        QVERIFY(run());
        QVERIFY(text("promptSetSummary").contains(QStringLiteral("1 prompt of names.txt")));
    }

    void closingStopsAndKeeps() {
        choose(0);
        QTest::mouseClick(find<QPushButton>("promptSetRun"), Qt::LeftButton);
        set_->reject();
        QVERIFY(!window_->document().loader()->isBusy());
        window_->find<QAction>("actionPromptSet")->trigger();
        QVERIFY(set_->isVisible());
        QCOMPARE(window_->find<PromptSetWindow>("promptSetWindow"), set_);
        QVERIFY(find<QPushButton>("promptSetRun")->isEnabled());
    }

    void anotherModelForgets() {
        paste({kFirst});
        QVERIFY(run());
        window_->document().setScoreSource(ScoreSource::PromptSet);
        window_->document().open(samplePath(QStringLiteral("microgpt")));
        QTRY_COMPARE_WITH_TIMEOUT(window_->document().model()->name, std::string("microgpt"),
                                  kPatience);
        QCOMPARE(rows(), 0);
        QVERIFY(window_->document().headScorer().effectiveSource() != ScoreSource::PromptSet);
        QVERIFY(window_->settled());
    }

private:
    template <class T>
    T* find(const char* name) {
        return set_->findChild<T*>(QString::fromLatin1(name));
    }
    QString text(const char* label) { return find<QLabel>(label)->text(); }
    QAbstractItemModel* model() { return find<QTableView>("tableView")->model(); }
    int rows() { return model()->rowCount(); }
    int column(const char* title) {
        for (int i = 0; i < model()->columnCount(); ++i)
            if (model()->headerData(i, Qt::Horizontal).toString() == QString::fromUtf8(title))
                return i;
        return -1;
    }
    QString cell(int row, const char* title) {
        return model()->index(row, column(title)).data().toString();
    }
    double number(int row, const char* title) {
        return cell(row, title).replace(QChar(0x2212), QLatin1Char('-')).toDouble();
    }

    void choose(int source) {
        auto* box = find<QComboBox>("promptSetSource");
        box->setCurrentIndex(source);
        emit box->activated(source);
    }
    void paste(const QStringList& lines) {
        choose(3);
        find<QPlainTextEdit>("promptSetPasted")->setPlainText(lines.join(QLatin1Char('\n')));
    }
    /// Whether everything ran.
    bool run() {
        auto* start = find<QPushButton>("promptSetRun");
        QTest::mouseClick(start, Qt::LeftButton);
        return QTest::qWaitFor([&] { return start->isEnabled(); }, kPatience) &&
               find<QPushButton>("promptSetGrid")->isEnabled();
    }

    SharedWindow window_;
    PromptSetWindow* set_ = nullptr;
};

const headscope::test::TestRegistration<TestPromptSetWindow> registration;

} // namespace test_prompt_set_window

#include "test_prompt_set_window.moc"
