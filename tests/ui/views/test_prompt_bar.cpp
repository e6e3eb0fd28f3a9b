#include "core/model/prompt.h"
#include "tests/support/runner.h"
#include "tests/ui/views/open_menu.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/stale.h"
#include "ui/widgets/token_strip.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QToolButton>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace test_prompt_bar {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestPromptBar : public QObject {
    Q_OBJECT

private slots:
    void typingRunsThePrompt() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        auto* edit = window.find<QLineEdit>("promptEdit");
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, QStringLiteral("Sue met Tom"));
        const auto expected =
            promptFromText(*window.document().model(), "Sue met Tom", BosMode::Auto);
        QVERIFY(bool(expected));
        QTRY_COMPARE_WITH_TIMEOUT(window.document().promptRunner().result()->prompt.ids,
                                  expected->ids, kPatience);
        QCOMPARE(window.document().promptRunner().result()->full->ids, expected->ids);
        const auto& chips = window.find<TokenStrip>("tokenStrip")->chips();
        QCOMPARE(chips.size(), static_cast<qsizetype>(expected->ids.size()));
        QVERIFY(chips.first().special);
        QCOMPARE(chips.last().text, QString::fromStdString(displayPiece(expected->pieces.back())));
        QVERIFY(chips.at(1).tooltip.contains(QStringLiteral("id %1").arg(expected->ids[1])));
        const auto* heatmap = window.find<Heatmap>("heatmap");
        QTRY_COMPARE_WITH_TIMEOUT(heatmap->content().row_labels.size(), chips.size(), kPatience);
    }

    void bosCanBeToggled() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        Document& document = window.document();
        const TokenIds with = document.promptRunner().result()->prompt.ids;
        auto* button = window.find<QToolButton>("bosButton");
        QVERIFY(button->isChecked());
        QVERIFY(button->toolTip().contains(
            QString::fromStdString(document.promptRunner().result()->prompt.bos_reason)
                .toHtmlEscaped()));

        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(document.bosMode(), BosMode::No);
        QTRY_COMPARE_WITH_TIMEOUT(document.promptRunner().result()->prompt.ids,
                                  TokenIds(with.begin() + 1, with.end()), kPatience);
        QVERIFY(!button->isChecked());

        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(document.bosMode(), BosMode::Auto);
        QTRY_COMPARE_WITH_TIMEOUT(document.promptRunner().result()->prompt.ids, with, kPatience);
    }

    void predictionsAreShown() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const QString text = window.find<QLabel>("outcomeLabel")->text();
        QVERIFY2(text.startsWith(QStringLiteral("next:")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("·Mary")), qPrintable(text));
    }

    void aMaskedLanguageModelAsksForItsMask() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("bert-mini-4l")));
        auto* outcome = window.find<QLabel>("outcomeLabel");
        QVERIFY(outcome->text().contains(QStringLiteral("[MASK]:")));
        window.document().setPromptText(QStringLiteral("Mary went home."));
        QTRY_COMPARE_WITH_TIMEOUT(
            outcome->text(), QStringLiteral("Write [MASK] where the model should fill in a token."),
            kPatience);
    }

    void twoTextsStandInTwoFields() {
        const TemporarySettings settings;
        WindowUnderTest window;
        StartOptions options;
        options.model = QStringLiteral(HEADSCOPE_TEST_DATA "/fixtures/bert-pair.h5");
        options.text = QStringLiteral("the cat");
        QVERIFY(window.start(options));
        Document& document = window.document();
        auto* first = window.find<QLineEdit>("promptEdit");
        auto* second = window.find<QLineEdit>("pairEdit");
        QVERIFY(second->isVisible());
        QVERIFY(second->text().isEmpty());
        second->setFocus();
        QTest::keyClicks(second, QStringLiteral("a dog"));
        const std::vector<std::size_t> expected{0, 0, 0, 0, 1, 1, 1};
        const auto segments = [&] { return document.promptRunner().result()->prompt.segments; };
        QTRY_COMPARE_WITH_TIMEOUT(segments(), expected, kPatience);
        QCOMPARE(document.promptText(), QStringLiteral("the cat[SEP]a dog"));
        QCOMPARE(first->text(), QStringLiteral("the cat"));
        const auto& chips = window.find<TokenStrip>("tokenStrip")->chips();
        QCOMPARE(chips.size(), 7);
        for (qsizetype i = 0; i < chips.size(); ++i) {
            QCOMPARE(chips[i].second, i > 3);
            QVERIFY(chips[i].tooltip.contains(QStringLiteral("segment %1").arg(i > 3 ? 1 : 0)));
        }

        // A prompt from elsewhere, such as the history, is split where its separator is.
        document.setPromptText(QStringLiteral("a rug[SEP]the mat"));
        QCOMPARE(first->text(), QStringLiteral("a rug"));
        QCOMPARE(second->text(), QStringLiteral("the mat"));
        document.setPromptText(QStringLiteral("a rug"));
        QCOMPARE(second->text(), QString());
        // One that is being typed stays where it is typed.
        first->setFocus();
        first->end(false);
        QTest::keyClicks(first, QStringLiteral(" [SEP] the"));
        QCOMPARE(first->text(), QStringLiteral("a rug [SEP] the"));
        QCOMPARE(second->text(), QString());
    }

    void oneTextHasOneField() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        QVERIFY(window.find<QLineEdit>("pairEdit")->isHidden());
    }

    void aTokenHasAMenu() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        auto* strip = window.find<TokenStrip>("tokenStrip");
        const QPoint mary = strip->chipRect(2).center();
        const int id = window.document().promptRunner().result()->prompt.ids[2];
        QCOMPARE(chooseInMenu(*strip, mary, "copyToken"), 3);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral(" Mary"));
        chooseInMenu(*strip, mary, "copyTokenId");
        QCOMPARE(QApplication::clipboard()->text(), QString::number(id));
        chooseInMenu(*strip, mary, "lockTokenRow");
        QCOMPARE(window.document().selection().lockedRow(), std::optional<std::size_t>(2));
        chooseInMenu(*strip, mary, "lockTokenRow");
        QVERIFY(!window.document().selection().lockedRow());
    }

    void aPredictionCanBeCopiedAndAppended() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        auto* outcome = window.find<QLabel>("outcomeLabel");
        const QPoint at = outcome->rect().center();
        chooseInMenu(*outcome, at, "copyPredictions");
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("next:")));
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("·Mary")));
        const QString before = window.document().promptText();
        chooseInMenu(*outcome, at, "appendToken");
        QCOMPARE(window.find<QLineEdit>("promptEdit")->text(), before + QStringLiteral(" Mary"));
    }

    void unknownTokensAreCounted() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("notebook")));
        const auto* outcome = window.find<QLabel>("outcomeLabel");
        const QString said = QStringLiteral("unknown to this tokenizer.");
        QVERIFY2(!outcome->text().contains(said), qPrintable(outcome->text()));
        window.document().setPromptText(QStringLiteral("transformers qwertz asdf"));
        QTRY_VERIFY_WITH_TIMEOUT(
            outcome->text().startsWith(QStringLiteral("2 of 3 tokens are ") + said), kPatience);
        QVERIFY(outcome->accessibleName().contains(said));
    }

    void aPromptThatCannotRunLeavesThePicture() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const auto result = window.document().promptRunner().result();
        auto* edit = window.find<QLineEdit>("promptEdit");
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, QString(40, QLatin1Char('a'))); // the context holds 16
        auto* stale = window.find<QLabel>("staleLabel");
        QTRY_VERIFY_WITH_TIMEOUT(stale->isVisible(), kPatience);
        QVERIFY(stale->text().contains(QStringLiteral("emma")));
        QVERIFY(isStale(window.find<TokenStrip>("tokenStrip")));
        QCOMPARE(window.find<QLabel>("outcomeLabel")->text(),
                 window.document().promptRunner().error());
        QVERIFY(window.document().promptRunner().result() == result);
        QVERIFY(window.find<Heatmap>("heatmap")->content().cells != nullptr);
        edit->selectAll();
        QTest::keyClicks(edit, QStringLiteral("anna"));
        QTRY_VERIFY_WITH_TIMEOUT(!stale->isVisible(), kPatience);
        QVERIFY(!isStale(window.find<TokenStrip>("tokenStrip")));
    }

    /// Without any patience a prompt takes too long: it runs only after the pause of typing.
    void whatIsOfTheEarlierPromptIsDimmed() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        PromptRunner& runner = window.document().promptRunner();
        const std::vector<QWidget*> views{
            window.find<TokenStrip>("tokenStrip"), window.find<QLabel>("outcomeLabel"),
            window.find<QLabel>("lossLabel"),      window.find<Heatmap>("heatmap")->parentWidget(),
            window.find<QLabel>("headCardReads"),  window.find<QWidget>("headCardWrites")};
        const auto dimmed = [&] { return std::ranges::count_if(views, isStale); };
        QCOMPARE(dimmed(), 0);
        runner.setPatience(std::chrono::milliseconds(0));
        std::vector<std::ptrdiff_t> counts;
        connect(&runner, &PromptRunner::currentChanged, this, [&] {
            if (!runner.isCurrent())
                counts.push_back(dimmed());
        });
        window.document().setPromptText(QStringLiteral("Mary and John went to the store"));
        QVERIFY(window.hasRun());
        QCOMPARE(counts, std::vector<std::ptrdiff_t>{6});
        QVERIFY(runner.isCurrent());
        QVERIFY(window.settled());
        QTRY_COMPARE_WITH_TIMEOUT(dimmed(), 0, kPatience);
        runner.disconnect(this);
    }

    void theEarlierPromptIsQuotedInShort() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        window.document().setPromptText(QStringLiteral("so it goes on ").repeated(10));
        QTRY_VERIFY_WITH_TIMEOUT(window.document().promptRunner().result()->prompt.ids.size() > 30,
                                 kPatience);
        window.document().setPromptText(QStringLiteral("too long ").repeated(600));
        auto* stale = window.find<QLabel>("staleLabel");
        QTRY_VERIFY_WITH_TIMEOUT(stale->isVisible(), kPatience);
        QVERIFY2(stale->text().contains(QStringLiteral("so it goes on")) &&
                     stale->text().endsWith(QStringLiteral(" …”")),
                 qPrintable(stale->text()));
        QVERIFY(stale->text().size() < 110);
    }

    void theEarlierPromptMayBeIds() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.startOn(QStringLiteral(HEADSCOPE_TEST_DATA "/fixtures/gpt2.h5")));
        if (window.document().model()->tokenizer)
            QSKIP("this fixture carries a tokenizer");
        window.document().setPromptText(QStringLiteral("3 1 2"));
        QTRY_COMPARE_WITH_TIMEOUT(window.document().promptRunner().result()->prompt.ids.back(), 2,
                                  kPatience);
        window.document().setPromptText(QStringLiteral("3 1 2000000"));
        auto* stale = window.find<QLabel>("staleLabel");
        QTRY_VERIFY_WITH_TIMEOUT(stale->isVisible(), kPatience);
        QVERIFY2(stale->text().contains(QStringLiteral("3 1 2”")), qPrintable(stale->text()));
    }

    void ofTwoMasksItSaysWhichOneIsFilled() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("bert-mini-4l")));
        window.document().setPromptText(QStringLiteral("Mary [MASK] to the [MASK]."));
        auto* outcome = window.find<QLabel>("outcomeLabel");
        QTRY_VERIFY_WITH_TIMEOUT(outcome->text().contains(QStringLiteral("of 2 [MASK]")),
                                 kPatience);
        const auto place = *window.document().promptRunner().result()->predicted_at;
        QVERIFY2(outcome->text().startsWith(
                     QStringLiteral("at the first of 2 [MASK], position %1:").arg(place)),
                 qPrintable(outcome->text()));
    }

    void aLongPromptIsNotCut() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const QString text(40000, QLatin1Char('a')); // a line edit alone stops at 32767
        window.document().setPromptText(text);
        QCOMPARE(window.find<QLineEdit>("promptEdit")->text(), text);
    }

    void anotherModelTakesTheTokensAway() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        auto* strip = window.find<TokenStrip>("tokenStrip");
        QVERIFY(!strip->chips().isEmpty());
        QSignalSpy changed(&window.document(), &Document::modelChanged);
        bool emptied = false;
        connect(&window.document(), &Document::modelChanged, this,
                [&] { emptied = strip->chips().isEmpty(); });
        window.document().open(samplePath(QStringLiteral("notebook")));
        QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, kPatience);
        QVERIFY(emptied);
    }

    void theTokensFollowTheCursor() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        window.document().setPromptText(
            QStringLiteral("Mary and John went to the store. ").repeated(30).trimmed());
        QVERIFY(window.settled());
        auto* strip = window.find<TokenStrip>("tokenStrip");
        QTRY_VERIFY_WITH_TIMEOUT(strip->chips().size() > 200, kPatience);
        auto* edit = window.find<QLineEdit>("promptEdit");
        edit->setFocus();
        QTest::keyClick(edit, Qt::Key_Home);
        QVERIFY(strip->rect().contains(strip->chipRect(0)));
        QTest::keyClick(edit, Qt::Key_End);
        QVERIFY(strip->rect().contains(strip->chipRect(strip->chips().size() - 1)));
        QVERIFY(!strip->rect().contains(strip->chipRect(0)));
        QTest::keyClick(edit, Qt::Key_Home);
        QVERIFY(strip->rect().contains(strip->chipRect(0)));
        QTest::keyClicks(edit, QStringLiteral("Once ")); // also when the new tokens arrive
        QTest::keyClick(edit, Qt::Key_End);
        QTest::keyClicks(edit, QStringLiteral(" dog"));
        QTRY_COMPARE_WITH_TIMEOUT(strip->chips().last().text, QStringLiteral("·dog"), kPatience);
        QVERIFY(strip->rect().contains(strip->chipRect(strip->chips().size() - 1)));
    }

    void aModelWithoutTokenizerTakesIds() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.startOn(QStringLiteral(HEADSCOPE_TEST_DATA "/fixtures/gpt2.h5")));
        if (window.document().model()->tokenizer)
            QSKIP("this fixture carries a tokenizer");
        auto* edit = window.find<QLineEdit>("promptEdit");
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, QStringLiteral("3 1 2"));
        const auto expected = promptFromIds(*window.document().model(), {3, 1, 2}, BosMode::Auto);
        QVERIFY(bool(expected));
        QTRY_COMPARE_WITH_TIMEOUT(window.document().promptRunner().result()->prompt.ids,
                                  expected->ids, kPatience);
    }
};

const headscope::test::TestRegistration<TestPromptBar> registration;

} // namespace test_prompt_bar

#include "test_prompt_bar.moc"
