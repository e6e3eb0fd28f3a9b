#include "core/base/text.h"
#include "core/export/headvis.h"
#include "core/heads/score_sequences.h"
#include "core/heads/sequences.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/examples/example_list.h"
#include "ui/views/examples/example_window.h"
#include "ui/widgets/weight_histogram.h"

#include <QClipboard>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>

#include <numeric>

namespace test_example_window {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;
using headscope::test::loadSample;
using headscope::test::require;

namespace {

constexpr int kPasted = 2; ///< entry of the list of texts

QString storiesText() {
    QString text;
    for (int i = 0; i < 30; ++i)
        text += QStringLiteral("Mary and John went to the store %1 times. Mary and John "
                               "laughed. ")
                    .arg(i);
    return text;
}

} // namespace

class TestExampleWindow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l")));
        window_->find<QAction>("actionExamples")->trigger();
        examples_ = window_->find<ExampleWindow>("exampleWindow");
        QVERIFY(examples_ && examples_->isVisible());
    }
    void init() { window_->document().selection().select({4, 1}); }
    void cleanupTestCase() { window_.close(); }

    void itBeginsWithAnExplanation() {
        QVERIFY(text("exampleSummary").startsWith(QStringLiteral("Where in a text")));
        QVERIFY(text("exampleHead").startsWith(QStringLiteral("L4 H1: induction")));
        QVERIFY(!find<QPushButton>("exampleEffects")->isEnabled());
        QVERIFY(!find<QPushButton>("exampleExport")->isEnabled());
        QCOMPARE(model()->rowCount(), 0);
    }

    void aPastedTextIsScanned() {
        QVERIFY(scanPasted());
        QVERIFY2(text("exampleSummary").startsWith(QStringLiteral("pasted text, ")),
                 qPrintable(text("exampleSummary")));
        const HeadExample& strongest = model()->example(0);
        QCOMPARE(strongest.interval, kExampleIntervals);
        QVERIFY(strongest.row.weight > 0.5f);
        QVERIFY(
            model()->index(0).data().toString().contains(QString::fromStdString(strongest.text)));
        const auto& counts = find<WeightHistogram>("exampleHistogram")->counts();
        QVERIFY(
            text("exampleSummary")
                .contains(QStringLiteral(" in %1 sequences")
                              .arg(std::accumulate(counts.begin(), counts.end(), std::size_t{0}))));
        QVERIFY(text("exampleMeans").contains(QStringLiteral("tokens back")));
    }

    void theListFollowsTheHead() {
        QVERIFY(scanPasted());
        const float of_induction = model()->example(0).row.weight;
        const StrongestRow before = model()->example(0).row;
        window_->document().selection().select({0, 0});
        QTRY_VERIFY_WITH_TIMEOUT(!(model()->example(0).row == before), kPatience);
        QVERIFY(text("exampleHead").startsWith(QStringLiteral("L0 H0")));
        window_->document().selection().select({4, 1});
        QTRY_COMPARE_WITH_TIMEOUT(model()->example(0).row.weight, of_induction, kPatience);
    }

    void kindsShowOthers() {
        QVERIFY(scanPasted());
        auto* kind = find<QComboBox>("exampleKind");
        const float strongest = model()->example(0).row.weight;
        kind->setCurrentIndex(2); // around the median: all, where there are few
        kind->setCurrentIndex(1);
        QTRY_COMPARE_WITH_TIMEOUT(model()->example(0).row.weight, strongest, kPatience);
        for (int row = 1; row < model()->rowCount(); ++row)
            QVERIFY(model()->example(row).row.weight <= model()->example(row - 1).row.weight);
        kind->setCurrentIndex(0);
    }

    void effectsAppearInTheList() {
        QVERIFY(scanPasted());
        QVERIFY(!model()->heading(0).contains(QStringLiteral("nats")));
        auto* effects = find<QPushButton>("exampleEffects");
        QTest::mouseClick(effects, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(effects->isEnabled(), kPatience);
        for (int row = 0; row < model()->rowCount(); ++row)
            QVERIFY2(model()->heading(row).contains(QStringLiteral("nats when ablated (zero)")) ||
                         model()->heading(row).contains(QStringLiteral("no next token")),
                     qPrintable(model()->heading(row)));
        window_->document().selection().select({0, 0}); // whose effects nobody asked for
        QTRY_VERIFY_WITH_TIMEOUT(!model()->heading(0).contains(QStringLiteral("nats")), kPatience);
    }

    void anExampleOpensAsThePromptWithItsRow() {
        QVERIFY(scanPasted());
        const HeadExample example = model()->example(1);
        auto* list = find<QListView>("exampleList");
        list->setCurrentIndex(model()->index(1));
        list->setFocus();
        QTest::keyClick(list, Qt::Key_Return);
        QVERIFY(!scanning()); // Return opens, and does not scan again
        QCOMPARE(window_->document().promptText(), QString::fromStdString(example.text));
        QVERIFY(window_->settled());
        QTRY_COMPARE_WITH_TIMEOUT(window_->document().selection().lockedRow(),
                                  std::optional<std::size_t>(example.row.query), kPatience);
        QTest::keyClick(list, Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->text().contains(QString::fromStdString(example.text)));
    }

    void examplesAreWritten() {
        QVERIFY(scanPasted());
        window_->dialogs.to_save = window_.settings().path(QStringLiteral("examples.json"));
        QTest::mouseClick(find<QPushButton>("exampleExport"), Qt::LeftButton);
        QFile file(window_->dialogs.to_save);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
        const QJsonArray rows = json.value(QStringLiteral("examples")).toArray();
        QCOMPARE(rows.size(), model()->rowCount());
        QCOMPARE(rows[0].toObject().value(QStringLiteral("text")).toString(),
                 QString::fromStdString(model()->example(0).text));
        QVERIFY(text("exampleSummary").startsWith(QStringLiteral("Written: ")));
    }

    // What lies in the cache is what is shown: a weight that was changed there by hand appears.
    void whatWasScannedIsKept() {
        QVERIFY(scanPasted());
        const HeadExample strongest = model()->example(0);
        QDirIterator kept(window_.settings().path(QStringLiteral("cache")),
                          {QStringLiteral("*.parts")}, QDir::Files, QDirIterator::Subdirectories);
        QVERIFY(kept.hasNext());
        QFile file(kept.next());
        QVERIFY(!kept.hasNext());
        QVERIFY(file.open(QIODevice::ReadWrite));
        QByteArray parts = file.readAll();
        const auto row = [&](float weight) {
            return QByteArray::fromStdString("[" + std::to_string(strongest.row.query) + "," +
                                             numberText(weight) + ",[");
        };
        QCOMPARE(parts.count(row(strongest.row.weight)), 1);
        parts.replace(row(strongest.row.weight), row(1.5f));
        file.resize(0);
        file.write(parts);
        file.close();
        QVERIFY(scanPasted());
        QTRY_COMPARE_WITH_TIMEOUT(model()->example(0).row.weight, 1.5f, kPatience);
        QVERIFY(file.remove());
    }

    void closingStops() {
        find<QComboBox>("exampleSource")->setCurrentIndex(0);
        emit find<QComboBox>("exampleSource")->activated(0);
        QTest::mouseClick(find<QPushButton>("exampleScan"), Qt::LeftButton);
        examples_->reject();
        QVERIFY(!scanning());
        window_->find<QAction>("actionExamples")->trigger();
        QVERIFY(examples_->isVisible());
        QCOMPARE(window_->find<ExampleWindow>("exampleWindow"), examples_);
    }

    void foldersOfHeadvisAreShown() {
        const auto circuit = loadSample("induction-circuit");
        const auto sequences =
            require(repeatedRandomSequences(*circuit, {.sequences = 12, .period = 6}));
        const auto heads = require(attentionExamples(circuit, sequences));
        const QString folder = window_.settings().path(QStringLiteral("headvis"));
        const Thresholds thresholds;
        QVERIFY(writeHeadvis(folder.toStdString(),
                             {*circuit,
                              require(scoreSequences(circuit, sequences, "twelve")),
                              thresholds,
                              sequences,
                              heads,
                              {}}));
        window_->dialogs.to_open = folder;
        window_->document().selection().select({1, 0});
        QTest::mouseClick(find<QPushButton>("exampleFolder"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(model()->rowCount(), 12, kPatience);
        QVERIFY(text("exampleSummary").contains(QStringLiteral("of induction-circuit")));
        QVERIFY(!find<QPushButton>("exampleEffects")->isEnabled());
        window_->dialogs.to_save = window_.settings().path(QStringLiteral("foreign.json"));
        QTest::mouseClick(find<QPushButton>("exampleExport"), Qt::LeftButton);
        QFile file(window_->dialogs.to_save);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject provenance = QJsonDocument::fromJson(file.readAll())
                                           .object()
                                           .value(QStringLiteral("provenance"))
                                           .toObject();
        QCOMPARE(provenance.value(QStringLiteral("model_name")).toString(),
                 QStringLiteral("induction-circuit")); // and not the model that is open
        QVERIFY(provenance.value(QStringLiteral("model_sha256")).toString().isEmpty());
        window_->document().selection().select({5, 7}); // which the folder does not hold
        QTRY_VERIFY_WITH_TIMEOUT(text("exampleSummary").contains(QStringLiteral("L5 H7")),
                                 kPatience);
        QCOMPARE(model()->rowCount(), 0);
        window_->dialogs.to_open = QStringLiteral("/nowhere");
        QTest::mouseClick(find<QPushButton>("exampleFolder"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(
            text("exampleSummary").contains(QStringLiteral("/nowhere/config.json")), kPatience);
    }

    void anotherModelForgets() {
        QVERIFY(scanPasted());
        window_->document().open(samplePath(QStringLiteral("microgpt")));
        QTRY_COMPARE_WITH_TIMEOUT(window_->document().model()->name, std::string("microgpt"),
                                  kPatience);
        QCOMPARE(model()->rowCount(), 0);
        QVERIFY(window_->settled());
        QTest::mouseClick(find<QPushButton>("exampleScan"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!scanning(), kPatience);
    }

private:
    template <class T>
    T* find(const char* name) {
        return examples_->findChild<T*>(QString::fromLatin1(name));
    }
    QString text(const char* label) { return find<QLabel>(label)->text(); }
    ExampleModel* model() {
        return qobject_cast<ExampleModel*>(find<QListView>("exampleList")->model());
    }
    bool scanning() { return !find<QPushButton>("exampleScan")->isEnabled(); }

    /// Whether there are examples then.
    bool scanPasted() {
        auto* source = find<QComboBox>("exampleSource");
        source->setCurrentIndex(kPasted);
        emit source->activated(kPasted);
        find<QPlainTextEdit>("examplePasted")->setPlainText(storiesText());
        find<QSpinBox>("exampleLength")->setValue(32);
        QTest::mouseClick(find<QPushButton>("exampleScan"), Qt::LeftButton);
        return QTest::qWaitFor([&] { return !scanning() && model()->rowCount() > 0; }, kPatience);
    }

    SharedWindow window_;
    ExampleWindow* examples_ = nullptr;
};

const headscope::test::TestRegistration<TestExampleWindow> registration;

} // namespace test_example_window

#include "test_example_window.moc"
