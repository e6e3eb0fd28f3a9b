#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/document/similarity_reading.h"
#include "ui/tables/head_text.h"
#include "ui/views/similarity/similarity_dialog.h"
#include "ui/widgets/heatmap.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QTableView>

namespace test_similarity_dialog {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

struct OpenAlike : OpenedDialog<SimilarityDialog> {
    explicit OpenAlike(WindowUnderTest& window)
        : OpenedDialog(window, "actionSimilarity", "similarityDialog") {}

    QTableView* pairs() const { return find<QWidget>("similarityPairs")->findChild<QTableView*>(); }
    Heatmap* matrix() const { return find<Heatmap>("similarityMatrix"); }
    QString title() const { return matrix()->content().title; }

    bool isCompared(const QString& on) const {
        return QTest::qWaitFor([&] { return title().contains(on); }, kPatience);
    }
};

} // namespace

class TestSimilarityDialog : public QObject {
    Q_OBJECT

private slots:
    void headsAreComparedOnRepeats() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenAlike dialog(window);
        QVERIFY(dialog.isCompared(QStringLiteral("random sequences")));
        const HeadSimilarity similarity = *compareHeads(window.document().model());
        const auto pairs = similarPairs(similarity, 0.1);
        QCOMPARE(dialog.pairs()->model()->rowCount(), static_cast<int>(pairs.size()));
        QVERIFY(!pairs.empty());
        QCOMPARE(dialog.pairs()->model()->index(0, 0).data().toString(), headName(pairs.front().a));
        QCOMPARE(dialog.matrix()->content().row_labels.front(),
                 headName(similarity.head(similarity.order.front())));
        QCOMPARE(dialog.find<QLabel>("similarityClusters")->text(), clusterText(similarity, 0.1));
        dialog.find<QDoubleSpinBox>("similarityBelow")->setValue(0.0);
        QCOMPARE(dialog.pairs()->model()->rowCount(), 0);
        QVERIFY(dialog.find<QLabel>("similarityClusters")
                    ->text()
                    .startsWith(QStringLiteral("No heads are closer")));
    }

    void rowsAndPairsSelectHeads() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenAlike dialog(window);
        QVERIFY(dialog.isCompared(QStringLiteral("random sequences")));
        dialog.find<QDoubleSpinBox>("similarityBelow")->setValue(0.7);
        QTableView* pairs = dialog.pairs();
        QTest::mouseClick(pairs->viewport(), Qt::LeftButton, {},
                          pairs->visualRect(pairs->model()->index(2, 0)).center());
        QCOMPARE(headName(window.document().selection().head()),
                 pairs->model()->index(2, 1).data().toString());
        Heatmap* matrix = dialog.matrix();
        const std::size_t row = matrix->content().cells->rows() - 1;
        QTest::mouseClick(matrix->childAt(matrix->rect().center()), Qt::LeftButton, {},
                          matrix->cellCentre(row, 0));
        QCOMPARE(headName(window.document().selection().head()),
                 matrix->content().row_labels.back());
    }

    void itFollowsThePromptAndTheModel() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("bert-mini-4l")));
        const OpenAlike dialog(window);
        QTest::keyClicks(dialog.find<QComboBox>("similarityInput"), QStringLiteral("This"));
        QVERIFY(dialog.isCompared(QStringLiteral("the prompt")));
        const auto before = dialog.matrix()->content().cells;
        window.document().setPromptText(QStringLiteral("the dog ran home"));
        QTRY_VERIFY_WITH_TIMEOUT(dialog.matrix()->content().cells &&
                                     dialog.matrix()->content().cells != before,
                                 kPatience);
        window->openPath(samplePath(QStringLiteral("llama-mini-gqa-4l")));
        QVERIFY(window.settled());
        QVERIFY(dialog.isCompared(QStringLiteral("the prompt")));
        QCOMPARE(dialog.matrix()->content().row_labels.size(), 32);
    }

    void oneTokenTellsNothing() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        window.document().setBosMode(BosMode::No);
        window.document().setPromptText(QStringLiteral("a"));
        QTRY_COMPARE_WITH_TIMEOUT(window.document().promptRunner().result()->prompt.ids.size(),
                                  std::size_t{1}, kPatience);
        const OpenAlike dialog(window);
        QTest::keyClicks(dialog.find<QComboBox>("similarityInput"), QStringLiteral("This"));
        QTRY_VERIFY_WITH_TIMEOUT(
            dialog.matrix()->accessibleDescription().contains(QStringLiteral("one token")),
            kPatience);
        QCOMPARE(dialog.pairs()->model()->rowCount(), 0);
    }
};

const headscope::test::TestRegistration<TestSimilarityDialog> registration;

} // namespace test_similarity_dialog

#include "test_similarity_dialog.moc"
