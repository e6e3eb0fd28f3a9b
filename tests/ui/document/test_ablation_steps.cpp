#include "tests/support/bare_model.h"
#include "tests/support/runner.h"
#include "ui/document/ablation.h"

#include <QTest>
#include <QUndoStack>

#include <memory>

namespace test_ablation_steps {

using namespace headscope;
using namespace headscope::ui;

class TestAblationSteps : public QObject {
    Q_OBJECT

private slots:
    /// Step i leaves head 0 ablated when i is odd.
    void theNewestStepsCanBeUndone() {
        Ablation ablation;
        ablation.setModel(std::make_shared<const Model>(test::bareModel({.n_heads = 2})));
        constexpr int kSteps = Ablation::kMostSteps + 75;
        ablation.toggleHead({0, 1});
        for (int step = 1; step <= kSteps; ++step)
            ablation.toggleHead({0, 0});
        QCOMPARE(ablation.undoStack()->count(), Ablation::kMostSteps);
        for (int undone = 1; undone <= Ablation::kMostSteps; ++undone) {
            QVERIFY(ablation.undoStack()->canUndo());
            ablation.undoStack()->undo();
            QCOMPARE(ablation.mask().isAblated({0, 0}), (kSteps - undone) % 2 == 1);
            QVERIFY(ablation.mask().isAblated({0, 1}));
        }
        QVERIFY(!ablation.undoStack()->canUndo());
        while (ablation.undoStack()->canRedo())
            ablation.undoStack()->redo();
        QVERIFY(ablation.mask().isAblated({0, 0}));
    }
};

const headscope::test::TestRegistration<TestAblationSteps> registration;

} // namespace test_ablation_steps

#include "test_ablation_steps.moc"
