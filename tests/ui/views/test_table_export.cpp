#include "core/attribution/tables.h"
#include "core/circuits/composition.h"
#include "core/circuits/tables.h"
#include "core/export/provenance.h"
#include "core/export/table_files.h"
#include "tests/support/runner.h"
#include "tests/ui/views/pasted.h"
#include "ui/views/attribution/attribution_dialog.h"
#include "ui/views/circuits/circuits_dialog.h"
#include "ui/views/similarity/similarity_dialog.h"

#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QLabel>
#include <QSpinBox>
#include <QTabWidget>

namespace test_table_export {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

StartOptions story(const char* sample = "gpt2-mini-6l") {
    StartOptions options;
    options.model = samplePath(QString::fromLatin1(sample));
    options.text = kStory;
    return options;
}

/// The button of a dialog, once there is a table that it can write; null: there never is.
QPushButton* readyButton(const QWidget* dialog) {
    auto* button = dialog->findChild<QPushButton*>(QStringLiteral("tableExport"));
    return QTest::qWaitFor([button] { return button->isEnabled(); }, kPatience) ? button : nullptr;
}

/// The bytes of the table in sight, exported as a person would; empty where it never was.
QByteArray exported(WindowUnderTest& window, const QWidget* dialog, const QString& path) {
    QPushButton* button = readyButton(dialog);
    if (!button)
        return {};
    window.dialogs.to_save = path;
    QTest::mouseClick(button, Qt::LeftButton);
    const auto* said = dialog->findChild<QLabel*>(QStringLiteral("copySaid"));
    if (!QTest::qWaitFor([said] { return !said->text().isEmpty(); }, kPatience))
        return {};
    return bytesOfFile(path);
}

/// Whether each format holds, byte for byte, what the command that is copied writes.
bool isWhatTheCommandWrites(WindowUnderTest& window, const QWidget* dialog) {
    const QTemporaryDir folder;
    for (const char* const ending : {".csv", ".json", ".h5"}) {
        const QString name = QStringLiteral("table") + QLatin1String(ending);
        const QByteArray bytes = exported(window, dialog, folder.filePath(name));
        Paste paste;
        if (bytes.isEmpty() || !copiesCommand(dialog))
            return false;
        paste.run(QStringLiteral("-o ") + name);
        if (bytesOfFile(paste.path(name)) != bytes) {
            qWarning("%s: %s %s", ending, qPrintable(Paste::copied()), qPrintable(paste.error()));
            return false;
        }
    }
    return true;
}

QString suggestedName(const WindowUnderTest& window) {
    return QFileInfo(window.dialogs.suggested).fileName();
}

bool matches(const QString& text, const char* pattern) {
    return QRegularExpression(QRegularExpression::anchoredPattern(QLatin1String(pattern)))
        .match(text)
        .hasMatch();
}

} // namespace

/// The tables of dialogs as files.
class TestTableExport : public QObject {
    Q_OBJECT

private slots:
    void attributionAndLens_data() {
        QTest::addColumn<bool>("ablated");
        QTest::newRow("whole") << false;
        QTest::newRow("ablated") << true;
    }
    void attributionAndLens() {
        QFETCH(const bool, ablated);
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        if (ablated)
            window.document().ablation().toggleHeads({{4, 1}, {0, 2}}, QStringLiteral("two"));
        QVERIFY(window.hasRun());
        const OpenedDialog<AttributionDialog> dialog(window, "actionAttribution",
                                                     "attributionDialog");
        QVERIFY(isWhatTheCommandWrites(window, dialog.dialog));
        QVERIFY2(matches(suggestedName(window), "gpt2-mini-6l_[0-9a-f]{8}_attribution\\.csv"),
                 qPrintable(suggestedName(window)));
        dialog.find<QTabWidget>("attributionTabs")->setCurrentIndex(1);
        QVERIFY(isWhatTheCommandWrites(window, dialog.dialog));
        QVERIFY2(matches(suggestedName(window), "gpt2-mini-6l_[0-9a-f]{8}_lens\\.csv"),
                 qPrintable(suggestedName(window)));
    }

    void attributionIsCoresTable() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        const OpenedDialog<AttributionDialog> dialog(window, "actionAttribution",
                                                     "attributionDialog");
        const QByteArray csv =
            exported(window, dialog.dialog, settings.path(QStringLiteral("parts.csv")));
        const RunResult& run = *window.document().promptRunner().result();
        const auto& model = run.full->model;
        const auto read = attributePrediction(model, {run.prompt.ids, *run.predicted_at});
        const auto table = attributionTable(*read->attribution, *model,
                                            provenanceOf(*model, run.prompt, run.mask));
        QCOMPARE(csv, QByteArray::fromStdString(tableCsv(table)));
    }

    void similarity() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        const OpenedDialog<SimilarityDialog> dialog(window, "actionSimilarity", "similarityDialog");
        dialog.find<QDoubleSpinBox>("similarityBelow")->setValue(0.07);
        QVERIFY(isWhatTheCommandWrites(window, dialog.dialog));
        QCOMPARE(suggestedName(window), QStringLiteral("gpt2-mini-6l_similarity.csv"));
        dialog.find<QComboBox>("similarityInput")->setCurrentIndex(1);
        QVERIFY(isWhatTheCommandWrites(window, dialog.dialog));
    }

    void similarityOnIds() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("notebook"))); // it has no tokenizer
        const OpenedDialog<SimilarityDialog> dialog(window, "actionSimilarity", "similarityDialog");
        dialog.find<QComboBox>("similarityInput")->setCurrentIndex(1);
        QVERIFY(isWhatTheCommandWrites(window, dialog.dialog));
    }

    void circuits_data() {
        QTest::addColumn<QString>("fixture");
        QTest::newRow("gpt2") << QStringLiteral("gpt2");
        QTest::newRow("rotary") << QStringLiteral("llama");
    }
    void circuits() {
        QFETCH(const QString, fixture);
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.startOn(fixturePath(fixture)));
        const OpenedDialog<CircuitsDialog> dialog(window, "actionCircuits", "circuitsDialog");
        QVERIFY(readyButton(dialog.dialog));
        dialog.find<QComboBox>("compositionKind")->setCurrentIndex(2);
        dialog.find<QSpinBox>("compositionCount")->setValue(7);
        QVERIFY(isWhatTheCommandWrites(window, dialog.dialog));
        QCOMPARE(suggestedName(window), fixture + QStringLiteral("_composition.csv"));
        dialog.find<QTabWidget>("circuitsTabs")->setCurrentIndex(1);
        QVERIFY(isWhatTheCommandWrites(window, dialog.dialog));
        QCOMPARE(suggestedName(window), fixture + QStringLiteral("_copying.csv"));
    }

    void compositionIsCoresTable() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenedDialog<CircuitsDialog> dialog(window, "actionCircuits", "circuitsDialog");
        const QByteArray json =
            exported(window, dialog.dialog, settings.path(QStringLiteral("edges.json")));
        const Model& model = *window.document().model();
        const FoldedWeights weights = foldWeights(window.document().model());
        const auto scores = compositionScores(weights);
        Provenance origin = provenanceOf(model);
        origin.note = weights.note;
        const auto edges = strongestEdges(*scores, 20, CompositionKind::K);
        QCOMPARE(json,
                 QByteArray::fromStdString(tableJson(compositionTable(*scores, edges, origin))));
    }

    void whatIsWrittenIsSaidAndRemembered() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenedDialog<CircuitsDialog> dialog(window, "actionCircuits", "circuitsDialog");
        const QString path = settings.path(QStringLiteral("edges.csv"));
        QVERIFY(!exported(window, dialog.dialog, path).isEmpty());
        const auto* said = dialog.find<QLabel>("copySaid");
        QCOMPARE(said->text(), QStringLiteral("Written: ") + path);
        const QString script = settings.path(QStringLiteral("history.sh"));
        QVERIFY(window.document().history().save(script));
        QVERIFY(bytesOfFile(script).contains(path.toUtf8()));
        // Elsewhere it fails, says why, and can be tried again.
        QVERIFY(exported(window, dialog.dialog, QStringLiteral("/nowhere/at/all.csv")).isEmpty());
        QVERIFY2(said->text().contains(QStringLiteral("/nowhere/at")), qPrintable(said->text()));
        QVERIFY(dialog.find<QPushButton>("tableExport")->isEnabled());
        QVERIFY(exported(window, dialog.dialog, settings.path(QStringLiteral("x.doc"))).isEmpty());
        window.dialogs.to_save.clear();
        QTest::mouseClick(dialog.find<QPushButton>("tableExport"), Qt::LeftButton);
        QVERIFY(dialog.find<QPushButton>("tableExport")->isEnabled());
    }

    void withoutATableTheButtonSaysWhy() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("notebook")));
        const OpenedDialog<CircuitsDialog> circuits(window, "actionCircuits", "circuitsDialog");
        auto* button = readyButton(circuits.dialog);
        QVERIFY(button);
        circuits.find<QTabWidget>("circuitsTabs")->setCurrentIndex(1);
        QVERIFY(!button->isEnabled());
        QVERIFY2(button->toolTip().contains(QStringLiteral("unembedding")),
                 qPrintable(button->toolTip()));
        const OpenedDialog<AttributionDialog> readout(window, "actionAttribution",
                                                      "attributionDialog");
        QVERIFY(!readout.find<QPushButton>("tableExport")->isEnabled());
        QCOMPARE(readout.find<QPushButton>("tableExport")->toolTip(),
                 QStringLiteral("There is no table yet."));
    }
};

const headscope::test::TestRegistration<TestTableExport> registration;

} // namespace test_table_export

#include "test_table_export.moc"
