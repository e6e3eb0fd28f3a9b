// Running text and lines between tokens, with maps whose values are known.

#include "tests/support/runner.h"
#include "ui/widgets/cell_source.h"
#include "ui/widgets/token_lines.h"
#include "ui/widgets/token_text.h"
#include "ui/widgets/tokens/running_text.h"

#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <limits>

namespace test_token_views {

using namespace headscope;
using namespace headscope::ui;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// n tokens, each reading itself with 0.25 and the first with 0.75; later ones are masked.
TokenHead causalHead(std::size_t n, const CellColours& scale = {}) {
    Tensor cells({n, n}, kNan);
    for (std::size_t query = 0; query < n; ++query) {
        for (std::size_t key = 0; key <= query; ++key)
            cells(query, key) = 0.0f;
        cells(query, 0u) = 0.75f;
        cells(query, query) = 0.25f;
    }
    return {QStringLiteral("H"), std::make_shared<MatrixCells>(std::move(cells)), scale};
}

TokenContent contentOf(const QStringList& words) {
    TokenContent content;
    for (qsizetype i = 0; i < words.size(); ++i)
        content.text.append({words[i], static_cast<std::size_t>(i), 1, false});
    content.labels = words;
    content.heads = {causalHead(content.tokens())};
    content.title = QStringLiteral("title");
    content.note = QStringLiteral("note");
    return content;
}

QStringList words(int count) {
    QStringList made;
    for (int i = 0; i < count; ++i)
        made << (i > 0 ? QStringLiteral(" w%1") : QStringLiteral("w%1")).arg(i);
    return made;
}

} // namespace

class TestTokenViews : public QObject {
    Q_OBJECT

private slots:
    void strengthsFollowTheScale() {
        const CellColours root{ColourMap::Viridis, 0.0, 1.0, ValueScale::SquareRoot};
        QVERIFY(std::fabs(strengthOf(0.25f, root) - 0.5f) < 1e-6f);
        const CellColours signed_scale{ColourMap::Diverging, -0.5, 0.5, ValueScale::Linear};
        QVERIFY(std::fabs(strengthOf(-0.25f, signed_scale) + 0.5f) < 1e-6f);
        QVERIFY(std::isnan(strengthOf(kNan, root)));
    }

    void differencesStandOutFromEachBackground() {
        TokenHead head = causalHead(3);
        head.scale = {ColourMap::Diverging, -1.0, 1.0, ValueScale::Linear};
        for (const QColor& background : {QColor(Qt::white), QColor(30, 32, 36)})
            for (const float strength : {-1.0f, 1.0f}) {
                const QColor tint = tintOf(strength, head, 0, background);
                QVERIFY(std::fabs(tint.lightnessF() - background.lightnessF()) > 0.4f);
            }
    }

    void bothDirectionsAreRead() {
        const TokenHead head = causalHead(5);
        const auto reads = strengthsAround(head, 3, TokenDirection::Reads);
        QCOMPARE(reads[0], 0.75f);
        QCOMPARE(reads[3], 0.25f);
        QVERIFY(std::isnan(reads[4]));
        const auto read_by = strengthsAround(head, 0, TokenDirection::ReadBy);
        QCOMPARE(read_by[4], 0.75f);
        QVERIFY(std::isnan(strengthsAround(head, 3, TokenDirection::ReadBy)[2]));
    }

    void textWrapsAtSpaces() {
        const QFont font;
        const double width = QFontMetricsF(font).horizontalAdvance(QStringLiteral("one two thr"));
        const QVector<TextPiece> text{
            {QStringLiteral("one"), 0, 1, false}, {QStringLiteral(" tw"), 1, 1, false},
            {QStringLiteral("o"), 2, 1, false},   {QStringLiteral(" thr"), 3, 1, false},
            {QStringLiteral("ee"), 4, 1, false},  {QStringLiteral("\n"), 5, 1, false},
            {QStringLiteral("four"), 6, 1, false}};
        const TextLayout layout(text, font, width, 0.0);
        QCOMPARE(layout.tokenRect(2).top(), layout.tokenRect(0).top());
        QVERIFY(layout.tokenRect(3).top() > layout.tokenRect(2).top()); // the word goes as one
        QCOMPARE(layout.tokenRect(4).top(), layout.tokenRect(3).top());
        QCOMPARE(layout.tokenRect(3).left(), 0.0);
        QCOMPARE(layout.shownText(3), QStringLiteral("thr")); // no space begins a line
        QCOMPARE(layout.shownText(5), QStringLiteral("⏎"));
        QVERIFY(layout.tokenRect(6).top() > layout.tokenRect(5).top());
        for (std::size_t token = 0; token < 7; ++token)
            QCOMPARE(layout.tokenAt(layout.tokenRect(token).center()),
                     std::optional<std::size_t>(token));
        QCOMPARE(layout.tokenAt({width + 50.0, 2.0}), std::optional<std::size_t>());
        QCOMPARE(layout.tokenBeside(0, 1), 3u);
        QCOMPARE(layout.tokenBeside(3, -1), 0u);
        QCOMPARE(layout.tokenBeside(0, -1), 0u);
    }

    void tokensOfOneLetterShareIt() {
        const TextLayout layout({{QStringLiteral("字"), 0, 3, false}}, QFont(), 200.0, 0.0);
        QCOMPARE(layout.tokenRect(0).right(), layout.tokenRect(1).left());
        QVERIFY(layout.tokenRect(2).width() > 2.0);
        QCOMPARE(layout.tokenAt(layout.tokenRect(2).center()), std::optional<std::size_t>(2));
    }

    void longWordsBreakAnywhere() {
        QVector<TextPiece> text;
        for (std::size_t i = 0; i < 40; ++i)
            text.append({QStringLiteral("字"), i, 1, false});
        const TextLayout layout(text, QFont(), 100.0, 0.0);
        for (std::size_t token = 0; token < 40; ++token)
            QVERIFY(layout.tokenRect(token).right() <= 100.5);
        QVERIFY(layout.height() > layout.lineHeight());
    }

    void anEmptyViewSaysWhy() {
        TokenText text;
        text.resize(300, 200);
        text.show();
        text.setEmpty(QStringLiteral("Nothing here."));
        QCOMPARE(text.accessibleDescription(), QStringLiteral("Nothing here."));
        QVERIFY(!text.reading());
        QVERIFY(text.grab().toImage() != TokenText().grab().toImage());
        QTest::keyClick(&text, Qt::Key_Left);
    }

    void theLastTokenIsReadUntilOneIsPointedAt() {
        TokenText text;
        text.resize(400, 300);
        text.show();
        text.setContent(contentOf(words(6)));
        QCOMPARE(text.reading()->token, 5u);
        QSignalSpy changed(&text, &TokenView::readingChanged);
        hover(text, text.tokenRect(2).center());
        QCOMPARE(text.reading()->token, 2u);
        QCOMPARE(changed.size(), 1);
        text.setCurrent(4);
        QCOMPARE(text.reading()->token, 4u);
        QCOMPARE(text.hovered(), std::optional<std::size_t>(2));
        text.setContent(contentOf(words(3))); // another prompt
        QCOMPARE(text.current(), std::optional<std::size_t>());
    }

    void keysAndClicksAsk() {
        TokenText text;
        text.resize(400, 300);
        text.show();
        text.setContent(contentOf(words(6)));
        QSignalSpy clicked(&text, &TokenView::tokenClicked);
        QTest::mouseClick(text.viewport(), Qt::LeftButton, {}, text.tokenRect(1).center());
        text.setCurrent(1);
        QTest::keyClick(&text, Qt::Key_Right);
        QTest::keyClick(&text, Qt::Key_End);
        QTest::keyClick(&text, Qt::Key_Escape);
        QCOMPARE(clicked.size(), 4);
        QCOMPARE(clicked[1].first().value<std::size_t>(), 2u);
        QCOMPARE(clicked[2].first().value<std::size_t>(), 5u);
        QCOMPARE(clicked[3].first().value<std::size_t>(), 1u);
    }

    void aLongTextScrollsToTheTokenThatIsKept() {
        TokenText text;
        text.resize(300, 200);
        text.show();
        text.setContent(contentOf(words(400)));
        QVERIFY(text.tokenRect(399).top() > 200);
        text.setCurrent(399);
        QVERIFY(text.tokenRect(399).bottom() <= text.viewport()->height());
        QVERIFY(text.tokenRect(0).bottom() < 0);
    }

    void theSideDecidesHowALineIsRead() {
        TokenLines lines;
        lines.resize(400, 300);
        lines.show();
        lines.setContent(contentOf(words(6)));
        QVERIFY(!lines.reading());
        const QPoint query = lines.tokenRect(3).center();
        hover(lines, query);
        QCOMPARE(lines.reading()->direction, TokenDirection::Reads);
        hover(lines, {lines.viewport()->width() - query.x(), query.y()});
        QCOMPARE(lines.reading()->token, 3u);
        QCOMPARE(lines.reading()->direction, TokenDirection::ReadBy);
    }

    void maskedPairsHaveNoLine() {
        TokenLines lines;
        lines.resize(400, 300);
        lines.show();
        TokenContent content = contentOf(words(4));
        content.heads = {causalHead(4)};
        lines.setContent(content);
        const QImage all = lines.viewport()->grab().toImage();
        Tensor nothing({4, 4}, kNan);
        content.heads.front().cells = std::make_shared<MatrixCells>(std::move(nothing));
        lines.setContent(content);
        const QImage none = lines.viewport()->grab().toImage();
        QVERIFY(all != none);
        const int middle = none.width() / 2;
        for (int y = 0; y < none.height(); ++y)
            QCOMPARE(none.pixelColor(middle, y), none.pixelColor(middle, 0));
    }

private:
    static void hover(TokenView& view, QPoint at) {
        QMouseEvent event(QEvent::MouseMove, at, view.viewport()->mapToGlobal(at), Qt::NoButton,
                          Qt::NoButton, {});
        QCoreApplication::sendEvent(view.viewport(), &event);
    }
};

const headscope::test::TestRegistration<TestTokenViews> registration;

} // namespace test_token_views

#include "test_token_views.moc"
