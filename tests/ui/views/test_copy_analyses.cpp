#include "tests/support/runner.h"
#include "tests/ui/views/open_pruning.h"
#include "tests/ui/views/pasted.h"
#include "ui/document/attribution_reading.h"
#include "ui/tables/head_text.h"
#include "ui/views/attribution/attribution_dialog.h"
#include "ui/views/circuits/circuits_dialog.h"
#include "ui/views/examples/example_window.h"
#include "ui/views/help/verify_dialog.h"
#include "ui/views/patching/patch_dialog.h"
#include "ui/views/prompts/prompt_set_window.h"
#include "ui/views/similarity/similarity_dialog.h"
#include "ui/widgets/heatmap.h"

#include <QListView>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include <map>

namespace test_copy_analyses {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

const QString kStory = QStringLiteral("When Mary and John went to the store, John gave a drink to");

StartOptions story(const char* sample = "gpt2-mini-6l") {
    StartOptions options;
    options.model = samplePath(QString::fromLatin1(sample));
    options.text = kStory;
    return options;
}

bool hasRows(const QTableView* view) {
    return QTest::qWaitFor([view] { return view->model()->rowCount() > 0; }, kPatience);
}

QTableView* tableOf(const QWidget* page) {
    return page->findChild<QTableView*>();
}

/// What a heatmap shows, row by row.
std::vector<double> shownCells(const Heatmap* heatmap) {
    const auto& cells = heatmap->content().cells;
    const Tensor values = cells->exact({0, cells->rows()}, {0, cells->columns()});
    return {values.values().begin(), values.values().end()};
}

bool hasCells(const Heatmap* heatmap) {
    return QTest::qWaitFor([heatmap] { return heatmap->content().cells != nullptr; }, kPatience);
}

/// Whether the dialog says of each check that passed what this report says. A command checks
/// threads and kernels, too, which a window cannot change.
bool showsReport(const OpenedDialog<VerifyDialog>& dialog, const nlohmann::json& report) {
    std::map<QString, QString> measured;
    for (const nlohmann::json& section : report["sections"])
        for (const nlohmann::json& check : section["checks"])
            measured[QString::fromStdString(check["name"])] =
                QString::fromStdString(check["measured"]);
    int compared = 0;
    for (QTreeWidgetItemIterator item(dialog.find<QTreeWidget>("verifyChecks")); *item; ++item) {
        if (!(*item)->text(0).startsWith(QStringLiteral("✓ ")))
            continue;
        if (measured[(*item)->text(0).mid(2)] != (*item)->text(2))
            return false;
        ++compared;
    }
    return compared > 10;
}

std::vector<double> withoutNan(std::vector<double> numbers) {
    std::erase_if(numbers, [](double number) { return std::isnan(number); });
    return numbers;
}

} // namespace

class TestCopyAnalyses : public QObject {
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
        window.document().ablation().setKind(AblationKind::Mean);
        if (ablated)
            window.document().ablation().toggleHeads({{4, 1}, {0, 2}}, QStringLiteral("two"));
        QVERIFY(window.hasRun());
        const OpenedDialog<AttributionDialog> dialog(window, "actionAttribution",
                                                     "attributionDialog");
        const QTableView* parts = tableOf(dialog.find<QWidget>("attributionParts"));
        QVERIFY(hasRows(parts));
        QVERIFY(copiesCommand(dialog.dialog));
        Paste paste;
        nlohmann::json read = paste.json();
        QVERIFY2(read.is_object(), qPrintable(Paste::copied() + paste.error()));
        QVERIFY(haveSameNumbers(numbersOf(read["parts"], "value"), shownNumbers(parts, 1)));
        QVERIFY(copiesPython(dialog.dialog));
        if (kHasPython) {
            read = paste.python(QStringLiteral("parts['value'].tolist()"));
            QVERIFY2(read.is_array(), qPrintable(paste.error()));
            QVERIFY(haveSameNumbers(read.get<std::vector<double>>(), shownNumbers(parts, 1)));
        }

        dialog.find<QTabWidget>("attributionTabs")->setCurrentIndex(1);
        auto* followed = dialog.find<QTableView>("lensFollowed");
        QVERIFY(QTest::qWaitFor([&] { return followed->model() != nullptr; }, kPatience));
        QVERIFY(copiesCommand(dialog.dialog));
        read = paste.json();
        QVERIFY2(read.is_object(), qPrintable(paste.error()));
        const std::size_t position = firstPosition(*window.document().promptRunner().result());
        for (const nlohmann::json& reading : read["readings"])
            if (reading["position"] == position) {
                const int depth = reading["depth"];
                QCOMPARE(followed->model()->index(0, depth).data().toString(),
                         percentText(reading["probability"]));
                QCOMPARE(followed->model()->index(1, depth).data().toString(),
                         QStringLiteral("rank %1").arg(reading["rank"].get<int>()));
            }
        QVERIFY(copiesPython(dialog.dialog));
        if (kHasPython)
            QVERIFY2(haveSameNumbers(paste.pythonColumn("lens", "probability"),
                                     numbersOf(read["readings"], "probability")),
                     qPrintable(Paste::copied() + paste.error()));
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
        const QTableView* edges = tableOf(dialog.find<QWidget>("compositionList"));
        QVERIFY(hasRows(edges));
        for (const int kind : {0, 1, 2}) {
            dialog.find<QComboBox>("compositionKind")->setCurrentIndex(kind);
            dialog.find<QSpinBox>("compositionCount")->setValue(7);
            QVERIFY(copiesCommand(dialog.dialog));
            Paste paste;
            const nlohmann::json read = paste.json();
            QVERIFY2(read.is_object(), qPrintable(Paste::copied() + paste.error()));
            QCOMPARE(read["edges"].size(), std::size_t{7});
            QVERIFY(haveSameNumbers(numbersOf(read["edges"], "score"), shownNumbers(edges, 2)));
            QVERIFY(copiesPython(dialog.dialog));
            if (kHasPython)
                QVERIFY2(haveSameNumbers(paste.pythonColumn("composition", "score"),
                                         shownNumbers(edges, 2)),
                         qPrintable(Paste::copied() + paste.error()));
        }
        dialog.find<QTabWidget>("circuitsTabs")->setCurrentIndex(1);
        QVERIFY(copiesCommand(dialog.dialog));
        Paste paste;
        const nlohmann::json read = paste.json();
        QVERIFY2(read.is_object(), qPrintable(paste.error()));
        QVERIFY(haveSameNumbers(numbersOf(read["heads"], "score"),
                                shownNumbers(tableOf(dialog.find<QWidget>("copyingTable")), 1)));
        QVERIFY(copiesPython(dialog.dialog));
        if (kHasPython)
            QVERIFY2(haveSameNumbers(paste.pythonColumn("copying", "score"),
                                     numbersOf(read["heads"], "score")),
                     qPrintable(Paste::copied() + paste.error()));
    }

    void similarity() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        const OpenedDialog<SimilarityDialog> dialog(window, "actionSimilarity", "similarityDialog");
        const auto* matrix = dialog.find<Heatmap>("similarityMatrix");
        for (const int input : {0, 1}) {
            dialog.find<QComboBox>("similarityInput")->setCurrentIndex(input);
            QVERIFY(hasCells(matrix));
            QVERIFY(copiesCommand(dialog.dialog));
            Paste paste;
            const nlohmann::json read = paste.json();
            QVERIFY2(read.is_object(), qPrintable(Paste::copied() + paste.error()));
            std::vector<double> distances;
            for (const nlohmann::json& row : read["pattern_distance"])
                for (const nlohmann::json& cell : row)
                    distances.push_back(numberOf(cell));
            QVERIFY(haveSameNumbers(distances, shownCells(matrix)));
            QCOMPARE(static_cast<int>(read["redundant_pairs"].size()),
                     tableOf(dialog.find<QWidget>("similarityPairs"))->model()->rowCount());
            QVERIFY(copiesPython(dialog.dialog));
            if (kHasPython)
                QVERIFY(paste.python(QStringLiteral("len(similarity)")).is_number());
        }
    }

    void patching() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        Document& document = window.document();
        document.comparison().turnOn();
        document.comparison().setPromptText(
            QStringLiteral("When Mary and John went to the store, Mary gave a drink to"));
        QVERIFY(QTest::qWaitFor([&] { return document.comparison().compared().other != nullptr; },
                                kPatience));
        document.selection().select({5, 3});
        const OpenedDialog<PatchDialog> dialog(window, "actionPatch", "patchDialog");
        auto* what = dialog.find<QComboBox>("patchWhat");
        auto* grid = dialog.find<Heatmap>("patchGrid");
        for (int choice = 0; choice < what->count(); ++choice) {
            what->setCurrentIndex(choice);
            emit what->activated(choice);
            QVERIFY(!copiesCommand(dialog.dialog)); // it is on its way
            QVERIFY(hasCells(grid));
            QVERIFY(copiesCommand(dialog.dialog));
            Paste paste;
            const nlohmann::json read = paste.json();
            QVERIFY2(read.is_object(), qPrintable(Paste::copied() + paste.error()));
            const auto& list = read.contains("patches") ? read["patches"] : read["paths"];
            QVERIFY2(haveSameNumbers(withoutNan(numbersOf(list, "normalised")),
                                     withoutNan(shownCells(grid))),
                     qPrintable(Paste::copied()));
            QVERIFY(copiesPython(dialog.dialog));
            if (!kHasPython || (choice != 5 && choice < what->count() - 2))
                continue; // one of each kind
            const char* const table = read.contains("patches") ? "patches" : "paths";
            QVERIFY2(haveSameNumbers(withoutNan(paste.pythonColumn(table, "normalised")),
                                     withoutNan(shownCells(grid))),
                     qPrintable(Paste::copied() + paste.error()));
        }
        // The other way round, another metric, and by gradient.
        what->setCurrentIndex(0);
        dialog.find<QComboBox>("patchDirection")->setCurrentIndex(1);
        dialog.find<QComboBox>("patchMetric")->setCurrentIndex(1);
        dialog.find<QComboBox>("patchMethod")->setCurrentIndex(1);
        emit what->activated(0);
        QVERIFY(hasCells(grid));
        QVERIFY(copiesCommand(dialog.dialog));
        QVERIFY(Paste::copied().contains(QStringLiteral("--method gradient")));
        Paste paste;
        const nlohmann::json read = paste.json();
        QVERIFY2(read.is_object(), qPrintable(Paste::copied() + paste.error()));
        QVERIFY(haveSameNumbers(numbersOf(read["patches"], "normalised"), shownCells(grid)));
    }

    void aSetOfPrompts() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        window.document().ablation().toggleHeads({{4, 1}}, QStringLiteral("one"));
        QVERIFY(window.hasRun());
        const OpenedDialog<PromptSetWindow> dialog(window, "actionPromptSet", "promptSetWindow");
        auto* source = dialog.find<QComboBox>("promptSetSource");
        const auto run = [&] {
            QTest::mouseClick(dialog.find<QPushButton>("promptSetRun"), Qt::LeftButton);
            return QTest::qWaitFor(
                [&] { return dialog.find<QPushButton>("promptSetGrid")->isEnabled(); }, kPatience);
        };
        const auto isTheSame = [&](Paste& paste) {
            const nlohmann::json read = paste.json();
            const auto* view = dialog.find<QTableView>("tableView");
            return read.is_object() &&
                   haveSameNumbers(numbersOf(read["prompts"], "loss"), shownNumbers(view, 2)) &&
                   read["prompts"][0].contains("score") &&
                   read["prompts"][0].contains("loss_ablated");
        };
        QVERIFY(!copiesCommand(dialog.dialog));
        // Pasted, with lines that a shell and a reader of lines might take for something else.
        source->setCurrentIndex(source->count() - 1);
        emit source->activated(source->count() - 1);
        dialog.find<QPlainTextEdit>("promptSetPasted")
            ->setPlainText(
                QStringLiteral("it's \"one\" $HOME\n{\"prompt\": \"two\\nlines\"}\n-x %s 🙂"));
        QVERIFY(run());
        Paste pasted;
        QVERIFY(copiesCommand(dialog.dialog));
        QVERIFY2(isTheSame(pasted), qPrintable(Paste::copied() + pasted.error()));
        QVERIFY(copiesPython(dialog.dialog));
        if (kHasPython)
            QVERIFY2(haveSameNumbers(pasted.pythonColumn("prompts", "loss"),
                                     shownNumbers(dialog.find<QTableView>("tableView"), 2)),
                     qPrintable(Paste::copied() + pasted.error()));
        // From a file whose name a shell would take apart.
        const QString path = settings.path(QStringLiteral("my 'set'.txt"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("When Mary and John\nThe cat and the dog\n");
        file.close();
        window.dialogs.to_open = path;
        source->setCurrentIndex(source->count() - 2);
        emit source->activated(source->count() - 2);
        QVERIFY(run());
        Paste of_file;
        QVERIFY(copiesCommand(dialog.dialog));
        QVERIFY2(isTheSame(of_file), qPrintable(Paste::copied() + of_file.error()));
        QVERIFY(copiesPython(dialog.dialog));
        if (kHasPython)
            QVERIFY2(haveSameNumbers(of_file.pythonColumn("prompts", "loss"),
                                     shownNumbers(dialog.find<QTableView>("tableView"), 2)),
                     qPrintable(Paste::copied() + of_file.error()));
        // Bundled.
        source->setCurrentIndex(0);
        emit source->activated(0);
        QVERIFY(run());
        Paste bundled;
        QVERIFY(copiesCommand(dialog.dialog));
        QVERIFY2(isTheSame(bundled), qPrintable(bundled.error()));
    }

    void examples() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        window.document().selection().select({4, 1});
        const OpenedDialog<ExampleWindow> dialog(window, "actionExamples", "exampleWindow");
        QVERIFY(!copiesCommand(dialog.dialog));
        dialog.find<QComboBox>("exampleKind")->setCurrentIndex(1);
        dialog.find<QSpinBox>("exampleTokens")->setValue(2000);
        QTest::mouseClick(dialog.find<QPushButton>("exampleScan"), Qt::LeftButton);
        const auto* list = dialog.find<QListView>("exampleList");
        QVERIFY(QTest::qWaitFor(
            [&] {
                return list->model()->rowCount() > 0 &&
                       dialog.find<QPushButton>("exampleScan")->isEnabled();
            },
            kPatience));
        // The list may still be that of the scan before its end.
        auto* effects = dialog.find<QPushButton>("exampleEffects");
        QVERIFY(QTest::qWaitFor(
            [&] {
                if (!effects->isEnabled())
                    return false;
                if (copiesCommand(dialog.dialog) &&
                    Paste::copied().endsWith(
                        QStringLiteral(" --show strongest --count 50 --effect zero")))
                    return true;
                QTest::mouseClick(effects, Qt::LeftButton);
                return false;
            },
            kPatience));
        Paste paste;
        const nlohmann::json read = paste.json();
        QVERIFY2(read.is_object(), qPrintable(Paste::copied() + paste.error()));
        QCOMPARE(static_cast<int>(read["examples"].size()), list->model()->rowCount());
        for (int row = 0; row < list->model()->rowCount(); ++row) {
            const QString shown = list->model()->index(row, 0).data().toString();
            const auto& example = read["examples"][static_cast<std::size_t>(row)];
            QVERIFY2(
                shown.contains(QString::fromStdString(example["text"].get<std::string>()).left(20)),
                qPrintable(shown));
        }
        QVERIFY(copiesPython(dialog.dialog));
        if (kHasPython)
            QVERIFY2(paste.python(QStringLiteral("json.loads(examples.to_json())")) == read,
                     qPrintable(Paste::copied() + paste.error()));
    }

    void verification() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const OpenedDialog<VerifyDialog> dialog(window, "actionVerify", "verifyDialog");
        QVERIFY(!copiesCommand(dialog.dialog));
        const auto* copy = dialog.find<QPushButton>("verifyCopy");
        QVERIFY(QTest::qWaitFor([&] { return copy->isEnabled(); }, kPatience));
        QVERIFY(copiesCommand(dialog.dialog));
        Paste paste;
        const nlohmann::json read = paste.json();
        QVERIFY2(read.is_object(), qPrintable(paste.error()));
        QVERIFY(showsReport(dialog, read));
        QVERIFY(copiesPython(dialog.dialog));
        if (kHasPython)
            QVERIFY2(showsReport(dialog, paste.python(QStringLiteral("verified"))),
                     qPrintable(Paste::copied() + paste.error()));
    }

    void sharedKeysAndValues() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenPruning bench(window);
        QVERIFY(bench.readsFew());
        auto* page = bench.find<QWidget>("groupings")->parentWidget();
        bench.find<QTabWidget>("prunePages")->setCurrentWidget(page);
        QVERIFY(!copiesCommand(page));
        bench.click("measureGroupings");
        const QTableView* table = tableOf(bench.find<QWidget>("groupings"));
        QVERIFY(hasRows(table));
        QVERIFY(copiesCommand(page));
        Paste paste;
        paste.run(QStringLiteral("-o shared.json"));
        QFile file(paste.path(QStringLiteral("shared.json")));
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(Paste::copied() + paste.error()));
        const auto read = nlohmann::json::parse(file.readAll().toStdString());
        const auto& rows = read.contains("groupings") ? read["groupings"] : read["ways"];
        QVERIFY(haveSameNumbers(numbersOf(rows, "loss"), shownNumbers(table, 2)));
        QVERIFY(copiesPython(page));
        if (kHasPython)
            QVERIFY2(
                haveSameNumbers(paste.pythonColumn("groupings", "loss"), shownNumbers(table, 2)),
                qPrintable(Paste::copied() + paste.error()));
    }
};

const headscope::test::TestRegistration<TestCopyAnalyses> registration;

} // namespace test_copy_analyses

#include "test_copy_analyses.moc"
