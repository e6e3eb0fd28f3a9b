#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/tables/effect_text.h"
#include "ui/widgets/head_mosaic.h"

#include <QAction>
#include <QToolButton>

namespace test_all_heads_view {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// How many thumbnails are not faded; −1 while one is missing.
int clearPictures(const HeadMosaic& mosaic) {
    int clear = 0;
    for (int row = 0; row < mosaic.rows(); ++row)
        for (int column = 0; column < mosaic.columns(); ++column) {
            if (mosaic.cell(row, column).thumbnail.isNull())
                return -1;
            clear += mosaic.cell(row, column).faded ? 0 : 1;
        }
    return clear;
}

} // namespace

class TestAllHeadsView : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l")));
        mosaic_ = window_->find<HeadMosaic>("allHeads");
    }
    void init() {
        window_->document().ablation().clearMask();
        QVERIFY(window_->settled());
        window_->find<QAction>("actionAllHeads")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(clearPictures(*mosaic_), 48, kPatience);
    }
    void cleanupTestCase() { window_.close(); }

    void itKnowsWhatChangedWhileItWasHidden() {
        window_->find<QAction>("actionOneHead")->trigger();
        window_->document().selection().select({1, 2});
        window_->document().ablation().toggleHead({2, 3});
        QVERIFY(window_->settled());
        window_->find<QAction>("actionAllHeads")->trigger();
        QCOMPARE(mosaic_->selectedRow(), 1);
        QCOMPARE(mosaic_->selectedColumn(), 2);
        QVERIFY(mosaic_->cell(2, 3).ablated);
    }

    void picturesOfTheEarlierPromptFade() {
        int clear_at_once = 48;
        const auto watching =
            connect(&window_->document().promptRunner(), &PromptRunner::resultChanged, mosaic_,
                    [&] { clear_at_once = clearPictures(*mosaic_); });
        window_->document().setPromptText(QStringLiteral("Sue met Tom in the park"));
        QTRY_COMPARE_WITH_TIMEOUT(clear_at_once, 0, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(clearPictures(*mosaic_), 48, kPatience);
        disconnect(watching);
        QCOMPARE(mosaic_->cell(0, 0).thumbnail.width(),
                 static_cast<int>(window_->document().promptRunner().result()->prompt.ids.size()));
    }

    void itShowsMeasuredEffects() {
        window_->document().testEffect({4, 1});
        QTRY_VERIFY_WITH_TIMEOUT(window_->document().effectTester().effect({4, 1}), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(mosaic_->cell(4, 1).effect.has_value(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!window_->document().effectTester().worker()->isBusy(), kPatience);
        QVERIFY(clearestVerdict(window_->document().effectTester().effects({4, 1})) ==
                EffectVerdict::Needed);
        QVERIFY(mosaic_->cell(4, 1).effect == EffectMark::Dot);
    }

    void theLegendFiltersItToo() {
        auto* previous = window_->find<QToolButton>("legend_previous");
        QTest::mouseClick(previous, Qt::LeftButton);
        QVERIFY(!mosaic_->cell(0, 0).faded); // a previous-token head
        QVERIFY(mosaic_->cell(4, 1).faded);  // an induction head
        QCOMPARE(mosaic_->cell(4, 1).letters, QString());
        QTest::mouseClick(previous, Qt::LeftButton);
        QVERIFY(!mosaic_->cell(4, 1).faded);
    }

private:
    SharedWindow window_;
    HeadMosaic* mosaic_ = nullptr;
};

const headscope::test::TestRegistration<TestAllHeadsView> registration;

} // namespace test_all_heads_view

#include "test_all_heads_view.moc"
