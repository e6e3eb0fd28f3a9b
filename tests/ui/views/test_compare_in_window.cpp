#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/ablation/ablation_text.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/maps/pattern_content.h"
#include "ui/views/prompt/prompt_bar.h"
#include "ui/widgets/colour_legend.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/token_lines.h"
#include "ui/widgets/token_strip.h"
#include "ui/widgets/token_text.h"

#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QToolButton>

#include <cmath>

namespace test_compare_in_window {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

const QString kOther = QStringLiteral("When Anna and John went to the store, John gave a drink to");

} // namespace

class TestCompareInWindow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l"))); }
    void init() {
        window_->document().ablation().clearMask();
        window_->document().selection().select({4, 1});
        window_->find<QAction>("actionOneHead")->trigger();
    }
    void cleanup() { window_->document().comparison().turnOff(); }
    void cleanupTestCase() { window_.close(); }

    void aSecondPromptLineOpens() {
        QVERIFY(!bar()->isVisible());
        QVERIFY(!window_->find<QToolButton>("sideB")->isVisible());
        QTest::keyClick(&**window_, Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(bar()->isVisible());
        QVERIFY(edit()->hasFocus());
        QCOMPARE(edit()->text(), window_->document().promptText());
        QVERIFY(window_->find<QToolButton>("sideDifference")->isChecked());
        QTRY_VERIFY_WITH_TIMEOUT(
            window_->find<QLabel>("staleLabel")->text().startsWith(QStringLiteral("A and B are")),
            kPatience);
        QTest::mouseClick(window_->find<QToolButton>("compareClose"), Qt::LeftButton);
        QVERIFY(!bar()->isVisible());
        QVERIFY(!window_->find<QToolButton>("sideB")->isVisible());
    }

    void differingTokensAreFramedOnBothSides() {
        QVERIFY(compareTyped());
        auto* a = window_->find<TokenStrip>("tokenStrip");
        auto* b = window_->find<TokenStrip>("compareStrip");
        for (qsizetype i = 0; i < a->chips().size(); ++i) {
            QCOMPARE(a->chips().at(i).differs, i == 2);
            QCOMPARE(b->chips().at(i).differs, i == 2);
        }
        QVERIFY(b->chips().at(2).tooltip.contains(QStringLiteral("compared with ‹·Mary› 2")));
        const QString outcome = window_->find<QLabel>("compareOutcome")->text();
        QVERIFY2(outcome.contains(QStringLiteral("·Anna")), qPrintable(outcome));
        window_->document().comparison().turnOff();
        QTRY_VERIFY(!a->chips().at(2).differs);
    }

    void theHeatmapShowsTheSides() {
        QVERIFY(compareTyped());
        const Tensor of_a = patternOf(window_->document().promptRunner());
        const Tensor of_b = patternOf(window_->document().comparison().runner());
        auto* heatmap = window_->find<Heatmap>("heatmap");
        QVERIFY(drawn());
        QVERIFY(title().startsWith(QStringLiteral("B − A · L4 H1")));
        const Tensor shown = heatmap->content().cells->exact({0, 15}, {0, 15});
        float largest = 0.0f;
        for (std::size_t q = 0; q < 15; ++q)
            for (std::size_t k = 0; k < 15; ++k) {
                QCOMPARE(std::isnan(shown(q, k)), k > q);
                if (k <= q)
                    QVERIFY(std::fabs(shown(q, k) - (of_b(q, k) - of_a(q, k))) < 1e-6f);
                if (k <= q)
                    largest = std::fmax(largest, std::fabs(shown(q, k)));
            }
        QVERIFY(largest > 0.1f);
        QCOMPARE(heatmap->colourMap(), ColourMap::Diverging);
        QCOMPARE(heatmap->content().value_name, QStringLiteral("attention, B − A"));
        QVERIFY(heatmap->content().note.contains(QStringLiteral("B “When Anna and John")));
        QVERIFY(heatmap->content().column_labels.contains(QStringLiteral("·Mary → ·Anna")));

        QTest::keyClick(&**window_, Qt::Key_B, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(title().startsWith(QStringLiteral("A · L4 H1")), kPatience);
        QTest::mouseClick(window_->find<QToolButton>("sideB"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(title().startsWith(QStringLiteral("B · L4 H1")), kPatience);
        QVERIFY(heatmap->content().column_labels.contains(QStringLiteral("·Anna")));
    }

    void lossAndWhyAreOfTheSideShown() {
        auto* loss = window_->find<QLabel>("lossLabel");
        QVERIFY(loss->text().startsWith(QStringLiteral("Loss ")));
        QVERIFY(compareTyped());
        QVERIFY(drawn());
        const Document& document = window_->document();
        const QString of_a = lossText(*document.promptRunner().result());
        const QString of_b = lossText(*document.comparison().runner().result());
        QVERIFY(of_a != of_b);
        QCOMPARE(loss->text(), QStringLiteral("A: ") + of_a); // of the difference
        QTest::mouseClick(window_->find<QToolButton>("sideB"), Qt::LeftButton);
        QCOMPARE(loss->text(), QStringLiteral("B: ") + of_b);
        auto* notice = window_->find<QLabel>("staleLabel");
        window_->find<QAction>("actionWhy")->trigger();
        QCOMPARE(notice->text(), QString());
        QTest::mouseClick(window_->find<QToolButton>("sideDifference"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(
            notice->text().startsWith(QStringLiteral("This page explains A, and not")), kPatience);
        window_->document().comparison().turnOff();
        QTRY_COMPARE_WITH_TIMEOUT(notice->text(), QString(), kPatience);
        QCOMPARE(loss->text(), of_a);
    }

    void aCellSaysBothNumbers() {
        QVERIFY(compareTyped());
        QVERIFY(drawn());
        auto* heatmap = window_->find<Heatmap>("heatmap");
        emit heatmap->cellHovered(14, 2);
        const QString text = window_->find<QLabel>("cellLabel")->text();
        const auto number = [](const Tensor& pattern) {
            return QString::number(static_cast<double>(pattern(14, 2)), 'f', 3);
        };
        QVERIFY2(
            text.contains(QStringLiteral("A %1 · B %2")
                              .arg(number(patternOf(window_->document().promptRunner())),
                                   number(patternOf(window_->document().comparison().runner())))),
            qPrintable(text));
    }

    void aTokenWithoutCounterpartSaysSo() {
        QVERIFY(compareTyped(QStringLiteral("When John went to the store, John gave a drink to")));
        QVERIFY(drawn());
        auto* heatmap = window_->find<Heatmap>("heatmap");
        emit heatmap->cellHovered(14, 2);
        const QString text = window_->find<QLabel>("cellLabel")->text();
        QVERIFY2(text.contains(QStringLiteral("no token of B stands for ‹·Mary› 2")),
                 qPrintable(text));
    }

    void theLockedRowStaysWithItsTokenInLongerPrompts() {
        QVERIFY(compareTyped(
            QStringLiteral("When Mary and her John went to the store, John gave a drink to")));
        Document& document = window_->document();
        document.showSide(Side::A);
        QTRY_VERIFY_WITH_TIMEOUT(title().startsWith(QStringLiteral("A · ")), kPatience);
        document.selection().lockRow(14);
        auto* heatmap = window_->find<Heatmap>("heatmap");
        for (const Side side : {Side::B, Side::Difference, Side::B, Side::A}) {
            document.showSide(side);
            QTRY_VERIFY_WITH_TIMEOUT(title().startsWith(sideName(side) + QStringLiteral(" · ")),
                                     kPatience);
            const std::size_t row = side == Side::B ? 15 : 14;
            QCOMPARE(document.selection().lockedRow(), std::optional(row));
            QCOMPARE(heatmap->lockedRow(), std::optional(row));
        }
    }

    void ctrlClickAlignsByHand() {
        QVERIFY(compareTyped(
            QStringLiteral("When Mary and her John went to the store, John gave a drink to")));
        auto* a = window_->find<TokenStrip>("tokenStrip");
        auto* b = window_->find<TokenStrip>("compareStrip");
        auto* align = window_->find<QPushButton>("compareAlign");
        QVERIFY(!align->isVisible());
        QTest::mouseClick(a, Qt::LeftButton, {}, a->chipRect(3).center());
        QTRY_COMPARE(b->current().value_or(-1), 3);
        QTest::mouseClick(b, Qt::LeftButton, Qt::ControlModifier, b->chipRect(4).center());
        QTRY_COMPARE_WITH_TIMEOUT(b->current().value_or(-1), 4, kPatience);
        QVERIFY(align->isVisible());
        QTest::mouseClick(align, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(b->current().value_or(-1), 3, kPatience);
        QVERIFY(!align->isVisible());
        QTest::mouseClick(b, Qt::LeftButton, {}, b->chipRect(5).center());
        QTRY_COMPARE(a->current().value_or(-1), 4);
        window_->document().selection().lockRow(std::nullopt);
    }

    void theWholeModelIsBToTheAblatedOne() {
        auto* whole = window_->find<QAction>("actionCompareWhole");
        QVERIFY(!whole->isEnabled());
        window_->document().ablation().toggleHead({3, 5});
        QTRY_VERIFY_WITH_TIMEOUT(whole->isEnabled(), kPatience);
        whole->trigger();
        const PatternSource& source = window_->document().shown();
        QTRY_VERIFY_WITH_TIMEOUT(source.other && source.result->mask.text() == "3.5", kPatience);
        QVERIFY(source.other->mask.empty());
        QVERIFY(edit()->text().isEmpty());
    }

    void theDifferenceExportsAsItsNumbers() {
        QVERIFY(compareTyped());
        const Tensor of_a = exported(Side::A, QStringLiteral("a.h5"), "hook_pattern");
        const Tensor of_b = exported(Side::B, QStringLiteral("b.h5"), "hook_pattern");
        const Tensor difference =
            exported(Side::Difference, QStringLiteral("difference.h5"), "pattern_b_minus_a");
        QCOMPARE(difference.shape(), of_a.shape());
        for (std::size_t q = 0; q < of_a.dim(0); ++q)
            for (std::size_t k = 0; k <= q; ++k)
                QVERIFY(std::fabs(difference(q, k) - (of_b(q, k) - of_a(q, k))) < 1e-6f);
        QCOMPARE(difference(1, 5), 0.0f); // ahead of the query
    }

    void whatIsInOnePromptAloneExportsAsNaN() {
        QVERIFY(compareTyped(QStringLiteral("When John went to the store, John gave a drink to")));
        const Tensor difference =
            exported(Side::Difference, QStringLiteral("gap.h5"), "pattern_b_minus_a");
        QCOMPARE(difference.dim(0), std::size_t{15});
        QVERIFY(std::isnan(difference(14, 2)) && std::isnan(difference(2, 0)));
        QVERIFY(!std::isnan(difference(14, 4)));
    }

    void aPromptOfBThatNeverRanHurtsNothing() {
        window_->find<QAction>("actionCompare")->trigger();
        edit()->selectAll();
        edit()->insert(QStringLiteral("and ").repeated(600));
        emit edit()->textEdited(edit()->text());
        window_->document().showSide(Side::B);
        const PromptRunner& runner = window_->document().comparison().runner();
        QTRY_VERIFY_WITH_TIMEOUT(!runner.error().isEmpty(), kPatience);
        const QString outcome = window_->find<QLabel>("compareOutcome")->text();
        QVERIFY2(outcome.contains(QStringLiteral("256")), qPrintable(outcome)); // the context
        for (const char* const page : {"actionAllHeads", "actionText", "actionOneHead"})
            window_->find<QAction>(page)->trigger();
        window_->find<QAction>("actionExport")->trigger();
        auto* dialog = window_->find<ExportDialog>("exportDialog");
        const QString path = dialog->findChild<QLineEdit*>(QStringLiteral("exportPath"))->text();
        QVERIFY2(path.contains(QStringLiteral("L04H01_pattern")), qPrintable(path));
        dialog->reject();
        window_->find<QAction>("actionPatch")->trigger();
        auto* patch = window_->find<QDialog>("patchDialog");
        window_->document().selection().select({3, 3}); // while there is nothing to patch
        delete patch;
    }

    /// Until its alignment with A is there, the chips of B are those of the run before.
    void aRunThatIsNotAlignedYetIsNotReadByTheChipsOfAnother() {
        for (const QString& before : {QStringLiteral("and and and and"), QString()}) {
            if (!before.isEmpty())
                QVERIFY(compareTyped(before));
            auto* chips = window_->find<TokenStrip>("compareStrip");
            Document& document = window_->document();
            bool tried = false;
            const auto clickAnywhere = [&] {
                if (tried ||
                    document.comparison().runner().result()->prompt.text != kOther.toStdString())
                    return;
                tried = true;
                edit()->setFocus();
                for (const int place : {0, static_cast<int>(kOther.size())})
                    edit()->setCursorPosition(place);
                document.selection().lockRow(0);
                for (qsizetype chip = 0; chip < chips->chips().size(); ++chip) {
                    emit chips->chipClicked(chip);
                    emit chips->chipPicked(chip);
                }
                QCOMPARE(document.selection().lockedRow(), std::optional<std::size_t>(0));
            };
            (**window_).activateWindow();
            QVERIFY(QTest::qWaitForWindowActive(&**window_));
            const auto connection = connect(&window_->document().comparison().runner(),
                                            &PromptRunner::resultChanged, this, clickAnywhere);
            QVERIFY(compareTyped());
            disconnect(connection);
            QVERIFY(tried);
            QVERIFY(!document.comparison().isAlignedByHand());
            document.comparison().turnOff();
        }
    }

    void anotherModelIsComparedOnEveryPage() {
        QVERIFY(compareTyped());
        window_->find<QAction>("actionAllHeads")->trigger();
        for (const char* const model : {"attn-only-2l", "bert-mini-4l", "gpt2-mini-6l"}) {
            window_->document().open(samplePath(QString::fromLatin1(model)));
            QTRY_COMPARE_WITH_TIMEOUT(window_->document().model()->name, std::string(model),
                                      kPatience);
            QTRY_VERIFY_WITH_TIMEOUT(window_->document().promptRunner().result() &&
                                         window_->settled() && compared(),
                                     kPatience);
        }
    }

    void keysWithoutUseInTheFieldOfBAreTheWindows() {
        QVERIFY(compareTyped());
        (**window_).activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&**window_));
        edit()->setFocus();
        QTest::keyClick(edit(), Qt::Key_E, Qt::ControlModifier);
        auto* dialog = window_->find<ExportDialog>("exportDialog");
        QVERIFY(dialog);
        dialog->reject();
    }

    void everyPageFollows() {
        QVERIFY(compareTyped());
        auto* legend = window_->find<ColourLegend>("allHeadsLegend");
        window_->find<QAction>("actionAllHeads")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(legend->colours().map, ColourMap::Diverging, kPatience);
        QTest::mouseClick(window_->find<QToolButton>("sideB"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(legend->colours().map, ColourMap::Viridis, kPatience);

        window_->find<QAction>("actionText")->trigger();
        auto* text = window_->find<TokenText>("tokenText");
        QTRY_VERIFY_WITH_TIMEOUT(text->content().labels.contains(QStringLiteral("·Anna")),
                                 kPatience);
        window_->find<QAction>("actionLines")->trigger();
        auto* lines = window_->find<TokenLines>("tokenLines");
        QTest::mouseClick(window_->find<QToolButton>("sideDifference"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(lines->content().labels.contains(QStringLiteral("·Mary → ·Anna")),
                                 kPatience);
        QCOMPARE(lines->content().heads.first().scale.map, ColourMap::Diverging);
        QTest::mouseClick(window_->find<QToolButton>("sideA"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(lines->content().labels.contains(QStringLiteral("·Mary")),
                                 kPatience);
        QCOMPARE(lines->content().heads.first().scale.map, ColourMap::Viridis);
    }

private:
    QWidget* bar() { return window_->find<QWidget>("compareBar"); }
    QLineEdit* edit() { return window_->find<QLineEdit>("comparePrompt"); }
    QString title() { return window_->find<Heatmap>("heatmap")->content().title; }

    static Tensor patternOf(const PromptRunner& runner) {
        return runner.result()->masked->pattern({4, 1});
    }

    bool compared() {
        return QTest::qWaitFor(
            [this] {
                const Document& document = window_->document();
                const PatternSource& source = document.comparison().compared();
                return source.other && source.other == document.comparison().runner().result() &&
                       source.result == document.promptRunner().result();
            },
            kPatience);
    }

    /// Whether the heatmap shows B − A of the two prompts, and nothing earlier.
    bool drawn() {
        return QTest::qWaitFor(
            [this] {
                const QString b =
                    promptExcerpt(*window_->document().comparison().runner().result());
                return window_->find<Heatmap>("heatmap")->content().note.contains(
                    QStringLiteral("B “%1”").arg(b));
            },
            kPatience);
    }

    bool compareTyped(const QString& other = kOther) {
        if (!bar()->isVisible())
            window_->find<QAction>("actionCompare")->trigger();
        edit()->selectAll();
        QTest::keyClicks(edit(), other);
        return QTest::qWaitFor(
                   [&] {
                       const auto b = window_->document().comparison().runner().result();
                       return b && b->prompt.text == other.toStdString();
                   },
                   kPatience) &&
               compared();
    }

    Tensor exported(Side side, const QString& name, const std::string& array) {
        window_->document().showSide(side);
        const QString path = window_.settings().path(name);
        window_->find<QAction>("actionExport")->trigger();
        const QPointer<ExportDialog> dialog = window_->find<ExportDialog>("exportDialog");
        auto* what = dialog->findChild<QComboBox*>(QStringLiteral("exportWhat"));
        what->setCurrentIndex(what->findData(static_cast<int>(ExportWhat::Head)));
        auto* format = dialog->findChild<QComboBox*>(QStringLiteral("exportFormat"));
        format->setCurrentIndex(format->findData(QStringLiteral(".h5")));
        dialog->findChild<QLineEdit*>(QStringLiteral("exportPath"))->setText(path);
        QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("exportWrite")),
                          Qt::LeftButton);
        if (!QTest::qWaitFor([&] { return !dialog; }, kPatience))
            return {};
        const headscope::test::ReferenceFile file(path.toStdString());
        return file.floats("blocks/4/attn/" + array + "/1");
    }

    SharedWindow window_;
};

const headscope::test::TestRegistration<TestCompareInWindow> registration;

} // namespace test_compare_in_window

#include "test_compare_in_window.moc"
