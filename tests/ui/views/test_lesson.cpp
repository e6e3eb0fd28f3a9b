// The lesson, clicked through from beginning to end; what it says is checked against the window.

#include "core/engine/run.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/document/attribution_reading.h"
#include "ui/views/help/lesson_bar.h"
#include "ui/views/pages/table_pages.h"
#include "ui/views/pattern/pattern_view.h"

#include <QLabel>
#include <QPushButton>
#include <QTableView>

namespace test_lesson {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestLesson : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l"))); }
    void init() {
        window_->find<QAction>("actionWhyLesson")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(document().model()->name == "induction-circuit", kPatience);
        QVERIFY(window_->settled());
    }
    void cleanupTestCase() { window_.close(); }

    void leadsThroughFiveSteps() {
        QVERIFY(bar()->isVisible());
        QVERIFY(title().contains(QStringLiteral("step 1 of 5")));
        QVERIFY(!button("lessonBack")->isEnabled());
        QCOMPARE(document().promptText(), QStringLiteral("a b c d a b c"));
        QCOMPARE(document().selection().head(), (LayerHead{1, 0}));
        QCOMPARE((*window_)->patternView().page(), PatternPage::Heatmap);
        QVERIFY(weight({1, 0}, 7, 4) > 0.99f); // "all of its attention to d"
        QCOMPARE(predicted(), QStringLiteral("d"));

        next();
        QCOMPARE((*window_)->patternView().page(), PatternPage::Why);
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains(QStringLiteral("<b>L0 H0</b> wrote at")),
                                 kPatience);
        QVERIFY(sentence().contains(QStringLiteral("<b>the embedding</b> wrote at <b>7 c</b>")));

        next(); // what the reader is asked to do
        auto* parts = window_->find<NumberPage>("whyKeyParts")->view();
        QCOMPARE(parts->model()->index(0, 0).data().toString(), QStringLiteral("L0 H0"));
        parts->selectRow(0);
        QTest::mouseClick(button("whyMeasure"), Qt::LeftButton);
        const auto measured = [&] { return window_->find<QLabel>("whyMeasured")->text(); };
        QTRY_VERIFY_WITH_TIMEOUT(
            measured().contains(QStringLiteral("The weight goes from 100 % to < 0.1 %")),
            kPatience);

        next();
        QCOMPARE(document().selection().head(), (LayerHead{0, 0}));
        QTRY_VERIFY_WITH_TIMEOUT(
            sentence().contains(QStringLiteral("<b>the positions</b> wrote at <b>3 c</b> (100 %)")),
            kPatience);
        QVERIFY(sentence().contains(
            QStringLiteral("<b>the positions</b> wrote at <b>4 d</b> (100 %)")));

        next();
        QVERIFY(document().ablation().mask().isAblated({0, 0}));
        QVERIFY(window_->settled());
        QTRY_VERIFY_WITH_TIMEOUT(weight({1, 0}, 7, 4) < 0.01f, kPatience);
        QVERIFY(predicted() != QStringLiteral("d"));
        QCOMPARE(button("lessonNext")->text(), QStringLiteral("Done"));
        next();
        QVERIFY(!bar()->isVisible());
        QCOMPARE(bar()->step(), -1);
    }

    void aStepBringsTheWindowBack() {
        next();
        document().selection().select({1, 2});
        document().setPromptText(QStringLiteral("a a a"));
        document().ablation().toggleHead({0, 1});
        window_->find<QAction>("actionOneHead")->trigger();
        next();
        QTest::mouseClick(button("lessonBack"), Qt::LeftButton);
        QVERIFY(title().contains(QStringLiteral("step 2 of 5")));
        QCOMPARE(document().selection().head(), (LayerHead{1, 0}));
        QCOMPARE(document().promptText(), QStringLiteral("a b c d a b c"));
        QVERIFY(document().ablation().mask().empty());
        QCOMPARE((*window_)->patternView().page(), PatternPage::Why);
        QTest::mouseClick(button("lessonClose"), Qt::LeftButton);
        QVERIFY(!bar()->isVisible());
        QCOMPARE(document().selection().head(), (LayerHead{1, 0})); // and leaves all as it is
    }

    void aStepOpensItsModelAgain() {
        document().open(samplePath(QStringLiteral("microgpt")));
        QTRY_VERIFY_WITH_TIMEOUT(document().model()->name == "microgpt", kPatience);
        next();
        QTRY_VERIFY_WITH_TIMEOUT(document().model()->name == "induction-circuit", kPatience);
        QCOMPARE(document().selection().head(), (LayerHead{1, 0}));
        QCOMPARE((*window_)->patternView().page(), PatternPage::Why);
        QTest::mouseClick(button("lessonClose"), Qt::LeftButton);
    }

private:
    Document& document() { return window_->document(); }
    LessonBar* bar() { return window_->find<LessonBar>("lessonBar"); }
    QPushButton* button(const char* name) { return window_->find<QPushButton>(name); }
    QString title() { return window_->find<QLabel>("lessonTitle")->text(); }
    QString sentence() { return window_->find<QLabel>("whySentence")->text(); }
    void next() { QTest::mouseClick(button("lessonNext"), Qt::LeftButton); }
    float weight(LayerHead head, std::size_t query, std::size_t key) {
        return document().shown().result->masked->weight(head, query, key);
    }
    /// Of the best prediction of the run that is shown.
    QString predicted() {
        const RunResult& result = *document().shown().result;
        return tokenText(*document().model(), result.predictions.front().id);
    }

    SharedWindow window_;
};

const headscope::test::TestRegistration<TestLesson> registration;

} // namespace test_lesson

#include "test_lesson.moc"
