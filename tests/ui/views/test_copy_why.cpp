#include "tests/support/runner.h"
#include "tests/ui/views/pasted.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/table_pages.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/why/detail_tabs.h"
#include "ui/views/why/why_page.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/trace_graph.h"

#include <QLabel>
#include <QPushButton>

namespace test_copy_why {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// The two lines that the page gives: what is in sight beside the graph, and the graph.
QStringList lines() {
    return Paste::copied().split(QLatin1Char('\n'));
}

/// What one of them says with --json; null where it fails.
nlohmann::json jsonOf(Paste& paste, const QString& line) {
    QGuiApplication::clipboard()->setText(line);
    return paste.json();
}

} // namespace

class TestCopyWhy : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l"))); }

    void init() {
        document().ablation().clearMask();
        document().setPromptText(
            QStringLiteral("When Mary and John went to the store, John gave a drink to"));
        document().selection().select({4, 1});
        document().selection().lockRow(std::nullopt);
        trigger("actionWhy");
        details()->setCurrentIndex(0);
        QVERIFY(isReady());
    }

    void pairsAndGraph_data() {
        QTest::addColumn<bool>("ablated");
        QTest::addColumn<QString>("other");
        QTest::newRow("other keys") << false << QString();
        QTest::newRow("nothing") << false << QStringLiteral("nothing");
        QTest::newRow("another key") << false << QStringLiteral("key");
        QTest::newRow("ablated") << true << QString();
    }

    void pairsAndGraph() {
        QFETCH(const bool, ablated);
        QFETCH(const QString, other);
        if (ablated) {
            document().ablation().setKind(AblationKind::Mean);
            document().ablation().toggleHeads({{3, 5}, {0, 2}}, QStringLiteral("two"));
            QVERIFY(isReady());
        }
        auto* box = window_->find<QComboBox>("whyOther");
        if (!other.isEmpty()) {
            const int entry = other == QLatin1String("nothing") ? 1 : box->count() - 1;
            box->setCurrentIndex(entry);
            emit box->activated(entry);
            QVERIFY(isReady());
        }
        details()->setCurrentIndex(1);
        QVERIFY(isReady());
        trigger("actionCopyCommand");
        const QStringList copied = lines();
        QCOMPARE(copied.size(), 2);
        Paste paste;
        const nlohmann::json parts = jsonOf(paste, copied[0]);
        QVERIFY2(parts.is_object(), qPrintable(copied[0] + paste.error()));
        QVERIFY(haveSameNumbers(numbersOf(parts["parts"], "value"), shownColumn("whyPairs", 2)));
        const nlohmann::json trace = jsonOf(paste, copied[1]);
        QVERIFY2(trace.is_object(), qPrintable(copied[1] + paste.error()));
        const Trace& shown = page()->shownReading()->trace;
        std::vector<double> through;
        for (const TraceNode& node : shown.nodes)
            through.push_back(node.through);
        std::vector<double> shares;
        for (const TraceEdge& edge : shown.edges)
            shares.push_back(edge.share);
        QVERIFY(haveSameNumbers(numbersOf(trace["nodes"], "through"), through));
        QVERIFY(haveSameNumbers(numbersOf(trace["edges"], "share"), shares));
        if (!kHasPython)
            return;
        trigger("actionCopyPython");
        const std::vector<double> found = paste.pythonColumn("trace", "share");
        QVERIFY2(haveSameNumbers(found, shares), qPrintable(Paste::copied() + paste.error()));
        trigger("actionCopyPython");
        QVERIFY(haveSameNumbers(paste.pythonColumn("why", "value"), shownColumn("whyPairs", 2)));
    }

    /// A head that is followed by a click is followed by the command, too.
    void aGraphThatWasGrown() {
        auto* graph = window_->find<TraceGraph>("whyGraph");
        const Trace before = page()->shownReading()->trace;
        const auto open = std::ranges::find_if(before.nodes, [](const TraceNode& node) {
            return !node.followed && node.place->writer.kind == WriterKind::Head;
        });
        QVERIFY(open != before.nodes.end());
        emit graph->nodeClicked(static_cast<int>(open - before.nodes.begin()));
        QVERIFY(isReady());
        trigger("actionCopyCommand");
        QVERIFY2(lines()[1].contains(QStringLiteral(" --follow ")), qPrintable(lines()[1]));
        Paste paste;
        const nlohmann::json trace = jsonOf(paste, lines()[1]);
        QVERIFY2(trace.is_object(), qPrintable(paste.error()));
        std::vector<double> through;
        for (const TraceNode& node : page()->shownReading()->trace.nodes)
            through.push_back(node.through);
        QVERIFY(haveSameNumbers(numbersOf(trace["nodes"], "through"), through));
        if (!kHasPython)
            return;
        std::vector<double> shares;
        for (const TraceEdge& edge : page()->shownReading()->trace.edges)
            shares.push_back(edge.share);
        trigger("actionCopyPython");
        QVERIFY2(haveSameNumbers(paste.pythonColumn("trace", "share"), shares),
                 qPrintable(Paste::copied() + paste.error()));
    }

    void directionsAndDimensions() {
        for (const auto& [tab, name, list] :
             {std::tuple{2, "whyDirections", "signals"}, {3, "whyDimensions", "dimensions"}}) {
            details()->setCurrentIndex(tab);
            QVERIFY(isReady());
            trigger("actionCopyCommand");
            Paste paste;
            const nlohmann::json read = jsonOf(paste, lines()[0]);
            QVERIFY2(read.is_object(), qPrintable(lines()[0] + paste.error()));
            QVERIFY2(haveSameNumbers(numbersOf(read[list], "value"),
                                     shownColumn(name, QStringLiteral("adds"))),
                     name);
            if (!kHasPython)
                continue;
            trigger("actionCopyPython");
            QVERIFY2(haveSameNumbers(paste.pythonColumn("why", "value"),
                                     shownColumn(name, QStringLiteral("adds"))),
                     qPrintable(Paste::copied() + paste.error()));
        }
    }

    void dimensionsOfAllKeys() {
        details()->setCurrentIndex(4);
        QVERIFY(isReady());
        trigger("actionCopyCommand");
        Paste paste;
        const nlohmann::json read = jsonOf(paste, lines()[0]);
        QVERIFY2(read.is_object(), qPrintable(lines()[0] + paste.error()));
        const auto& cells = window_->find<Heatmap>("whyAllKeys")->content().cells;
        const Tensor values = cells->exact({0, cells->rows()}, {0, cells->columns()});
        QVERIFY(haveSameNumbers(numbersOf(read["dimensions"], "value"),
                                {values.values().begin(), values.values().end()}));
    }

    void tokensOfTheWeight() {
        document().setPromptText(QStringLiteral("When Mary and John went to"));
        QVERIFY(isReady());
        details()->setCurrentIndex(5);
        QVERIFY(isReady());
        trigger("actionCopyCommand");
        Paste paste;
        const nlohmann::json read = jsonOf(paste, lines()[0]);
        QVERIFY2(read.is_object(), qPrintable(lines()[0] + paste.error()));
        QVERIFY(haveSameNumbers(numbersOf(read["tokens"], "hide"),
                                shownColumn("whyTokens", QStringLiteral("hide"))));
        if (kHasPython) {
            trigger("actionCopyPython");
            QVERIFY2(haveSameNumbers(paste.pythonColumn("tokens", "hide"),
                                     shownColumn("whyTokens", QStringLiteral("hide"))),
                     qPrintable(Paste::copied() + paste.error()));
        }
        document().ablation().toggleHeads({{0, 2}}, QStringLiteral("one"));
        QVERIFY(isReady());
        QVERIFY(!window_->find<QAction>("actionCopyCommand")->isEnabled());
    }

    void whatIsLeftWithoutAPart() {
        auto* bar = page()->findChild<RemovalBar*>();
        const auto* copy = bar->findChild<QPushButton*>(QStringLiteral("copyAs"));
        QVERIFY(!copy->isVisible());
        window_->find<NumberPage>("whyKeyParts")->view()->selectRow(0);
        const QString part = measured(*bar);
        QVERIFY(copy->isVisible());
        QVERIFY(copiesCommand(bar));
        QVERIFY2(agrees(part), qPrintable(part + Paste::copied()));
        details()->setCurrentIndex(2);
        QVERIFY(isReady());
        window_->find<TablePage>("whyDirections")->view()->selectRow(1);
        const QString direction = measured(*bar);
        QVERIFY(copiesCommand(bar));
        QVERIFY(Paste::copied().contains(QStringLiteral("'key:direction 2'")));
        QVERIFY2(agrees(direction), qPrintable(direction + Paste::copied()));
        if (!kHasPython)
            return;
        Paste paste;
        const nlohmann::json read = paste.json();
        QVERIFY(copiesPython(bar));
        QVERIFY2(haveSameNumbers(paste.pythonColumn("why", "score"),
                                 numbersOf(read["readings"], "score")),
                 qPrintable(Paste::copied() + paste.error()));
    }

private:
    Document& document() { return window_->document(); }
    WhyPage* page() { return (*window_)->findChild<WhyPage*>(); }
    DetailTabs* details() { return window_->find<DetailTabs>("whyDetails"); }
    void trigger(const char* action) { window_->find<QAction>(action)->trigger(); }

    bool isReady() {
        return QTest::qWaitFor(
            [&] {
                const auto result = document().promptRunner().result();
                const auto reading = page()->shownReading();
                return result && toQString(result->prompt.text) == document().promptText() &&
                       result->mask == document().ablation().mask() && reading &&
                       reading->result == result &&
                       reading->parts.question.head == document().selection().head() &&
                       !details()->isReading();
            },
            kPatience);
    }

    std::vector<double> shownColumn(const char* page, int column) {
        return shownNumbers(window_->find<TablePage>(page)->view(), column);
    }
    /// The column under this title.
    std::vector<double> shownColumn(const char* page, const QString& title) {
        const auto* model = window_->find<TablePage>(page)->view()->model();
        for (int column = 0; column < model->columnCount(); ++column)
            if (model->headerData(column, Qt::Horizontal).toString() == title)
                return shownColumn(page, column);
        return {};
    }

    /// What the bar says once the chosen part is measured.
    QString measured(RemovalBar& bar) {
        QTest::mouseClick(bar.findChild<QPushButton*>(QStringLiteral("whyMeasure")),
                          Qt::LeftButton);
        const auto* said = bar.findChild<QLabel*>(QStringLiteral("whyMeasured"));
        return QTest::qWaitFor([&] { return said->text().startsWith(QStringLiteral("Without")); },
                               kPatience)
                   ? said->text()
                   : QString();
    }
    /// Whether the command finds the scores that the sentence has.
    static bool agrees(const QString& sentence) {
        Paste paste;
        const nlohmann::json read = paste.json();
        if (!read.is_object())
            return false;
        for (const nlohmann::json& reading : read["readings"]) {
            const std::string name = reading["reading"];
            if (name.starts_with("random"))
                continue;
            const QString score = numberText(numberOf(reading["score"]), 2);
            if (!sentence.contains(score))
                return false;
        }
        return true;
    }

    SharedWindow window_;
};

const headscope::test::TestRegistration<TestCopyWhy> registration;

} // namespace test_copy_why

#include "test_copy_why.moc"
