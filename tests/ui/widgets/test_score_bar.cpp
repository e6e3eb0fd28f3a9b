#include "tests/support/runner.h"
#include "tests/ui/widgets/reader_events.h"
#include "ui/widgets/score_bar.h"

#include <QSignalSpy>
#include <QtTest>

#include <limits>

namespace test_score_bar {

using headscope::ui::ScoreBar;
using namespace headscope::ui::test;

class TestScoreBar : public QObject {
    Q_OBJECT

private slots:
    void init();
    void keysMoveTheThreshold_data();
    void keysMoveTheThreshold();
    void stopsAtTheEnds();
    void draggingTheHandleMovesTheThreshold();
    void pressingBesideTheHandleMovesNothing();
    void settingDoesNotEmit();
    void fillsUpToTheScore();
    void describesItself();
    void movesOnlyWhileItIsEditable();
    void isASliderForReaders();
    void isABarForReadersWhileItIsFixed();

private:
    /// Where the handle of `threshold` stands; the bar keeps 8 pixels free on both sides.
    QPoint at(double threshold) const {
        return {static_cast<int>(std::lround(8.0 + threshold * (bar_->width() - 16.0))),
                bar_->height() / 2};
    }

    std::unique_ptr<ScoreBar> bar_;
};

void TestScoreBar::init() {
    bar_ = std::make_unique<ScoreBar>();
    bar_->resize(216, 24);
    bar_->setColour(QColor(200, 0, 0));
    bar_->setValue({0.6, 0.05, 0.55, 0.65});
    bar_->setThreshold(0.4);
    bar_->show();
}

void TestScoreBar::keysMoveTheThreshold_data() {
    QTest::addColumn<int>("key");
    QTest::addColumn<double>("threshold");
    QTest::newRow("right") << int(Qt::Key_Right) << 0.41;
    QTest::newRow("up") << int(Qt::Key_Up) << 0.41;
    QTest::newRow("left") << int(Qt::Key_Left) << 0.39;
    QTest::newRow("down") << int(Qt::Key_Down) << 0.39;
    QTest::newRow("page up") << int(Qt::Key_PageUp) << 0.5;
    QTest::newRow("page down") << int(Qt::Key_PageDown) << 0.3;
    QTest::newRow("home") << int(Qt::Key_Home) << 0.0;
    QTest::newRow("end") << int(Qt::Key_End) << 1.0;
}

void TestScoreBar::keysMoveTheThreshold() {
    QFETCH(int, key);
    QFETCH(double, threshold);
    QSignalSpy moved(bar_.get(), &ScoreBar::thresholdMoved);
    QTest::keyClick(bar_.get(), static_cast<Qt::Key>(key));
    QCOMPARE(bar_->threshold(), threshold);
    QCOMPARE(moved.size(), 1);
    QCOMPARE(moved.first()[0].toDouble(), threshold);
}

void TestScoreBar::stopsAtTheEnds() {
    bar_->setThreshold(1.0);
    QSignalSpy moved(bar_.get(), &ScoreBar::thresholdMoved);
    QTest::keyClick(bar_.get(), Qt::Key_Right);
    QCOMPARE(bar_->threshold(), 1.0);
    QVERIFY(moved.isEmpty());
    bar_->setThreshold(-4.0);
    QCOMPARE(bar_->threshold(), 0.0);
}

void TestScoreBar::draggingTheHandleMovesTheThreshold() {
    QTest::mousePress(bar_.get(), Qt::LeftButton, {}, at(0.4));
    QTest::mouseMove(bar_.get(), at(0.7));
    QCOMPARE(bar_->threshold(), 0.7);
    QTest::mouseMove(bar_.get(), QPoint(5000, 3));
    QCOMPARE(bar_->threshold(), 1.0);
    QTest::mouseMove(bar_.get(), at(0.2));
    QTest::mouseRelease(bar_.get(), Qt::LeftButton, {}, at(0.2));
    QTest::mouseMove(bar_.get(), at(0.9));
    QCOMPARE(bar_->threshold(), 0.2);
}

void TestScoreBar::pressingBesideTheHandleMovesNothing() {
    QTest::mousePress(bar_.get(), Qt::LeftButton, {}, at(0.8));
    QTest::mouseMove(bar_.get(), at(0.9));
    QTest::mouseRelease(bar_.get(), Qt::LeftButton, {}, at(0.9));
    QCOMPARE(bar_->threshold(), 0.4);
}

void TestScoreBar::settingDoesNotEmit() {
    QSignalSpy moved(bar_.get(), &ScoreBar::thresholdMoved);
    bar_->setThreshold(0.9);
    QVERIFY(moved.isEmpty());
}

void TestScoreBar::fillsUpToTheScore() {
    const auto colourAt = [&](double fraction) {
        return bar_->grab().toImage().pixelColor(at(fraction) + QPoint(0, 4));
    };
    QCOMPARE(colourAt(0.3), QColor(200, 0, 0));
    QVERIFY(colourAt(0.75) != QColor(200, 0, 0));
    bar_->setThreshold(0.9); // below its threshold a score is paler
    QVERIFY(colourAt(0.3) != QColor(200, 0, 0));
}

void TestScoreBar::describesItself() {
    QCOMPARE(bar_->accessibleDescription(),
             QStringLiteral("Score 0.60, baseline 0.05, interval 0.55 to 0.65, threshold 0.40"));
    bar_->setValue({std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0, 0.0});
    QCOMPARE(bar_->accessibleDescription(), QStringLiteral("Score not defined, threshold 0.40"));
}

void TestScoreBar::movesOnlyWhileItIsEditable() {
    QSignalSpy moved(bar_.get(), &ScoreBar::thresholdMoved);
    const QImage editable = bar_->grab().toImage();
    bar_->setEditable(false);
    QTest::keyClick(bar_.get(), Qt::Key_Right);
    QTest::mousePress(bar_.get(), Qt::LeftButton, {}, at(0.4));
    QTest::mouseMove(bar_.get(), at(0.8));
    QTest::mouseRelease(bar_.get(), Qt::LeftButton, {}, at(0.8));
    QCOMPARE(moved.count(), 0);
    QCOMPARE(bar_->focusPolicy(), Qt::NoFocus);
    QVERIFY(bar_->grab().toImage() != editable); // no knob
    bar_->setEditable(true);
    QCOMPARE(bar_->grab().toImage(), editable);
    QTest::keyClick(bar_.get(), Qt::Key_Right);
    QCOMPARE(moved.count(), 1);
}

void TestScoreBar::isASliderForReaders() {
    QAccessibleInterface* reader = readerOf(*bar_);
    QCOMPARE(reader->role(), QAccessible::Slider);
    QCOMPARE(reader->text(QAccessible::Value), QStringLiteral("0.60, threshold 0.40"));
    QAccessibleValueInterface* value = reader->valueInterface();
    QVERIFY(value);
    QCOMPARE(value->currentValue(), QVariant(0.4));
    QCOMPARE(value->minimumValue(), QVariant(0.0));
    QCOMPARE(value->maximumValue(), QVariant(1.0));
    QCOMPARE(value->minimumStepSize(), QVariant(0.01));
    QSignalSpy moved(bar_.get(), &ScoreBar::thresholdMoved);
    ReaderEvents events;
    value->setCurrentValue(0.7);
    QCOMPARE(bar_->threshold(), 0.7);
    QCOMPARE(moved.count(), 1);
    const auto told = events.taken(QAccessible::ValueChanged);
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told[0].value.toDouble(), 0.7);
    value->setCurrentValue(QStringLiteral("much"));
    QCOMPARE(bar_->threshold(), 0.7);
}

void TestScoreBar::isABarForReadersWhileItIsFixed() {
    QAccessibleInterface* reader = readerOf(*bar_);
    QVERIFY(!reader->state().readOnly);
    bar_->setEditable(false);
    QVERIFY(reader->state().readOnly);
    QCOMPARE(reader->role(), QAccessible::ProgressBar);
    QCOMPARE(reader->valueInterface()->currentValue(), QVariant(0.6));
    reader->valueInterface()->setCurrentValue(0.7);
    QCOMPARE(bar_->threshold(), 0.4);
    bar_->setValue({std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0, 0.0});
    QCOMPARE(reader->text(QAccessible::Value), QStringLiteral("not defined, threshold 0.40"));
    QVERIFY(!reader->valueInterface()->currentValue().isValid());
}

const headscope::test::TestRegistration<TestScoreBar> registration;

} // namespace test_score_bar

#include "test_score_bar.moc"
