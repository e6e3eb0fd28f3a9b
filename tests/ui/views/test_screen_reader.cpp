#include "tests/support/runner.h"
#include "tests/ui/views/first_key.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/widgets/accessible/painted.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/heatmap.h"

#include <QAccessible>
#include <QLabel>
#include <QToolButton>

namespace test_screen_reader {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

QAccessibleInterface* readerOf(QWidget* widget) {
    return QAccessible::queryAccessibleInterface(widget);
}

} // namespace

/// The window as a screen reader meets it.
class TestScreenReader : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l"))); }
    void cleanupTestCase() { window_.close(); }

    void headsAreCellsWithTheirTypes() {
        auto* grid = window_->find<HeadMosaic>("headGrid");
        const auto* table = readerOf(grid)->tableInterface();
        QVERIFY(table);
        QCOMPARE(table->rowCount(), 6);
        QCOMPARE(table->columnCount(), 8);
        QAccessibleInterface* head = table->cellAt(4, 1);
        const QString name = head->text(QAccessible::Name);
        QVERIFY2(name.startsWith(QStringLiteral("layer 4, head 1, induction 0.")),
                 qPrintable(name));
        QVERIFY(!name.contains(QStringLiteral("ablated")));
        window_->document().ablation().toggleHead({4, 1});
        QVERIFY2(head->text(QAccessible::Name).endsWith(QStringLiteral(", ablated")),
                 qPrintable(head->text(QAccessible::Name)));
        window_->document().ablation().toggleHead({4, 1});
        head->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(window_->document().selection().head(), (LayerHead{4, 1}));
        QVERIFY(head->state().selected);
    }

    void headsSayTheScoreThatColoursThem() {
        auto* grid = window_->find<HeadMosaic>("headGrid");
        auto* score = window_->find<QComboBox>("gridScore");
        chooseByKeys(score, QStringLiteral("previous token"));
        QCOMPARE(score->currentText(), QStringLiteral("previous token"));
        const QString name = readerOf(grid)->child(33)->text(QAccessible::Name);
        QVERIFY2(name.contains(QStringLiteral(", previous token 0.")), qPrintable(name));
        QVERIFY2(!name.contains(QStringLiteral("induction")), qPrintable(name));
        score->setCurrentIndex(0);
        emit score->activated(0);
    }

    void theListOfTokensNamesThem() {
        QAccessibleInterface* strip = readerOf(window_->find<QWidget>("tokenStrip"));
        QCOMPARE(strip->role(), QAccessible::List);
        QVERIFY(strip->childCount() > 3);
        const QString name = strip->child(2)->text(QAccessible::Name);
        QVERIFY2(name.endsWith(QStringLiteral(", position 2")), qPrintable(name));
    }

    void barsHaveValues() {
        QAccessibleInterface* bar = readerOf(window_->find<QWidget>("bar_induction"));
        QVERIFY(bar->valueInterface());
        QVERIFY(bar->text(QAccessible::Name).startsWith(QStringLiteral("Induction")));
        QVERIFY2(bar->text(QAccessible::Value).contains(QStringLiteral(", threshold 0.")),
                 qPrintable(bar->text(QAccessible::Value)));
    }

    void predictionsAreRead() {
        auto* outcome = window_->find<QLabel>("outcomeLabel");
        QVERIFY(outcome);
        const QString read = readerOf(outcome)->text(QAccessible::Name);
        QVERIFY2(read.contains(QLatin1Char('%')), qPrintable(read));
    }

    /// Of all that is in sight, in its window and in what it opens.
    void nothingIsReadWithTags() {
        window_->document().ablation().toggleHead({4, 1}); // shows the strip of effects
        QVERIFY(window_->settled());
        const QList<QWidget*> all = (**window_).findChildren<QWidget*>();
        QVERIFY(all.size() > 100);
        for (QWidget* widget : all) {
            for (const auto kind : {QAccessible::Name, QAccessible::Description}) {
                const QString read = readerOf(widget)->text(kind);
                QVERIFY2(!Qt::mightBeRichText(read),
                         qPrintable(widget->objectName() + QStringLiteral(": ") + read));
            }
        }
        window_->document().ablation().toggleHead({4, 1});
    }

    void closesWhileItIsRead() {
        setReaderStandIn([](QAccessibleEvent& event) { event.accessibleInterface(); });
        auto* grid = window_->find<HeadMosaic>("headGrid");
        auto* heatmap = window_->find<Heatmap>("heatmap");
        QVERIFY(QTest::qWaitFor([&] { return readerOf(heatmap)->childCount() > 0; }, kPatience));
        const QAccessible::Id head = QAccessible::uniqueId(readerOf(grid)->child(3));
        const QAccessible::Id cell = QAccessible::uniqueId(readerOf(heatmap)->child(3));
        window_.close();
        QVERIFY(!QAccessible::accessibleInterface(head));
        QVERIFY(!QAccessible::accessibleInterface(cell));
        setReaderStandIn(nullptr);
    }

private:
    SharedWindow window_;
};

const headscope::test::TestRegistration<TestScreenReader> registration;

} // namespace test_screen_reader

#include "test_screen_reader.moc"
