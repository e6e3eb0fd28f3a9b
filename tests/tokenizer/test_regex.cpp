#include "core/tokenizer/pre_tokenizers/regex.h"
#include "core/tokenizer/pre_tokenizers/regex_dialect.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_regex {

using namespace headscope;
using namespace Qt::StringLiterals;

/// Patterns in the dialect of tokenizer.json, and what of it is refused.
class TestRegex : public QObject {
    Q_OBJECT

private slots:
    void findAll_data();
    void findAll();
    void refusedConstruct_data();
    void refusedConstruct();
    void literalText();
    void stepLimit();
    void longMatch();
};

namespace {

/// The matches of a pattern, with | between them.
QString matchesOf(const Regex& regex, const std::string& text) {
    const auto matches = regex.findAll(text);
    if (!matches)
        return QString::fromStdString(matches.error().message);
    QStringList found;
    for (const ByteRange match : *matches)
        found += QString::fromStdString(text.substr(match.begin, match.size()));
    return found.join(u'|');
}

} // namespace

void TestRegex::findAll_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("matches");
    QTest::newRow("words") << uR"(\w+)"_s << u"naïve e\u0301a x_1 ½"_s << u"naïve|e\u0301a|x_1|½"_s;
    QTest::newRow("no words") << uR"(\W+)"_s << u"a, b"_s << u", "_s;
    QTest::newRow("spaces") << uR"(\s)"_s << u"a\u3000b\u180Ec\u0085"_s << u"\u3000|\u0085"_s;
    QTest::newRow("no spaces, in a class") << uR"([^\S\n]+)"_s << u"a \t\nb"_s << u" \t"_s;
    QTest::newRow("digits") << uR"(\d+)"_s << u"12 ٣ ²"_s << u"12|٣"_s;
    QTest::newRow("a script") << uR"(\p{Han}+)"_s << u"日本、ご"_s << u"日本"_s;
    QTest::newRow("a negated property") << uR"(\p{^L}\P{L})"_s << u"a12b"_s << u"12"_s;
    QTest::newRow("a category") << uR"([\p{Lu}\p{Nd}]\p{Ll}?)"_s << u"AbC1"_s << u"Ab|C|1"_s;
    QTest::newRow("a code point") << uR"(\u65e5|\x{672C}+)"_s << u"日本本"_s << u"日|本本"_s;
    QTest::newRow("either case") << uR"((?i:'s|'ll))"_s << u"'S 'lL"_s << u"'S|'lL"_s;
    QTest::newRow("lookaround") << uR"((?<=a)b(?!c)|(?<!a)d(?=e))"_s << u"ab abc de ade"_s
                                << u"b|d"_s;
    QTest::newRow("lines") << uR"(^.|.$)"_s << u"ab\ncd"_s << u"a|b|c|d"_s;
    QTest::newRow("a point is no line end") << uR"(a.)"_s << u"a\na\r"_s << u"a\r"_s;
    QTest::newRow("empty matches") << uR"(x*)"_s << u"axxb"_s << u"|xx|"_s;
    QTest::newRow("possessive") << uR"(a++|b?+)"_s << u"aab"_s << u"aa|b"_s;
    QTest::newRow("escaped signs") << uR"([\[\]\-\\]|\.\{)"_s << u"a[b]-\\.{"_s << u"[|]|-|\\|.{"_s;
    QTest::newRow("nothing") << uR"(x)"_s << u""_s << u""_s;
}

void TestRegex::findAll() {
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    QFETCH(QString, matches);
    const auto regex = Regex::fromTokenizerJson(pattern.toStdString());
    QVERIFY2(regex, regex ? "" : regex.error().message.c_str());
    QCOMPARE(matchesOf(*regex, text.toStdString()), matches);
}

void TestRegex::refusedConstruct_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("construct");
    const auto row = [](const QString& pattern, const QString& construct) {
        QTest::newRow(qPrintable(pattern)) << pattern << construct;
    };
    row(uR"(a\b)"_s, uR"(\b)"_s);
    row(uR"(\h+)"_s, uR"(\h)"_s);
    row(uR"((a)\1)"_s, uR"(\1)"_s);
    row(uR"(a\Kb)"_s, uR"(\K)"_s);
    row(uR"(\v)"_s, uR"(\v)"_s);
    row(uR"(\x41)"_s, uR"(\x without braces)"_s);
    row(uR"(\u12)"_s, uR"(\u without four digits)"_s);
    row(uR"(\pL)"_s, uR"(\p without braces)"_s);
    row(uR"([\W])"_s, uR"(\W inside a class)"_s);
    row(uR"([[:alpha:]])"_s, u"[:class:]"_s);
    row(uR"([a[bc]])"_s, u"a class inside a class"_s);
    row(uR"([a-z&&[^b]])"_s, u"&&"_s);
    row(uR"([]a])"_s, u"[]"_s);
    row(uR"((?m:a))"_s, u"(?m"_s);
    row(uR"((?<name>a))"_s, u"(?<"_s);
    row(uR"((*FAIL))"_s, u"(*F"_s);
    row(uR"(a{,3})"_s, u"{,n}"_s);
    row(uR"(a{2}+)"_s, u"}+"_s);
    row(uR"(a\)"_s, uR"(\)"_s);
}

void TestRegex::refusedConstruct() {
    QFETCH(QString, pattern);
    QFETCH(QString, construct);
    const auto regex = Regex::fromTokenizerJson(pattern.toStdString());
    QVERIFY(!regex);
    QCOMPARE(regex.error().code, ErrorCode::Unsupported);
    QCOMPARE(QString::fromStdString(regex.error().message),
             u"uses %1, which Headscope does not implement"_s.arg(construct));
}

void TestRegex::literalText() {
    const auto regex = Regex::literal("a.(");
    QVERIFY(regex);
    QCOMPARE(matchesOf(*regex, "aa.(b a.("), u"a.(|a.("_s);
}

void TestRegex::stepLimit() {
    const auto regex = Regex::fromTokenizerJson("(x+x+)+$");
    QVERIFY(regex);
    QCOMPARE(matchesOf(*regex, "xxxx"), u"xxxx"_s);
    QCOMPARE(matchesOf(*regex, std::string(200, 'x') + "y"),
             u"The regular expression \"(x+x+)+$\" gave up on the text (match limit exceeded); use "
             "a shorter text or another tokenizer."_s);
}

/// A match that needs more state than compiled code has room for.
void TestRegex::longMatch() {
    const auto regex = Regex::fromTokenizerJson("(?:a|b)+c");
    QVERIFY(regex);
    const auto matches = regex->findAll(std::string(100'000, 'a') + "c");
    QVERIFY2(matches, matches ? "" : matches.error().message.c_str());
    QCOMPARE(*matches, (std::vector<ByteRange>{{0, 100'001}}));
}

const headscope::test::TestRegistration<TestRegex> registration;

} // namespace test_regex

#include "test_regex.moc"
