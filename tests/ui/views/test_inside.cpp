// The page that shows what a head computes, step by step.

#include "core/attribution/head_steps.h"
#include "core/engine/hooks.h"
#include "core/engine/run.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/inside/inside_page.h"
#include "ui/views/inside/inside_parts.h"
#include "ui/views/inside/inside_picture.h"
#include "ui/views/inside/inside_text.h"
#include "ui/views/why/why_page.h"
#include "ui/widgets/stale.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <optional>

namespace test_inside {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

constexpr double kNear = 1e-5;

class TestInside : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l"))); }
    void init() {
        if (document().model()->name != "gpt2-mini-6l")
            QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
        document().ablation().clearMask();
        document().comparison().turnOff();
        document().setPromptText(
            QStringLiteral("When Mary and John went to the store, John gave a drink to"));
        document().selection().lockRow(std::nullopt);
        document().selection().select({4, 1});
        window_->find<QAction>("actionInside")->trigger();
        window_->find<QSlider>("insideTemperature")->setValue(0);
        window_->find<QCheckBox>("insideAllHeads")->setChecked(false);
        QVERIFY(window_->hasRun());
        QVERIFY(shows({4, 1}));
    }
    void cleanupTestCase() { window_.close(); }

    void everySampleModelHasItsSteps_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<bool>("turned");
        QTest::addColumn<bool>("hidden"); // keys after the first query
        QTest::addColumn<bool>("shared");
        QTest::newRow("gpt2") << QStringLiteral("gpt2-mini-6l") << false << true << false;
        QTest::newRow("llama") << QStringLiteral("llama-mini-gqa-4l") << true << true << true;
        QTest::newRow("bert") << QStringLiteral("bert-mini-4l") << false << false << false;
        QTest::newRow("microgpt") << QStringLiteral("microgpt") << false << true << false;
        QTest::newRow("notebook") << QStringLiteral("notebook") << false << true << false;
        QTest::newRow("attn-only") << QStringLiteral("attn-only-2l") << false << true << false;
        QTest::newRow("circuit") << QStringLiteral("induction-circuit") << false << true << false;
    }
    void everySampleModelHasItsSteps() {
        QFETCH(QString, model);
        QFETCH(bool, turned);
        QFETCH(bool, hidden);
        QFETCH(bool, shared);
        if (document().model()->name != model.toStdString())
            QVERIFY(window_.openAgain(model));
        window_->find<QAction>("actionInside")->trigger();
        document().selection().select({0, 0});
        document().selection().lockRow(1);
        QVERIFY(shows({0, 0}));
        const auto reading = page()->shownReading();
        QCOMPARE(reading->steps.question.query, 1u);
        QCOMPARE(reading->steps.dimensions.turned, turned);
        QCOMPARE(has(InsidePart::TurnedQuery), turned);
        const auto is_hidden = [](const InsideLine& line) {
            return line.kind == InsideLineKind::Hidden;
        };
        QCOMPARE(std::ranges::any_of(picture()->scene().lines, is_hidden), hidden);
        QCOMPARE(!sharingSentence(reading->steps).isEmpty(), shared);
        QCOMPARE(has(InsidePart::Capped), false);
        QCOMPARE(has(InsidePart::Distance), false);
        QVERIFY(isAsTheHooksHaveIt(*reading));
    }

    /// What is drawn and read out is core's.
    void numbersAreThoseOfCore() {
        const auto reading = page()->shownReading();
        const HeadSteps& steps = reading->steps;
        QCOMPARE(insideValue(steps, InsidePart::Stream, 0, 3), steps.stream[3]);
        QCOMPARE(insideValue(steps, InsidePart::Dot, 2, 0), steps.keys[2].product);
        double dot = 0.0;
        for (std::size_t i = 0; i < insideLength(steps, InsidePart::Product); ++i)
            dot += insideValue(steps, InsidePart::Product, 2, i);
        QVERIFY(std::abs(dot - steps.keys[2].product) < kNear);
        double z = 0.0;
        for (std::size_t row = 0; row < steps.keys.size(); ++row)
            z += insideValue(steps, InsidePart::WeightedValue, row, 1);
        QVERIFY(std::abs(z - insideValue(steps, InsidePart::Z, 0, 1)) < kNear);
        QVERIFY(point({InsidePart::Weight, 2, 0, 1}));
        QVERIFY2(readout().startsWith(QStringLiteral("2 ·Mary: ")), qPrintable(readout()));
        QVERIFY2(readout().contains(longNumber(steps.keys[2].weight)), qPrintable(readout()));
        QVERIFY(point({InsidePart::Dot, 2, 0, 1}));
        QVERIFY2(readout().contains(QStringLiteral("q · k = ")), qPrintable(readout()));
        QVERIFY2(readout().contains(longNumber(steps.keys[2].product)), qPrintable(readout()));
    }

    /// A number of a product is written out, and its row and column are lit.
    void aProductIsWrittenOut() {
        const HeadSteps& steps = page()->shownReading()->steps;
        QVERIFY(point({InsidePart::OwnQuery, 0, 3, 1}));
        const WrittenProduct product = writtenQuery(*document().model(), steps, 3);
        const QString begin =
            QStringLiteral("q₃ = %1 × %2")
                .arg(shortNumber(product.terms[0].factor), shortNumber(product.terms[0].weight));
        QVERIFY2(readout().contains(begin), qPrintable(readout()));
        QVERIFY2(readout().contains(longNumber(product.value)), qPrintable(readout()));
        QCOMPARE(picture()->lit(), std::optional(InsideCell{InsidePart::OwnQuery, 0, 3, 1}));
        const QString before = readout();
        QVERIFY(point({InsidePart::HeadOutput, 0, 0, 1}));
        QVERIFY(readout() != before);
    }

    void followsTheSelection() {
        document().selection().select({2, 3});
        QVERIFY(shows({2, 3}));
        QVERIFY(sentence().startsWith(QStringLiteral("L2 H3 gives ")));
        document().selection().lockRow(4);
        QVERIFY(shows({2, 3}));
        QCOMPARE(page()->shownReading()->steps.keys.size(), 5u);
        QCOMPARE(window_->find<QComboBox>("insideQuery")->currentIndex(), 4);
        auto* query = window_->find<QComboBox>("insideQuery");
        query->setCurrentIndex(6);
        emit query->activated(6);
        QCOMPARE(document().selection().lockedRow(), std::optional<std::size_t>(6));
        QVERIFY(shows({2, 3}));
        QCOMPARE(page()->shownReading()->steps.keys.size(), 7u);
    }

    /// The run is kept for other queries and heads of the layer, and no longer.
    void oneRunServesALayer() {
        const auto run = page()->shownReading()->run;
        document().selection().select({4, 2});
        QVERIFY(shows({4, 2}));
        QCOMPARE(page()->shownReading()->run, run);
        document().selection().select({3, 2});
        QVERIFY(shows({3, 2}));
        QVERIFY(page()->shownReading()->run != run);
    }

    void followsPromptAndAblation() {
        const double before = page()->shownReading()->steps.stream[0];
        document().ablation().toggleHead({0, 0});
        QVERIFY(window_->hasRun());
        QVERIFY(shows({4, 1}));
        QVERIFY(page()->shownReading()->steps.stream[0] != before);
        document().setPromptText(QStringLiteral("When Mary went"));
        QVERIFY(window_->hasRun());
        QVERIFY(shows({4, 1}));
        QCOMPARE(page()->shownReading()->positions(), document().shown().result->prompt.ids.size());
        QCOMPARE(window_->find<QComboBox>("insideQuery")->count(),
                 static_cast<int>(document().shown().result->prompt.ids.size()));
        document().ablation().toggleHead({4, 1});
        QVERIFY(window_->hasRun());
        QVERIFY(shows({4, 1}));
        QVERIFY(page()->shownReading()->steps.is_ablated);
        QVERIFY(isCaptioned(QStringLiteral("This head is ablated")));
    }

    /// While another state's answer is awaited nothing is said to be shown.
    void nothingStaleIsShownAsFresh() {
        document().selection().select({1, 1});
        QVERIFY(page()->isReading());
        QVERIFY(!page()->shownReading());
        QVERIFY(isStale(picture()->window()->findChild<QWidget*>(QStringLiteral("insideContent"))));
        QVERIFY(shows({1, 1}));
        QVERIFY(
            !isStale(picture()->window()->findChild<QWidget*>(QStringLiteral("insideContent"))));
    }

    void theTemperatureIsAWhatIf() {
        auto* slider = window_->find<QSlider>("insideTemperature");
        auto* what_if = window_->find<QLabel>("insideWhatIf");
        QCOMPARE(what_if->text(), QString());
        QVERIFY(has(InsidePart::Raised));
        const double own = page()->shownReading()->steps.keys[2].weight;
        slider->setValue(15);
        QVERIFY(shows({4, 1}));
        QCOMPARE(what_if->text(),
                 QStringLiteral("What if: temperature 2.0; the network's own is 1"));
        QVERIFY(page()->shownReading()->steps.isWhatIf());
        QVERIFY(page()->shownReading()->steps.keys[2].weight < own);
        QVERIFY(!has(InsidePart::Raised));
        QVERIFY(!has(InsidePart::LayerOutput));
        QTest::mouseDClick(slider, Qt::LeftButton);
        QVERIFY(shows({4, 1}));
        QCOMPARE(slider->value(), 0);
        QCOMPARE(page()->shownReading()->steps.keys[2].weight, own);
        QVERIFY(has(InsidePart::Raised));
        slider->setValue(-50);
        QTest::mouseClick(window_->find<QToolButton>("insideOwnTemperature"), Qt::LeftButton);
        QCOMPARE(slider->value(), 0);
        QVERIFY(shows({4, 1}));
    }

    void allHeadsAreConcatenated() {
        const auto shown = [&] {
            std::size_t count = 0;
            for (const InsideLine& line : picture()->scene().lines)
                count += static_cast<std::size_t>(
                    std::ranges::count(line.runs, InsidePart::HeadZ, &InsideRun::part));
            return count;
        };
        QCOMPARE(shown(), 1u);
        window_->find<QCheckBox>("insideAllHeads")->setChecked(true);
        QCOMPARE(shown(), 8u);
        const HeadSteps& steps = page()->shownReading()->steps;
        for (std::size_t i = 0; i < steps.z.size(); ++i)
            QVERIFY(std::abs(insideValue(steps, InsidePart::HeadZ, 1, i) - steps.z[i]) < kNear);
    }

    /// A click on a key is what a click in the pattern is to Why.
    void aClickedKeyIsThatOfWhy() {
        const QRectF area = picture()->areaOf({InsidePart::Dot, 5, 0, 1});
        QVERIFY(!area.isEmpty());
        QTest::mouseClick(picture(), Qt::LeftButton, {}, area.center().toPoint());
        QCOMPARE(picture()->chosenKey(), std::optional<std::size_t>(5));
        window_->find<QAction>("actionWhy")->trigger();
        auto* why = (*window_)->findChild<WhyPage*>();
        QTRY_VERIFY_WITH_TIMEOUT(why->shownReading(), kPatience);
        QCOMPARE(why->shownReading()->parts.question.key, 5u);
    }

    void keysMoveOverTheNumbers() {
        QTest::mouseMove(picture(), QPoint(1, 1));
        picture()->setFocus();
        for (int i = 0; i < 100; ++i) {
            QTest::keyClick(picture(), Qt::Key_Up);
            QTest::keyClick(picture(), Qt::Key_Left);
        }
        QCOMPARE(picture()->lit()->part, InsidePart::Stream);
        const InsideCell first = *picture()->lit();
        QTest::keyClick(picture(), Qt::Key_Right);
        QCOMPARE(picture()->lit()->part, first.part);
        QCOMPARE(picture()->lit()->index, first.index + first.count);
        QTest::keyClick(picture(), Qt::Key_Down);
        QCOMPARE(picture()->lit()->part, InsidePart::Read);
        QCOMPARE(readout(), picture()->accessibleDescription());
        QVERIFY(readout().contains(QStringLiteral("norm(x)")));
        QCOMPARE(document().selection().head(), (LayerHead{4, 1}));
        for (int i = 0; i < 100; ++i)
            QTest::keyClick(picture(), Qt::Key_Down);
        QVERIFY(picture()->lit()->part == InsidePart::Raised ||
                picture()->lit()->part == InsidePart::Lowered);
        const QRect seen = picture()->visibleRegion().boundingRect();
        QVERIFY(seen.intersects(picture()->areaOf(*picture()->lit()).toAlignedRect()));
    }

    /// Of many keys the strongest are drawn, and the others on request.
    void aLongPromptShowsItsStrongestKeys() {
        document().setPromptText(QStringLiteral("a b c d e f g h i j ").repeated(10));
        QVERIFY(window_->hasRun());
        QVERIFY(shows({4, 1}));
        const auto lines = [&](InsideLineKind kind) {
            return std::ranges::count(picture()->scene().lines, kind, &InsideLine::kind);
        };
        const auto keys = static_cast<qsizetype>(page()->shownReading()->steps.keys.size());
        QVERIFY(keys > 80);
        QCOMPARE(lines(InsideLineKind::Key), 40);
        const auto more =
            std::ranges::find(picture()->scene().lines, InsideLineKind::More, &InsideLine::kind);
        QVERIFY(more->note.startsWith(QString::number(keys - 40)));
        QTest::mouseClick(picture(), Qt::LeftButton, {}, more->area.center().toPoint());
        QCOMPARE(lines(InsideLineKind::Key), keys);
    }

    void anErrorIsASentence() {
        InsideQuestion question{document().shown().result, {99, 0}, 0, 1.0};
        const auto reading = readInside(question, nullptr, {});
        QVERIFY(!reading);
        QVERIFY(reading.error().message.ends_with("."));
        question.head = {4, 1};
        question.temperature = 0.0;
        QVERIFY(!readInside(question, page()->shownReading(), {}));
    }

    void savesItsPicture() {
        const QString path = window_.settings().path(QStringLiteral("inside.svg"));
        QVERIFY(bool((*window_)->patternView().saveFigure(path)));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray svg = file.readAll();
        QVERIFY(svg.contains("Weighted sum"));
        QVERIFY(svg.contains("Inside L4 H1 at 14"));
        QVERIFY(bool((*window_)->patternView().copyFigure()));
    }

    /// A row for each key, with the steps in sight.
    void exportsItsNumbers() {
        const OpenedDialog<ExportDialog> dialog(*window_, "actionExport", "exportDialog");
        auto* choice = dialog.find<QComboBox>("exportWhat");
        const int place = choice->findData(static_cast<int>(ExportWhat::InsideSteps));
        QVERIFY(place >= 0);
        choice->setCurrentIndex(place);
        const QString path = window_.settings().path(QStringLiteral("inside.csv"));
        dialog.find<QLineEdit>("exportPath")->setText(path);
        QTest::mouseClick(dialog.find<QPushButton>("exportWrite"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!window_->find<ExportDialog>("exportDialog"), kPatience);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto keys = static_cast<qsizetype>(page()->shownReading()->steps.keys.size());
        QCOMPARE(file.readAll().count('\n'), keys + 1);
    }

    void copiesTheCommandThatRepeatsIt() {
        window_->find<QSlider>("insideTemperature")->setValue(15);
        QVERIFY(shows({4, 1}));
        window_->find<QAction>("actionCopyCommand")->trigger();
        const QString copied = QGuiApplication::clipboard()->text();
        for (const char* part :
             {"headscope-cli inside", "--head 4.1", "--query 14", "--temperature 1.99"})
            QVERIFY2(copied.contains(QLatin1String(part)), qPrintable(copied));
    }

    void theReadoutKeepsItsRoom() {
        auto* label = window_->find<QLabel>("insideReadout");
        const QRect before = label->geometry();
        QVERIFY(point({InsidePart::HeadOutput, 0, 0, 1}));
        QCoreApplication::processEvents();
        QCOMPARE(label->geometry(), before);
    }

private:
    /// Whether what is drawn agrees with a run that captures the hooks themselves.
    bool isAsTheHooksHaveIt(const InsideReading& reading) {
        const HeadSteps& steps = reading.steps;
        const auto [head, query, temperature] = steps.question;
        const Run& run = *reading.result->masked;
        const PositionRange keys = steps.dimensions.positions;
        const Tensor row = run.pattern(head, {query, query + 1}, keys);
        for (std::size_t i = 0; i < steps.keys.size(); ++i)
            if (std::abs(insideValue(steps, InsidePart::Weight, i, 0) -
                         static_cast<double>(row(0u, i))) > kNear)
                return false;
        return true;
    }

    bool shows(LayerHead head) {
        return QTest::qWaitFor(
            [&] {
                const auto reading = page()->shownReading();
                return reading && reading->steps.question.head == head &&
                       reading->result == document().shown().result;
            },
            kPatience);
    }
    bool has(InsidePart part) {
        return std::ranges::any_of(picture()->scene().lines, [&](const InsideLine& line) {
            return std::ranges::find(line.runs, part, &InsideRun::part) != line.runs.end();
        });
    }
    bool isCaptioned(const QString& text) {
        return std::ranges::any_of(picture()->scene().captions, [&](const InsideCaption& caption) {
            return caption.text.contains(text);
        });
    }
    /// The picture may be laid out anew meanwhile, as when the bars beside it come.
    bool point(const InsideCell& cell) {
        return QTest::qWaitFor(
            [&] {
                QCoreApplication::processEvents();
                const QPoint place = picture()->areaOf(cell).center().toPoint();
                window_->find<QScrollArea>("insideArea")->ensureVisible(place.x(), place.y());
                QTest::mouseMove(picture(), QPoint(1, 1));
                QTest::mouseMove(picture(), place);
                const auto lit = picture()->lit();
                return lit && lit->part == cell.part && lit->row == cell.row &&
                       lit->index == cell.index;
            },
            kPatience);
    }
    Document& document() { return window_->document(); }
    InsidePage* page() { return (*window_)->findChild<InsidePage*>(); }
    InsidePicture* picture() { return window_->find<InsidePicture>("insidePicture"); }
    QString readout() { return window_->find<QLabel>("insideReadout")->text(); }
    QString sentence() { return window_->find<QLabel>("insideSentence")->text(); }

    SharedWindow window_;
};

const headscope::test::TestRegistration<TestInside> registration;

} // namespace test_inside

#include "test_inside.moc"
