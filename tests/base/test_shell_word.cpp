#include "core/base/random.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTest>

#include <algorithm>

namespace test_shell_word {

using namespace headscope;

namespace {

/// Printable, with all that shells, their quotes and printf know, and each byte but zero.
std::vector<std::string> hardTexts() {
    std::vector<std::string> texts{"",         "a\nb",          "\n",          "a\n\n",
                                   "\na\r\n",  "it's \\",       "\\\\'\\",     "-n\x03",
                                   "=ls",      "%self\t",       "!! \x15!",    "100%\n5 %d",
                                   "$(x)`x`$", "\x1b[200~ x",   "\"\x7f\" #;", "é\u0085ü",
                                   "\u202e",   "\x83 \xff\xc3", "\ue027;id"};
    std::string all;
    for (int byte = 1; byte < 256; ++byte) {
        all += static_cast<char>(byte);
        texts.push_back(std::string(1, static_cast<char>(byte)) + "7");
    }
    texts.push_back(all);
    Random random(7);
    for (int i = 0; i < 200; ++i) {
        std::string text;
        for (std::uint64_t left = random.below(20); left > 0; --left)
            text += static_cast<char>(1 + random.below(random.below(2) == 0 ? 127 : 255));
        texts.push_back(text);
    }
    return texts;
}

} // namespace

class TestShellWord : public QObject {
    Q_OBJECT

private slots:
    void isPlainWhereItCanBe() {
        QCOMPARE(shellWord("/models/gpt2-mini.h5"), std::string("/models/gpt2-mini.h5"));
        QCOMPARE(shellWord(""), std::string("''"));
        QCOMPARE(shellWord("4.1,4.2"), std::string("4.1,4.2"));
        QCOMPARE(shellWord("it's $HOME é"), std::string("'it'\\''s $HOME é'"));
        QCOMPARE(shellWord("a\\n"), std::string("'a\\n'"));
        QCOMPARE(shellWord("a\\\\"), std::string("'a'\\\\''\\\\''"));
        QCOMPARE(shellWord("=ls"), std::string("'=ls'"));
        QCOMPARE(shellWord("a\ue027\u200b"),
                 std::string("\"$(printf 'a\\356\\200\\247\\342\\200\\213')\""));
        QCOMPARE(shellWord("a\nb\n"), std::string("\"$(printf 'a\\012b')\"'\n'"));
    }

    void holdsNothingThatActsWhileItIsTyped() {
        for (const std::string& text : hardTexts()) {
            std::string word = shellWord(text);
            // Line breaks may end it, in quotes.
            std::size_t end = word.size() - 1;
            while (end > 0 && word[end - 1] == '\n')
                word.erase(--end, 1);
            QCOMPARE(escapeControls(word), word);
        }
    }

    void isReadBackByEveryShell_data() {
        QTest::addColumn<QString>("shell");
        for (const char* const shell : {"sh", "bash", "zsh", "fish"})
            QTest::newRow(shell) << QString::fromLatin1(shell);
    }

    void isReadBackByEveryShell() {
        QFETCH(QString, shell);
        const QString program = QStandardPaths::findExecutable(shell);
        if (program.isEmpty())
            QSKIP("this shell is not installed");
        std::string script = "printf '%s\\0'";
        std::string expected;
        for (const std::string& text : hardTexts()) {
            script += ' ' + shellWord(text);
            expected += text + '\0';
        }
        QProcess process;
        process.start(program, {QStringLiteral("-c"), QStringLiteral("eval \"$(cat)\"")});
        process.write((script + '\n').c_str());
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished());
        const std::string read = process.readAllStandardOutput().toStdString();
        const auto [wrong, _] = std::ranges::mismatch(read, expected);
        QVERIFY2(read == expected, (std::to_string(wrong - read.begin()) + ": " +
                                    process.readAllStandardError().toStdString())
                                       .c_str());
    }
};

const headscope::test::TestRegistration<TestShellWord> registration;

} // namespace test_shell_word

#include "test_shell_word.moc"
