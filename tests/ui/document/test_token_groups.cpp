#include "tests/support/runner.h"
#include "ui/document/token_groups.h"

#include <QTest>

namespace test_token_groups {

using namespace headscope;
using namespace headscope::ui;

namespace {

/// "a", then two tokens that share "é", then three that share " 中" and "x", as tokenizers split
/// it.
Prompt splitPrompt() {
    Prompt prompt;
    prompt.text = "aé 中x";
    prompt.ids = {0, 1, 2, 3, 4, 5, 6};
    prompt.pieces = {"<s>", "a", "\\xC3", "\\xA9", " \\xE4\\xB8", "\\xADx", "\\xE4"};
    prompt.offsets = {{0, 0}, {0, 1}, {1, 2}, {1, 2}, {2, 4}, {3, 5}, {0, 0}};
    return prompt;
}

} // namespace

class TestTokenGroups : public QObject {
    Q_OBJECT

private slots:
    void tokensThatShareACharacterGoTogether() {
        const auto groups = tokenGroups(splitPrompt());
        QCOMPARE(groups.size(), 5u);
        QVERIFY(!groups[0].isOfText());
        QCOMPARE(groups[1].tokens, 1u);
        QCOMPARE(groups[2].first, 2u);
        QCOMPARE(groups[2].tokens, 2u);
        QCOMPARE(groups[3].range, (TextRange{2, 5}));
        QVERIFY(!groups[4].isOfText());
    }

    void bytesShowTheirLetters() {
        const QStringList expected{
            QStringLiteral("<s>"),   QStringLiteral("a"),     QStringLiteral("é₁"),
            QStringLiteral("é₂"),    QStringLiteral("·中x₁"), QStringLiteral("·中x₂"),
            QStringLiteral("\\xE4"),
        };
        QCOMPARE(shownPieces(splitPrompt()), expected);
    }

    void wholeLettersStayAsTheyAre() {
        Prompt prompt; // a normalizer made three tokens of one character
        prompt.text = "½";
        prompt.ids = {1, 2, 3};
        prompt.pieces = {"1", "⁄", "2"};
        prompt.offsets = {{0, 1}, {0, 1}, {0, 1}};
        QCOMPARE(shownPieces(prompt),
                 (QStringList{QStringLiteral("1"), QStringLiteral("⁄"), QStringLiteral("2")}));
    }

    void whatWasPutBeforeATextHasNoLetters() {
        Prompt prompt; // "▁" and "中文", as tokenizers split a text that they put a space before
        prompt.text = "中文";
        prompt.ids = {1, 2};
        prompt.pieces = {" ", "中文"};
        prompt.offsets = {{0, 0}, {0, 2}};
        const auto groups = tokenGroups(prompt);
        QCOMPARE(groups.size(), 2u);
        QVERIFY(!groups[0].isOfText());
        QCOMPARE(groups[1].first, 1u);
        QCOMPARE(groups[1].range, (TextRange{0, 2}));
    }

    void idsHaveNoText() {
        Prompt prompt;
        prompt.ids = {7, 8};
        prompt.pieces = {"⟨7⟩", "⟨8⟩"};
        prompt.offsets = {{}, {}};
        QCOMPARE(tokenGroups(prompt).size(), 2u);
        QCOMPARE(shownPieces(prompt).first(), QStringLiteral("⟨7⟩"));
    }

    void lettersAreCountedByCodePoint() {
        Prompt prompt;
        prompt.text = "😀b";
        const PromptLetters letters(prompt);
        QCOMPARE(letters.size(), 2u);
        QCOMPARE(letters({1, 9}), QStringLiteral("b"));
        QCOMPARE(letters({2, 3}), QString());
    }
};

const headscope::test::TestRegistration<TestTokenGroups> registration;

} // namespace test_token_groups

#include "test_token_groups.moc"
