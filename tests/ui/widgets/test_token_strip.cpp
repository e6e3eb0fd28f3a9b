#include "tests/support/runner.h"
#include "ui/widgets/token_strip.h"

#include <QHelpEvent>
#include <QSignalSpy>
#include <QToolTip>
#include <QtTest>

#include <array>

namespace test_token_strip {

using namespace headscope::ui;

namespace {

QVector<TokenChip> chipsOf(const QStringList& texts) {
    QVector<TokenChip> chips;
    for (const QString& text : texts)
        chips.append({text, QStringLiteral("id of %1").arg(text), false, std::nullopt});
    return chips;
}

QStringList numbered(int count) {
    QStringList texts;
    for (int i = 0; i < count; ++i)
        texts.append(QStringLiteral("·token%1").arg(i));
    return texts;
}

} // namespace

class TestTokenStrip : public QObject {
    Q_OBJECT

private slots:
    void init();
    void laysChipsOutInOrder();
    void wrapsToThreeLinesAndThenScrolls();
    void wheelPassesOnWhenNothingScrolls();
    void hoverAndClickReportThePosition();
    void keysMoveTheCurrentChip();
    void scrollsTheCurrentChipIntoSight();
    void tintsByWeight();
    void marksSpecialTokens();
    void takesEveryScript();
    void showsTheToolTipOfAChip();
    void forgetsACurrentChipThatIsGone();

private:
    QPoint middle(qsizetype position) const { return strip_->chipRect(position).center(); }
    void wheel(int notches) {
        const QPointF at = strip_->rect().center();
        QWheelEvent event(at, strip_->mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(strip_.get(), &event);
    }

    std::unique_ptr<TokenStrip> strip_;
};

void TestTokenStrip::init() {
    strip_ = std::make_unique<TokenStrip>();
    strip_->resize(400, 30);
    strip_->setChips(chipsOf({QStringLiteral("When"), QStringLiteral("·Mary"),
                              QStringLiteral("·and"), QStringLiteral(",")}));
    strip_->show();
}

void TestTokenStrip::laysChipsOutInOrder() {
    for (qsizetype i = 1; i < 4; ++i) {
        QVERIFY(strip_->chipRect(i).left() > strip_->chipRect(i - 1).right());
        QCOMPARE(strip_->chipRect(i).top(), strip_->chipRect(0).top());
    }
    // A comma is as easy to hit as a word.
    QVERIFY(strip_->chipRect(3).width() >= strip_->chipRect(3).height());
}

void TestTokenStrip::wrapsToThreeLinesAndThenScrolls() {
    const int one_line = strip_->heightForWidth(400);
    strip_->setChips(chipsOf(numbered(100)));
    const int three_lines = strip_->heightForWidth(400);
    QVERIFY(three_lines > 2 * one_line);
    QVERIFY(three_lines < 4 * one_line);
    strip_->resize(400, three_lines);
    for (qsizetype i = 0; i < 100; ++i)
        QVERIFY(strip_->chipRect(i).right() < 400);
    const int before = strip_->chipRect(0).top();
    wheel(-1);
    QVERIFY(strip_->chipRect(0).top() < before);
    wheel(-1000);
    QVERIFY(strip_->rect().contains(strip_->chipRect(99)));
    wheel(1000);
    QCOMPARE(strip_->chipRect(0).top(), before);
}

void TestTokenStrip::wheelPassesOnWhenNothingScrolls() {
    const QPointF at(10, 10);
    QWheelEvent event(at, at, {}, QPoint(0, -120), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(strip_.get(), &event);
    QVERIFY(!event.isAccepted());
}

void TestTokenStrip::hoverAndClickReportThePosition() {
    QSignalSpy hovered(strip_.get(), &TokenStrip::chipHovered);
    QSignalSpy left(strip_.get(), &TokenStrip::hoverLeft);
    QSignalSpy clicked(strip_.get(), &TokenStrip::chipClicked);
    QTest::mouseMove(strip_.get(), middle(2));
    QCOMPARE(hovered.size(), 1);
    QCOMPARE(hovered.last()[0].value<qsizetype>(), 2);
    QTest::mouseMove(strip_.get(), QPoint(395, 28));
    QCOMPARE(left.size(), 1);
    QTest::mouseClick(strip_.get(), Qt::LeftButton, {}, middle(1));
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked.last()[0].value<qsizetype>(), 1);
}

void TestTokenStrip::keysMoveTheCurrentChip() {
    QSignalSpy clicked(strip_.get(), &TokenStrip::chipClicked);
    QTest::keyClick(strip_.get(), Qt::Key_Right);
    QCOMPARE(strip_->current(), std::optional<qsizetype>(0));
    QTest::keyClick(strip_.get(), Qt::Key_End);
    QCOMPARE(strip_->current(), std::optional<qsizetype>(3));
    QTest::keyClick(strip_.get(), Qt::Key_Right);
    QTest::keyClick(strip_.get(), Qt::Key_Left);
    QCOMPARE(strip_->current(), std::optional<qsizetype>(2));
    QTest::keyClick(strip_.get(), Qt::Key_Home);
    QCOMPARE(clicked.size(), 4); // the step beyond the end is none
    QTest::keyClick(strip_.get(), Qt::Key_Space);
    QCOMPARE(clicked.size(), 5);
    QCOMPARE(clicked.last()[0].value<qsizetype>(), 0);
}

void TestTokenStrip::scrollsTheCurrentChipIntoSight() {
    strip_->setChips(chipsOf(numbered(100)));
    strip_->setCurrent(70);
    QVERIFY(strip_->rect().contains(strip_->chipRect(70)));
    strip_->setCurrent(3);
    QVERIFY(strip_->rect().contains(strip_->chipRect(3)));
}

void TestTokenStrip::tintsByWeight() {
    const QImage plain = strip_->grab().toImage();
    strip_->setWeights(std::array{0.0f, 1.0f, 0.0f, 0.0f});
    const QImage image = strip_->grab().toImage();
    const QPoint inside(3, 10); // left of the text
    QCOMPARE(image.pixelColor(strip_->chipRect(1).topLeft() + inside),
             strip_->palette().color(QPalette::Highlight));
    QCOMPARE(image.pixelColor(strip_->chipRect(0).topLeft() + inside),
             image.pixelColor(strip_->chipRect(2).topLeft() + inside));
    strip_->setWeights({});
    QCOMPARE(strip_->grab().toImage(), plain);
}

void TestTokenStrip::marksSpecialTokens() {
    const QImage plain = strip_->grab().toImage();
    auto chips = strip_->chips();
    chips[3].special = true;
    strip_->setChips(chips);
    const QPoint inside(3, 10);
    QVERIFY(plain.pixelColor(strip_->chipRect(3).topLeft() + inside) !=
            strip_->grab().toImage().pixelColor(strip_->chipRect(3).topLeft() + inside));
}

void TestTokenStrip::takesEveryScript() {
    strip_->setChips(
        chipsOf({QStringLiteral("مرحبا"), QStringLiteral("·שלום"), QStringLiteral("世界"),
                 QStringLiteral("👩🏽‍🔬"), QString(), QString(500, QLatin1Char('x'))}));
    strip_->setLayoutDirection(Qt::RightToLeft);
    strip_->grab();
    QVERIFY(strip_->chipRect(1).left() > strip_->chipRect(0).right());
    QVERIFY(strip_->chipRect(4).width() >= strip_->chipRect(4).height());
    QVERIFY(strip_->chipRect(5).right() < strip_->width());
}

void TestTokenStrip::showsTheToolTipOfAChip() {
    QHelpEvent help(QEvent::ToolTip, middle(1), strip_->mapToGlobal(middle(1)));
    QCoreApplication::sendEvent(strip_.get(), &help);
    QCOMPARE(QToolTip::text(), QStringLiteral("id of ·Mary"));
    QToolTip::hideText();
}

void TestTokenStrip::forgetsACurrentChipThatIsGone() {
    strip_->setCurrent(3);
    QVERIFY(strip_->accessibleDescription().contains(QStringLiteral("4 of 4")));
    strip_->setChips(chipsOf(numbered(2)));
    QCOMPARE(strip_->current(), std::nullopt);
    strip_->setCurrent(8);
    QCOMPARE(strip_->current(), std::nullopt);
    strip_->setChips({});
    QTest::keyClick(strip_.get(), Qt::Key_End);
    QCOMPARE(strip_->current(), std::nullopt);
}

const headscope::test::TestRegistration<TestTokenStrip> registration;

} // namespace test_token_strip

#include "test_token_strip.moc"
