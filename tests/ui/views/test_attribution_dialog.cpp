#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/document/attribution_reading.h"
#include "ui/tables/number_table.h"
#include "ui/views/attribution/attribution_dialog.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>

namespace test_attribution_dialog {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

struct OpenReadout : OpenedDialog<AttributionDialog> {
    explicit OpenReadout(WindowUnderTest& window)
        : OpenedDialog(window, "actionAttribution", "attributionDialog") {}

    QString sum() const { return find<QLabel>("attributionSum")->text(); }
    QTableView* parts() const {
        return find<QWidget>("attributionParts")->findChild<QTableView*>();
    }
    QTableView* lens() const { return find<QTableView>("lensTable"); }

    bool says(const QString& text) const {
        return QTest::qWaitFor([&] { return sum().contains(text); }, kPatience);
    }
    bool hasParts() const {
        return QTest::qWaitFor([&] { return parts()->model()->rowCount() > 0; }, kPatience);
    }
    bool hasLens() const {
        find<QTabWidget>("attributionTabs")->setCurrentIndex(1);
        return QTest::qWaitFor([&] { return lens()->model()->rowCount() > 0; }, kPatience);
    }

    /// Types into an editable box as a person would.
    void type(const char* box, const QString& text) const {
        QLineEdit* line = find<QComboBox>(box)->lineEdit();
        line->selectAll();
        QTest::keyClicks(line, text);
        QTest::keyClick(line, Qt::Key_Return);
    }
};

void clickRow(QTableView* view, int row, int column = 0) {
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                      view->visualRect(view->model()->index(row, column)).center());
}

/// The row of the table whose first cell is this text, or −1.
int rowOf(const QTableView* view, const QString& name) {
    for (int row = 0; row < view->model()->rowCount(); ++row)
        if (view->model()->index(row, 0).data().toString() == name)
            return row;
    return -1;
}

StartOptions story() {
    StartOptions options;
    options.model = samplePath(QStringLiteral("gpt2-mini-6l"));
    options.text = QStringLiteral("When Mary and John went to the store, John gave a drink to");
    return options;
}

} // namespace

class TestAttributionDialog : public QObject {
    Q_OBJECT

private slots:
    void thePredictionIsTakenApart() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        const OpenReadout dialog(window);
        QVERIFY(dialog.hasParts());
        const RunResult& run = *window.document().promptRunner().result();
        const QString best = tokenText(*run.full->model, run.predictions.front().id);
        QVERIFY2(dialog.sum().startsWith(QStringLiteral("Logit of %1 at ").arg(best)),
                 qPrintable(dialog.sum()));
        // 6 layers of 8 heads, an MLP and biases; embedding, positions, output bias.
        const auto* parts = dialog.parts()->model();
        QCOMPARE(parts->rowCount(), 6 * 10 + 3);
        dialog.parts()->sortByColumn(1, Qt::AscendingOrder);
        const auto value = [&](int row) {
            return parts->index(row, 1).data(NumberTable::kSortRole).toDouble();
        };
        for (int row = 1; row < parts->rowCount(); ++row)
            QVERIFY(value(row - 1) <= value(row));
    }

    void aHeadIsSelectedByItsPart() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        const OpenReadout dialog(window);
        QVERIFY(dialog.hasParts());
        window.document().selection().select({0, 0});
        const int row = rowOf(dialog.parts(), QStringLiteral("head L4 H1"));
        QVERIFY(row >= 0);
        dialog.parts()->scrollTo(dialog.parts()->model()->index(row, 0));
        clickRow(dialog.parts(), row);
        QCOMPARE(window.document().selection().head(), (LayerHead{4, 1}));
    }

    void anyTokenCanBeTypedAndCompared() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        const OpenReadout dialog(window);
        QVERIFY(dialog.hasParts());
        dialog.type("attributionToken", QStringLiteral(" John"));
        QVERIFY(dialog.says(QStringLiteral("Logit of ·John at")));
        dialog.type("attributionAgainst", QStringLiteral(" Mary"));
        QVERIFY(dialog.says(QStringLiteral("Logit of ·John minus that of ·Mary at")));
        QVERIFY(!dialog.find<QLabel>("attributionRefusal")->isVisible());
        dialog.type("attributionToken", QStringLiteral("two words"));
        QVERIFY(dialog.find<QLabel>("attributionRefusal")->isVisible());
        QVERIFY(dialog.find<QLabel>("attributionRefusal")
                    ->text()
                    .contains(QStringLiteral("not one; mind the space")));
    }

    void itFollowsPositionPromptAndMask() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        const OpenReadout dialog(window);
        QVERIFY(dialog.hasParts());
        auto* position = dialog.find<QComboBox>("attributionPosition");
        QCOMPARE(position->count(),
                 static_cast<int>(window.document().promptRunner().result()->prompt.ids.size()));
        QCOMPARE(position->currentIndex(), position->count() - 1);
        const QString before = dialog.sum();
        window.document().ablation().toggleHead({4, 1});
        QTRY_VERIFY_WITH_TIMEOUT(dialog.sum() != before, kPatience);
        const int row = rowOf(dialog.parts(), QStringLiteral("head L4 H1"));
        QCOMPARE(dialog.parts()->model()->index(row, 1).data().toString(),
                 QStringLiteral("0.0000"));
        position->setFocus();
        QTest::keyClick(position, Qt::Key_Up);
        QVERIFY(dialog.says(QStringLiteral(" at %1 ").arg(position->count() - 2)));
        window.document().setPromptText(QStringLiteral("One day a girl"));
        QVERIFY(dialog.says(QStringLiteral("girl:")));
    }

    void theLensShowsEveryDepth() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        const OpenReadout dialog(window);
        QVERIFY(dialog.hasLens());
        const RunResult& run = *window.document().promptRunner().result();
        const auto* table = dialog.lens()->model();
        const int last = static_cast<int>(run.prompt.ids.size()) - 1;
        QCOMPARE(table->rowCount(), last + 1);
        QCOMPARE(table->columnCount(), 7);
        const QString best = tokenText(*run.full->model, run.predictions.front().id);
        QCOMPARE(table->index(last, 6).data().toString(), best);
        QVERIFY(table->index(last, 6)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("entropy")));
        QVERIFY(dialog.find<QLabel>("lensFollowedName")->text().contains(best));
        const auto* followed = dialog.find<QTableView>("lensFollowed")->model();
        QCOMPARE(followed->index(1, 6).data().toString(), QStringLiteral("rank 1"));
    }

    void aClickInTheLensChoosesThePosition() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        const OpenReadout dialog(window);
        QVERIFY(dialog.hasLens());
        clickRow(dialog.lens(), 3, 2);
        QCOMPARE(dialog.find<QComboBox>("attributionPosition")->currentIndex(), 3);
        QTRY_VERIFY_WITH_TIMEOUT(
            dialog.find<QLabel>("lensFollowedName")->text().contains(QStringLiteral(" at 3 ")),
            kPatience);
        QVERIFY(dialog.says(QStringLiteral(" at 3 ")));
    }

    void whatCannotBeTakenApartSaysWhy() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("bert-mini-4l")));
        const OpenReadout dialog(window);
        QVERIFY(dialog.says(QStringLiteral("masked-LM head")));
        QVERIFY(dialog.hasLens());
        QCOMPARE(dialog.lens()->model()->columnCount(), 5);
    }

    void withoutAVocabularyThereIsNothingToRead() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("notebook")));
        const OpenReadout dialog(window);
        QVERIFY(dialog.says(QStringLiteral("no unembedding")));
        dialog.find<QTabWidget>("attributionTabs")->setCurrentIndex(1);
        QVERIFY(
            dialog.find<QLabel>("lensMessage")->text().contains(QStringLiteral("no unembedding")));
    }

    void anotherModelMayBeOpened() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(story()));
        const OpenReadout dialog(window);
        QVERIFY(dialog.hasLens());
        dialog.type("attributionToken", QStringLiteral(" John"));
        window->openPath(samplePath(QStringLiteral("attn-only-2l")));
        QTRY_COMPARE_WITH_TIMEOUT(dialog.lens()->model()->columnCount(), 3, kPatience);
        QVERIFY(!dialog.sum().contains(QStringLiteral("John at")));
    }
};

const headscope::test::TestRegistration<TestAttributionDialog> registration;

} // namespace test_attribution_dialog

#include "test_attribution_dialog.moc"
