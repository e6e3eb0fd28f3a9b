#include "core/engine/generate.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/prompt/prompt_bar.h"
#include "ui/views/window/messages.h"
#include "ui/widgets/token_strip.h"

#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace test_write_on {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestWriteOn : public QObject {
    Q_OBJECT

private:
    static bool hasRun(WindowUnderTest& window) { return window->promptBar().writer().canWrite(); }
    static void start(WindowUnderTest& window, const char* model, const QString& prompt) {
        QVERIFY(window.start(QString::fromLatin1(model)));
        window.document().setPromptText(prompt);
        QTRY_VERIFY_WITH_TIMEOUT(hasRun(window), kPatience);
    }
    static void choose(WindowUnderTest& window, const char* name) {
        window->findChild<QAction*>(QString::fromLatin1(name))->trigger();
    }
    static void write(WindowUnderTest& window) {
        const QString before = window.document().promptText();
        QTest::mouseClick(window.find<QToolButton>("writeButton"), Qt::LeftButton, {}, {8, 8});
        QTRY_VERIFY_WITH_TIMEOUT(window.document().promptText() != before, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(hasRun(window), kPatience);
    }
    static QString continued(WindowUnderTest& window, const GenerateOptions& options) {
        const auto model = window.document().model();
        const auto tokens =
            generate(model, window.document().promptRunner().result()->prompt.ids, options);
        std::string text = window.document().promptText().toStdString();
        for (const GeneratedToken& token : *tokens)
            text += model->tokenizer->piece(token.id);
        return QString::fromStdString(text);
    }
    static qsizetype underlined(WindowUnderTest& window) {
        const auto* strip = window.find<TokenStrip>("tokenStrip");
        qsizetype count = 0;
        for (qsizetype i = 0; i < strip->chips().size(); ++i)
            count += strip->isUnderlined(i) ? 1 : 0;
        return count;
    }

private slots:
    void whatTheModelGivesBecomesThePrompt() {
        const TemporarySettings settings;
        WindowUnderTest window;
        start(window, "gpt2-mini-6l", QStringLiteral("Once upon a time"));
        choose(window, "write_5");
        const QString expected = continued(window, {.tokens = 5});
        write(window);
        QCOMPARE(window.document().promptText(), expected);
        const auto* strip = window.find<TokenStrip>("tokenStrip");
        QCOMPARE(strip->chips().size(), 10);
        QVERIFY(!strip->isUnderlined(4) && strip->isUnderlined(5) && strip->isUnderlined(9));
        write(window); // behind what it wrote
        QCOMPARE(underlined(window), 10);
    }

    void theLastTokenIsTakenBack() {
        const TemporarySettings settings;
        WindowUnderTest window;
        start(window, "gpt2-mini-6l", QStringLiteral("Once upon a time"));
        choose(window, "write_5");
        write(window);
        const auto back = [&] {
            const qsizetype chips = window.find<TokenStrip>("tokenStrip")->chips().size();
            QTest::keyClick(&*window, Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
            QTRY_COMPARE_WITH_TIMEOUT(window.find<TokenStrip>("tokenStrip")->chips().size(),
                                      chips - 1, kPatience);
            QTRY_VERIFY_WITH_TIMEOUT(hasRun(window), kPatience);
        };
        back();
        QCOMPARE(underlined(window), 4);
        for (int i = 0; i < 4; ++i)
            back();
        QCOMPARE(window.document().promptText(), QStringLiteral("Once upon a time"));
        QCOMPARE(underlined(window), 0);
        back();
        QCOMPARE(window.document().promptText(), QStringLiteral("Once upon a"));
    }

    void whatIsEditedIsNoLongerTheModels() {
        const TemporarySettings settings;
        WindowUnderTest window;
        start(window, "gpt2-mini-6l", QStringLiteral("Once upon a time"));
        choose(window, "write_5");
        write(window);
        Document& document = window.document();
        document.setPromptText(document.promptText() + QStringLiteral(" and"));
        QTRY_VERIFY_WITH_TIMEOUT(hasRun(window), kPatience);
        QCOMPARE(underlined(window), 5); // the user's word is not
        document.setPromptText(QStringLiteral("Twice") + document.promptText().mid(4));
        QTRY_VERIFY_WITH_TIMEOUT(hasRun(window), kPatience);
        QCOMPARE(underlined(window), 0);
    }

    void drawsHaveSeedsOfTheirOwn() {
        const TemporarySettings settings;
        WindowUnderTest window;
        start(window, "gpt2-mini-6l", QStringLiteral("Once upon a time"));
        choose(window, "write_20");
        choose(window, "temperature_1");
        const auto* button = window.find<QToolButton>("writeButton");
        for (const std::uint64_t seed : {0u, 1u}) {
            QVERIFY(
                button->toolTip().contains(QStringLiteral("temperature 1 with seed %1").arg(seed)));
            const QString expected =
                continued(window, {.tokens = 20, .temperature = 1.0, .seed = seed});
            write(window);
            QCOMPARE(window.document().promptText(), expected);
            window.document().setPromptText(QStringLiteral("Once upon a time"));
            QTRY_VERIFY_WITH_TIMEOUT(hasRun(window), kPatience);
        }
        WindowUnderTest again;
        QVERIFY(again.start(QStringLiteral("gpt2-mini-6l")));
        QCOMPARE(again->promptBar().writer().settings().temperature, 1.0);
    }

    void ablatedHeadsStayAblated() {
        const TemporarySettings settings;
        WindowUnderTest window;
        start(window, "gpt2-mini-6l",
              QStringLiteral("When Mary and John went to the store, John gave a drink to"));
        Document& document = window.document();
        for (const std::size_t head : {1u, 2u, 5u})
            document.ablation().toggleHead({4, head});
        QVERIFY(window.settled());
        choose(window, "write_5");
        const QString whole = continued(window, {.tokens = 5});
        const QString expected =
            continued(window, {.tokens = 5, .mask = document.ablation().mask()});
        QVERIFY(whole != expected);
        write(window);
        QCOMPARE(document.promptText(), expected);
    }

    void aStoppedTextIsNotWritten() {
        const TemporarySettings settings;
        WindowUnderTest window;
        start(window, "gpt2-mini-6l", QStringLiteral("Once upon a time"));
        choose(window, "write_100");
        auto* button = window.find<QToolButton>("writeButton");
        QTest::keyClick(&*window, Qt::Key_G, Qt::ControlModifier);
        QCOMPARE(button->text(), QStringLiteral("Stop"));
        QTest::mouseClick(button, Qt::LeftButton, {}, {8, 8});
        QCOMPARE(button->text(), QStringLiteral("Write on"));
        QVERIFY(window.settled());
        QCOMPARE(window.document().promptText(), QStringLiteral("Once upon a time"));
    }

    void modelsWithoutATokenizerGoOnInIds() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        window.document().open(QStringLiteral(HEADSCOPE_TEST_DATA "/fixtures/gpt2.h5"));
        QTRY_VERIFY_WITH_TIMEOUT(!window.document().model()->tokenizer && hasRun(window),
                                 kPatience);
        choose(window, "write_1");
        const std::size_t before = window.document().promptRunner().result()->prompt.ids.size();
        write(window);
        QCOMPARE(window.document().promptRunner().result()->prompt.ids.size(), before + 1);
        QTest::keyClick(&*window, Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(window.document().promptRunner().result()->prompt.ids.size(),
                                  before, kPatience);
    }

    void whoReadsBothWaysDoesNotWrite() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("bert-mini-4l")));
        QVERIFY(!window.find<QToolButton>("writeButton")->isEnabled());
        const QString before = window.document().promptText();
        QTest::keyClick(&*window, Qt::Key_G, Qt::ControlModifier);
        QVERIFY(!window->promptBar().writer().worker()->isBusy());
        QCOMPARE(window.document().promptText(), before);
    }
};

const headscope::test::TestRegistration<TestWriteOn> registration;

} // namespace test_write_on

#include "test_write_on.moc"
