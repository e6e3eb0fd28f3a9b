// The prompt as text and as lines, tinted and joined by where the chosen heads look.

#include "core/attribution/head_writing.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/tokens/writing_line.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/token_lines.h"
#include "ui/widgets/token_strip.h"
#include "ui/widgets/token_text.h"

#include <QComboBox>
#include <QDialog>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QToolButton>

#include <cmath>

namespace test_token_pages {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestTokenPages : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l")));
        prompt_ = document().promptText();
    }
    void init() {
        document().ablation().clearMask();
        document().selection().lockRow(std::nullopt);
        document().setPromptText(prompt_);
        document().selection().select({4, 1});
        PatternSettings linear;
        linear.scale = ValueScale::Linear;
        (*window_)->patternView().setSettings(linear);
        (*window_)->patternView().controls().setDirection(TokenDirection::Reads);
        click("textButton");
        QVERIFY(window_->settled());
        QVERIFY(shows(15, {QStringLiteral("L4 H1")}));
        QTRY_VERIFY_WITH_TIMEOUT(caption().contains(QStringLiteral("without the first key")),
                                 kPatience);
    }
    void cleanupTestCase() { window_.close(); }

    void hoveringATokenTintsWhatItReads() {
        point(14);
        const auto weight = run().weight({4, 1}, 14, 2);
        QVERIFY(weight > 0.1f);
        QCOMPARE(ground(1), base());  // "When" is hardly read
        QVERIFY(ground(2) != base()); // "Mary" is
        QVERIFY(words().startsWith(QStringLiteral("query ‹·to› 14 looks at ‹")));
        QVERIFY(words().contains(QStringLiteral("‹·Mary› 2 ") +
                                 QString::number(static_cast<double>(weight), 'f', 3)));
        point(1);
        QCOMPARE(ground(2), base()); // a later token
        QVERIFY(words().startsWith(QStringLiteral("query ‹When› 1 looks at ‹")));
    }

    void readByTurnsItRound() {
        click("readByButton");
        point(2);
        QVERIFY2(words().startsWith(QStringLiteral("key ‹·Mary› 2 is read by ‹")),
                 qPrintable(words()));
        QVERIFY(words().contains(QStringLiteral("‹·to› 14 ")));
        QVERIFY(ground(14) != base());
        QCOMPARE(ground(13), base());
        window_->find<QAction>("actionReadBy")->trigger();
        QVERIFY(window_->find<QToolButton>("readsButton")->isChecked());
    }

    void aPageShowsNoTokenThatTheOtherHasForgotten() {
        click("linesButton");
        document().selection().lockRow(14);
        click("textButton");
        document().setPromptText(QStringLiteral("When Mary"));
        QVERIFY(shows(3, {QStringLiteral("L4 H1")}));
        auto* text = window_->find<TokenText>("tokenText");
        QTest::mouseMove(text->viewport(), text->tokenRect(1).center());
        QTRY_COMPARE(text->hovered(), std::optional<std::size_t>(1));
        window_->find<QAction>("actionLines")->trigger(); // the pointer leaves the text
        QCOMPARE(window_->find<TokenLines>("tokenLines")->content().tokens(), 3u);
        QVERIFY2(words().startsWith(QStringLiteral("Point at a token")), qPrintable(words()));
    }

    void keysReadTheTokens() {
        auto* text = window_->find<TokenText>("tokenText");
        text->setFocus();
        QTest::keyClick(text, Qt::Key_Left); // none is kept yet: the last
        QCOMPARE(document().selection().lockedRow(), std::optional<std::size_t>(14));
        QTest::keyClick(text, Qt::Key_Left);
        QCOMPARE(document().selection().lockedRow(), std::optional<std::size_t>(13));
        QVERIFY2(text->accessibleDescription().startsWith(
                     QStringLiteral("Token 14 of 15: ·drink. query ‹·drink› 13 looks at")),
                 qPrintable(text->accessibleDescription()));
        QCOMPARE(window_->find<TokenStrip>("tokenStrip")->current(), std::optional<qsizetype>(13));
        QTest::keyClick(text, Qt::Key_Home);
        QTest::keyClick(text, Qt::Key_Right);
        QCOMPARE(document().selection().lockedRow(), std::optional<std::size_t>(1));
        QTest::keyClick(text, Qt::Key_Escape);
        QCOMPARE(document().selection().lockedRow(), std::optional<std::size_t>());
        QCOMPARE(document().selection().head(), (LayerHead{4, 1})); // arrows stay with the tokens
    }

    void aKeptTokenStaysAndOthersAreComparedWithIt() {
        auto* text = window_->find<TokenText>("tokenText");
        QTest::mouseClick(text->viewport(), Qt::LeftButton, {}, text->tokenRect(14).center());
        QCOMPARE(document().selection().lockedRow(), std::optional<std::size_t>(14));
        point(2);
        QVERIFY2(words().startsWith(QStringLiteral("query ‹·to› 14 → key ‹·Mary› 2 · weight ")),
                 qPrintable(words()));
        QVERIFY(ground(2) != base());
    }

    void severalHeadsUnderline() {
        document().selection().choose({{4, 1}, {0, 0}}, {0, 0});
        QVERIFY(shows(15, {QStringLiteral("L4 H1"), QStringLiteral("L0 H0")}));
        QVERIFY(window_->find<QLabel>("tokenHeads")->text().contains(QStringLiteral("L0 H0")));
        point(14);
        QCOMPARE(ground(2), base()); // lines below, no tint
        QVERIFY(words().contains(QStringLiteral("L4 H1 ‹")));
        QVERIFY(words().contains(QStringLiteral("L0 H0 ‹·drink› 13 "))); // the previous token
        const QRect drink = window_->find<TokenText>("tokenText")->tokenRect(13);
        const QColor second = picture().pixelColor(drink.center().x(), drink.bottom() + 7);
        QVERIFY2(distance(second, base()) > 60, qPrintable(second.name()));
        QVERIFY(distance(second, headColour(1, base())) < distance(second, headColour(0, base())));
    }

    void moreHeadsThanColoursAreSaid() {
        std::vector<LayerHead> heads;
        for (std::size_t head = 0; head < 8; ++head)
            heads.push_back({3, head});
        document().selection().choose(heads, {3, 0});
        QTRY_VERIFY_WITH_TIMEOUT(caption().contains(QStringLiteral("the first 6 of 8")), kPatience);
    }

    void theFirstKeyIsHiddenAsInTheHeatmap() {
        auto* button = window_->find<QToolButton>("firstKey");
        QTRY_VERIFY_WITH_TIMEOUT(button->isChecked(), kPatience);
        QVERIFY2(caption().contains(QStringLiteral("without the first key ‹<|endoftext|>›")),
                 qPrintable(caption()));
        point(8);
        QCOMPARE(ground(0), base());
        QTest::mouseClick(button, Qt::LeftButton, {}, QPoint(8, button->height() / 2));
        QTRY_VERIFY_WITH_TIMEOUT(!caption().contains(QStringLiteral("without")), kPatience);
        point(8);
        QTRY_VERIFY_WITH_TIMEOUT(ground(0) != base(), kPatience);
    }

    void anAblationShowsAsDifference() {
        document().ablation().toggleHead({2, 1});
        QVERIFY(window_->settled());
        chooseByKeys(window_->find<QComboBox>("patternMap"), QStringLiteral("Difference"));
        point(14);
        QTRY_VERIFY_WITH_TIMEOUT(words().contains(QStringLiteral("changes most at")), kPatience);
        std::size_t most = 0;
        const auto changeAt = [&](std::size_t key) {
            return static_cast<double>(run().weight({4, 1}, 14, key)) -
                   static_cast<double>(full().weight({4, 1}, 14, key));
        };
        for (std::size_t key = 0; key < 15; ++key)
            most = std::abs(changeAt(key)) > std::abs(changeAt(most)) ? key : most;
        QVERIFY(std::abs(changeAt(most)) > 0.001);
        const QString expected =
            QStringLiteral("query ‹·to› 14 changes most at ‹%1› %2 %3")
                .arg(document().promptRunner().result()->shown_pieces[static_cast<qsizetype>(most)])
                .arg(most)
                .arg(changeAt(most), 0, 'f', 3);
        QVERIFY2(words().startsWith(expected), qPrintable(words() + expected));
    }

    void whatTheHeadWritesIsRead() {
        point(14);
        auto* line = window_->find<WritingLine>("writingLine");
        QTRY_VERIFY_WITH_TIMEOUT(line->text().startsWith(QStringLiteral("L4 H1 raises  ·Mary +")),
                                 kPatience);
        QVERIFY(line->text().contains(QStringLiteral("lowers")));
        const auto writing = HeadWriting::read(
            document().model(), {document().promptRunner().result()->prompt.ids, {{4, 1}}});
        QVERIFY(writing);
        const float expected = writing->strongest(0, 14, 1).raised.front().change;
        // Until the reading of the heads that were ablated before has been replaced.
        QTRY_VERIFY_WITH_TIMEOUT(
            line->text().contains(QString::number(static_cast<double>(expected), 'f', 1)),
            kPatience);
        document().ablation().toggleHead({4, 1});
        QVERIFY(window_->settled());
        QTRY_COMPARE_WITH_TIMEOUT(line->text(), QStringLiteral("L4 H1 raises no token here."),
                                  kPatience);
    }

    void bytesAreShownAsTheLettersTheyMake() {
        document().setPromptText(QStringLiteral("naïve 中文\nok two"));
        const QStringList labels{QStringLiteral("<|endoftext|>"),
                                 QStringLiteral("na"),
                                 QStringLiteral("ï₁"),
                                 QStringLiteral("ï₂"),
                                 QStringLiteral("ve"),
                                 QStringLiteral("·"),
                                 QStringLiteral("中₁"),
                                 QStringLiteral("中₂"),
                                 QStringLiteral("中₃"),
                                 QStringLiteral("文₁"),
                                 QStringLiteral("文₂"),
                                 QStringLiteral("文₃"),
                                 QStringLiteral("⏎"),
                                 QStringLiteral("ok")};
        auto* text = window_->find<TokenText>("tokenText");
        QTRY_VERIFY_WITH_TIMEOUT(text->content().labels.size() > 10 &&
                                     text->content().labels.contains(QStringLiteral("ï₁")),
                                 kPatience);
        for (const QString& label : {QStringLiteral("中₃"), QStringLiteral("文₁")})
            QVERIFY(text->content().labels.contains(label));
        QString written;
        for (const TextPiece& piece : text->content().text)
            written += piece.special ? QString() : piece.text;
        QCOMPARE(written, QStringLiteral("naïve 中文\nok two"));
        const auto first = static_cast<std::size_t>(text->content().labels.indexOf(labels[6]));
        QCOMPARE(text->tokenRect(first).top(), text->tokenRect(first + 2).top());
        QVERIFY(text->tokenRect(first).right() <= text->tokenRect(first + 1).left() + 1);
        QVERIFY(text->tokenRect(text->content().tokens() - 1).top() > text->tokenRect(1).top());
        QCOMPARE(window_->find<TokenStrip>("tokenStrip")->chips()[2].text, labels[2]);
    }

    void linesJoinQueriesAndKeys() {
        click("linesButton");
        auto* lines = window_->find<TokenLines>("tokenLines");
        QVERIFY(lines->isVisible());
        QVERIFY(caption().contains(QStringLiteral("lines from 2 %")));
        const QImage all = grabbed(lines);
        hover(lines, lines->tokenRect(14).center());
        QVERIFY2(words().startsWith(QStringLiteral("query ‹·to› 14 looks at")),
                 qPrintable(words()));
        const QImage one = grabbed(lines);
        QVERIFY(coloured(one) > 0);
        QVERIFY(coloured(one) < coloured(all));
        hover(lines, {lines->viewport()->width() - lines->tokenRect(2).center().x(),
                      lines->tokenRect(2).center().y()});
        QVERIFY2(words().startsWith(QStringLiteral("key ‹·Mary› 2 is read by")),
                 qPrintable(words()));
    }

    void onlyTheLinesInSightAreDrawn() {
        click("linesButton");
        QStringList words;
        for (int i = 0; i < 150; ++i)
            words << (i % 3 == 0 ? QStringLiteral("the") : QStringLiteral("store"));
        document().setPromptText(words.join(QLatin1Char(' ')));
        auto* lines = window_->find<TokenLines>("tokenLines");
        QTRY_VERIFY_WITH_TIMEOUT(lines->content().tokens() > 150, kPatience);
        QVERIFY2(caption().contains(QStringLiteral("queries 0 to ")), qPrintable(caption()));
        lines->verticalScrollBar()->setValue(lines->verticalScrollBar()->maximum());
        const std::size_t tokens = lines->content().tokens();
        QVERIFY2(caption().contains(QStringLiteral(" to %1 of %2").arg(tokens - 1).arg(tokens)),
                 qPrintable(caption()));
        QTest::keyClick(lines, Qt::Key_Home);
        QCOMPARE(lines->verticalScrollBar()->value(), 0);
    }

    void figuresAreExported_data() {
        QTest::addColumn<QByteArray>("button");
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("key");
        QTest::newRow("text") << QByteArray("textButton")
                              << QStringLiteral("Text with L4 H1, L0 H0")
                              << QStringLiteral("_pattern_text.svg");
        QTest::newRow("lines") << QByteArray("linesButton")
                               << QStringLiteral("Lines of L4 H1, L0 H0")
                               << QStringLiteral("_pattern_lines.svg");
    }
    void figuresAreExported() {
        QFETCH(QByteArray, button);
        QFETCH(QString, what);
        QFETCH(QString, key);
        click(button.constData());
        PatternSettings hidden = (*window_)->patternView().settings();
        hidden.first_key = FirstKey::Hidden;
        (*window_)->patternView().setSettings(hidden);
        document().selection().choose({{4, 1}, {0, 0}}, {0, 0});
        QVERIFY(shows(15, {QStringLiteral("L4 H1"), QStringLiteral("L0 H0")}));
        for (const char* format : {"SVG", "PDF", "PNG"}) {
            const OpenedDialog<QDialog> dialog(*window_, "actionExport", "exportDialog");
            QCOMPARE(dialog.find<QComboBox>("exportWhat")->currentText(), what);
            QVERIFY2(dialog.find<QLineEdit>("exportPath")->text().endsWith(key),
                     qPrintable(dialog.find<QLineEdit>("exportPath")->text()));
            chooseByKeys(dialog.find<QComboBox>("exportFormat"), QString::fromLatin1(format));
            const QString path = window_.settings().path(
                QStringLiteral("figure.%1").arg(QString::fromLatin1(format).toLower()));
            dialog.find<QLineEdit>("exportPath")->setText(path);
            QTest::mouseClick(dialog.find<QPushButton>("exportWrite"), Qt::LeftButton);
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY(file.size() > 1000);
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        }
        QFile svg(window_.settings().path(QStringLiteral("figure.svg")));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QString drawn = QString::fromUtf8(svg.readAll());
        QVERIFY(drawn.contains(QStringLiteral("first key hidden")));
        QVERIFY(drawn.contains(QStringLiteral(">L0 H0</text>")));
        QVERIFY(drawn.contains(QStringLiteral("Mary</text>")));
    }

    void thePageIsRemembered() {
        click("linesButton");
        window_->find<QAction>("actionReadBy")->trigger();
        window_->close();
        QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
        QVERIFY(window_->find<TokenLines>("tokenLines")->isVisible());
        QVERIFY(window_->find<QAction>("actionLines")->isChecked());
        QVERIFY(window_->find<QToolButton>("readByButton")->isChecked());
    }

private:
    Document& document() { return window_->document(); }
    const Run& run() { return *document().promptRunner().result()->masked; }
    const Run& full() { return *document().promptRunner().result()->full; }
    QString words() { return window_->find<QLabel>("tokenWords")->text(); }
    QString caption() { return window_->find<QLabel>("tokenCaption")->text(); }
    void click(const char* button) {
        QTest::mouseClick(window_->find<QToolButton>(button), Qt::LeftButton);
    }

    bool shows(std::size_t tokens, const QStringList& heads) {
        return QTest::qWaitFor(
            [&] {
                const auto* const lines = window_->find<TokenLines>("tokenLines");
                const TokenContent& content =
                    lines->isVisible() ? lines->content()
                                       : window_->find<TokenText>("tokenText")->content();
                QStringList names;
                for (const TokenHead& head : content.heads)
                    names << head.name;
                return content.tokens() == tokens && names == heads &&
                       content.heads.front().scale.scale == ValueScale::Linear;
            },
            kPatience);
    }

    static void hover(TokenView* view, QPoint at) {
        QMouseEvent event(QEvent::MouseMove, at, view->viewport()->mapToGlobal(at), Qt::NoButton,
                          Qt::NoButton, {});
        QCoreApplication::sendEvent(view->viewport(), &event);
    }
    void point(std::size_t token) {
        auto* text = window_->find<TokenText>("tokenText");
        hover(text, text->tokenRect(token).center());
    }
    static QImage grabbed(TokenView* view) { return view->viewport()->grab().toImage(); }
    QImage picture() { return grabbed(window_->find<TokenText>("tokenText")); }
    QColor base() { return window_->find<TokenText>("tokenText")->palette().color(QPalette::Base); }
    /// Behind the text of a token, at its upper edge.
    QColor ground(std::size_t token) {
        const QRect rect = window_->find<TokenText>("tokenText")->tokenRect(token);
        return picture().pixelColor(rect.center().x(), rect.top() + 2);
    }
    static int distance(const QColor& a, const QColor& b) {
        return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
               std::abs(a.blue() - b.blue());
    }
    /// Pixels that are neither grey nor white.
    static int coloured(const QImage& image) {
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                count += QColor(image.pixel(x, y)).saturation() > 60 ? 1 : 0;
        return count;
    }

    SharedWindow window_;
    QString prompt_;
};

const headscope::test::TestRegistration<TestTokenPages> registration;

} // namespace test_token_pages

#include "test_token_pages.moc"
