#include "core/datasets/conllu.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_conllu {

using namespace headscope;

namespace {

/// ID, FORM, UPOS, HEAD, DEPREL, MISC with spaces between them.
std::string line(const std::string& short_line) {
    const QStringList parts = QString::fromStdString(short_line).split(u' ');
    if (parts.size() != 6)
        qFatal("'%s' does not have six parts", short_line.c_str());
    const QStringList columns{parts[0],
                              parts[1],
                              parts[1].toLower(),
                              parts[2],
                              QStringLiteral("XPOS"),
                              QStringLiteral("Number=Sing"),
                              parts[3],
                              parts[4],
                              QStringLiteral("_"),
                              parts[5]};
    return columns.join(u'\t').toStdString() + "\n";
}

std::string lines(const std::vector<std::string>& short_lines) {
    std::string text;
    for (const std::string& short_line : short_lines)
        text += line(short_line);
    return text;
}

/// The only sentence of a file that must be read.
Sentence read(const std::string& content) {
    auto sentences = readConllu(content, "file.conllu");
    if (!sentences)
        qFatal("%s", sentences.error().message.c_str());
    if (sentences->size() != 1)
        qFatal("%zu sentences instead of one", sentences->size());
    return std::move(sentences->front());
}

std::string refusal(const std::string& content) {
    const auto sentences = readConllu(content, "file.conllu");
    return sentences ? "accepted" : sentences.error().message;
}

std::string textOf(const Sentence& sentence, std::size_t word) {
    const Word& w = sentence.words[word];
    return sentence.text.substr(w.begin, w.end - w.begin);
}

const std::string kSheSaidHi =
    lines({"1 She PRON 2 nsubj _", "2 said VERB 0 root SpaceAfter=No", "3 , PUNCT 5 punct _",
           "4 \" PUNCT 5 punct Quote=a|SpaceAfter=No", "5 Hi INTJ 2 ccomp Lang=en|SpaceAfter=No",
           "6 \" PUNCT 5 punct SpaceAfter=No|Quote=a", "7 to ADP 8 case SpaceAfter=Yes",
           "8 herself PRON 2 obl Coref=1|SpaceAfter=No"});

} // namespace

class TestConllu : public QObject {
    Q_OBJECT

private slots:
    void everythingOfASentence();
    void namesAndTexts();
    void windowsLines();
    void contraction();
    void contractionThatIsSpelledOut();
    void emptyNodes();
    void spaceThatTextHasMoreOf();
    void unknownHeads();
    void nothing();
    void refusals_data();
    void refusals();
    void tooLarge();
    void tooManyWords();
    void longChainOfHeads();
};

void TestConllu::everythingOfASentence() {
    const Sentence sentence = read("# sent_id = s1\n# newpar\n" + kSheSaidHi + "\n");
    QCOMPARE(sentence.id, std::string("s1"));
    QCOMPARE(sentence.text, std::string("She said, \"Hi\"to herself"));
    QCOMPARE(sentence.words.size(), std::size_t{8});
    QCOMPARE(textOf(sentence, 3), std::string("\""));
    QCOMPARE(textOf(sentence, 7), std::string("herself"));
    const Word& she = sentence.words[0];
    QCOMPARE(she.form, std::string("She"));
    QCOMPARE(she.word_class, std::string("PRON"));
    QCOMPARE(she.relation, std::string("nsubj"));
    QCOMPARE(she.head, std::optional<std::size_t>(1));
    QCOMPARE(she.antecedent, std::nullopt);
    QCOMPARE(sentence.words[1].head, std::nullopt);
    QCOMPARE(sentence.words[7].antecedent, std::optional<std::size_t>(0));
    QCOMPARE(sentence.quotations.size(), std::size_t{1});
    QCOMPARE(sentence.quotations[0].open, std::size_t{3});
    QCOMPARE(sentence.quotations[0].close, std::size_t{5});
}

void TestConllu::namesAndTexts() {
    const std::string word = line("1 Yes INTJ 0 root _");
    const auto sentences = readConllu("# global.columns = ID FORM\n\n" + word +
                                          "\n\n# sent_id = b\n" + "# text = Yes\n" + word,
                                      "file.conllu");
    QVERIFY(sentences);
    QCOMPARE(sentences->size(), std::size_t{2});
    QCOMPARE(sentences->at(0).id, std::string("1"));
    QCOMPARE(sentences->at(1).id, std::string("b"));
    QCOMPARE(sentences->at(1).text, std::string("Yes"));
}

void TestConllu::windowsLines() {
    const std::string content = "\uFEFF# sent_id = s1\n" + kSheSaidHi + "\n";
    const QString windows = QString::fromStdString(content).replace(u'\n', QStringLiteral("\r\n"));
    const Sentence sentence = read(windows.toStdString());
    QCOMPARE(sentence.id, std::string("s1"));
    QCOMPARE(sentence.text, std::string("She said, \"Hi\"to herself"));
    QCOMPARE(sentence.words[7].antecedent, std::optional<std::size_t>(0));
}

/// German "zum" is "zu dem", which it does not spell.
void TestConllu::contraction() {
    const Sentence sentence = read(lines(
        {"1 Er PRON 2 nsubj _", "2 geht VERB 0 root _", "3-4 zum _ _ _ _", "3 zu ADP 5 case _",
         "4 dem DET 5 det _", "5 Haus NOUN 2 obl SpaceAfter=No", "6 . PUNCT 2 punct _"}));
    QCOMPARE(sentence.text, std::string("Er geht zum Haus."));
    QCOMPARE(sentence.words[2].form, std::string("zu"));
    QCOMPARE(textOf(sentence, 2), std::string("zum"));
    QCOMPARE(textOf(sentence, 3), std::string());
    QCOMPARE(textOf(sentence, 4), std::string("Haus"));
}

void TestConllu::contractionThatIsSpelledOut() {
    const Sentence sentence =
        read("# text = Don't.\n" + lines({"1-2 Don't _ _ _ SpaceAfter=No", "1 Do AUX 0 root _",
                                          "2 n't PART 1 advmod _", "3 . PUNCT 1 punct _"}));
    QCOMPARE(textOf(sentence, 0), std::string("Do"));
    QCOMPARE(textOf(sentence, 1), std::string("n't"));
    QCOMPARE(textOf(sentence, 2), std::string("."));
    const Sentence rebuilt = read(lines({"1-2 Don't _ _ _ SpaceAfter=No", "1 Do AUX 0 root _",
                                         "2 n't PART 1 advmod _", "3 . PUNCT 1 punct _"}));
    QCOMPARE(rebuilt.text, std::string("Don't."));
}

void TestConllu::emptyNodes() {
    const Sentence sentence = read(lines(
        {"0.1 _ _ _ _ _", "1 Tea NOUN 0 root _", "1.1 likes VERB _ _ _", "2 too ADV 1 advmod _"}));
    QCOMPARE(sentence.text, std::string("Tea too"));
    QCOMPARE(sentence.words.size(), std::size_t{2});
}

void TestConllu::spaceThatTextHasMoreOf() {
    const Sentence sentence =
        read("# text = one  two \n" + lines({"1 one NUM 0 root _", "2 two NUM 1 flat _"}));
    QCOMPARE(textOf(sentence, 1), std::string("two"));
    QCOMPARE(sentence.words[1].begin, std::size_t{5});
}

void TestConllu::unknownHeads() {
    const Sentence sentence = read(lines({"1 one _ _ _ _", "2 two _ _ _ _"}));
    QCOMPARE(sentence.words[0].head, std::nullopt);
    QCOMPARE(sentence.words[0].relation, std::string());
    QCOMPARE(sentence.words[0].word_class, std::string());
}

void TestConllu::nothing() {
    for (const std::string content : {"", "\n\n", "# only a comment\n"}) {
        const auto sentences = readConllu(content, "file.conllu");
        QVERIFY(sentences);
        QVERIFY(sentences->empty());
    }
}

void TestConllu::refusals_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char* name, const std::string& content, const char* message) {
        QTest::addRow("%s", name) << QByteArray::fromStdString(content) << QByteArray(message);
    };
    const std::string first = line("1 a DET 0 root _");
    row("columns", first + "2\tb\tc\n",
        "line 2: expected 10 columns with tabs between them, found 3.");
    row("spaces for tabs", "1 a _ DET _ _ 0 root _ _\n",
        "line 1: expected 10 columns with tabs between them, found 1.");
    row("empty form", "1\t\t_\t_\t_\t_\t0\t_\t_\t_\n", "line 1: FORM is empty.");
    row("ID not next", first + line("3 b DET 1 dep _"), "line 2: ID is '3', expected 2.");
    row("ID no number", line("x b DET 1 dep _"), "line 1: ID is 'x', expected 1.");
    row("ID of the next sentence", first + "\n" + line("2 b DET 1 dep _"),
        "line 3: ID is '2', expected 1.");
    row("head no number", line("1 b DET x dep _"),
        "line 1: HEAD is 'x', expected the number of a word.");
    row("head negative", line("1 b DET -1 dep _"),
        "line 1: HEAD is '-1', expected the number of a word.");
    row("head out of range", first + line("2 b DET 3 dep _"),
        "line 2: HEAD is 3, but the sentence has 2 words.");
    row("head overflow", line("1 b DET 99999999999999999999 dep _"),
        "line 1: HEAD is '99999999999999999999', expected the number of a word.");
    row("own head", first + line("2 b DET 2 dep _"), "line 2: the heads lead in a circle.");
    row("circle",
        first + line("2 b DET 3 dep _") + line("3 c DET 4 dep _") + line("4 d DET 2 dep _"),
        "line 2: the heads lead in a circle.");
    row("antecedent later", line("1 a DET 0 root Coref=2") + line("2 b DET 1 dep _"),
        "line 1: Coref=2 is no earlier word.");
    row("antecedent itself", first + line("2 b DET 1 dep Coref=2"),
        "line 2: Coref=2 is no earlier word.");
    row("antecedent zero", first + line("2 b DET 1 dep Coref=0"),
        "line 2: Coref=0 is no earlier word.");
    row("antecedent no number", first + line("2 b DET 1 dep Coref=a"),
        "line 2: Coref is 'a', expected the number of a word.");
    row("one mark", first + line("2 \" PUNCT 1 punct Quote=1"),
        "line 2: Quote=1 is on 1 word, expected the opening and the closing mark.");
    row("three marks",
        line("1 \" PUNCT 0 root Quote=1") + line("2 \" PUNCT 1 punct Quote=1") +
            line("3 \" PUNCT 1 punct Quote=1"),
        "line 1: Quote=1 is on 3 words, expected the opening and the closing mark.");
    row("not in the text", "# text = a c\n" + first + line("2 b DET 1 dep _"),
        "line 3: \"b\" is not the next word of the sentence's # text.");
    row("more text", "# text = a b\n" + first,
        "line 2: the sentence's # text goes on after its last word with \" b\".");
    row("range of the past", first + line("1-2 ab _ _ _ _"), "line 2: ID is '1-2', expected 2.");
    row("range backwards", first + line("2-1 ab _ _ _ _"),
        "line 2: '2-1' is no range of words after the last one.");
    row("range in a range", line("1-2 ab _ _ _ _") + first + line("2-3 bc _ _ _ _"),
        "line 3: '2-3' is no range of words after the last one.");
    row("range beyond the end", line("1-9 ab _ _ _ _") + first,
        "line 1: the range goes beyond the last word, 1.");
    row("range without an end", line("1- ab _ _ _ _") + first,
        "line 1: '1-' is no range of words after the last one.");
    row("not UTF-8", first + "# \xFF\n", "line 2: it is not UTF-8.");
}

void TestConllu::refusals() {
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, message);
    QCOMPARE(QByteArray::fromStdString(refusal(content.toStdString())), "file.conllu, " + message);
}

void TestConllu::tooLarge() {
    const std::string content(kLargestConllu + 1, '#');
    const auto refused = readConllu(content, "file.conllu");
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::TooLarge);
    QCOMPARE(refused.error().message,
             std::string("file.conllu has 50.0 MB, but at most 50.0 MB are read; take a part of "
                         "it."));
}

void TestConllu::tooManyWords() {
    std::string content;
    for (std::size_t i = 1; i <= kLongestSentence + 1; ++i)
        content += line(std::to_string(i) + " a X 0 root _");
    QCOMPARE(refusal(content),
             std::string("file.conllu, line 10001: the sentence has more than 10000 words."));
}

/// Each word hangs on the next one: no recursion, and no walk of quadratic length.
void TestConllu::longChainOfHeads() {
    std::string content;
    for (std::size_t i = 1; i <= kLongestSentence; ++i)
        content += line(std::to_string(i) + " a X " +
                        std::to_string(i == kLongestSentence ? 0 : i + 1) + " dep _");
    const Sentence sentence = read(content);
    QCOMPARE(sentence.words.size(), kLongestSentence);
}

const headscope::test::TestRegistration<TestConllu> registration;

} // namespace test_conllu

#include "test_conllu.moc"
