#include "core/base/random.h"
#include "core/tokenizer/tokenizer.h"
#include "tests/support/runner.h"
#include "tests/support/tokenizer_files.h"

#include <QTest>

#include <cstring>
#include <limits>

namespace test_sentencepiece_hostile {

using namespace headscope;
using namespace headscope::test;
using namespace Qt::StringLiterals;

namespace {

QByteArray varint(quint64 value) {
    QByteArray bytes;
    for (; value >= 0x80; value >>= 7)
        bytes += char(value | 0x80);
    return bytes + char(value);
}

/// A field of a protocol buffer message that is a text or a message.
QByteArray field(quint64 number, const QByteArray& content) {
    return varint(number << 3 | 2) + varint(quint64(content.size())) + content;
}

QByteArray number(quint64 field_number, quint64 value) {
    return varint(field_number << 3) + varint(value);
}

QByteArray piece(const QByteArray& text, float score = -1.0f, quint64 type = 1) {
    QByteArray bytes(4, '\0');
    std::memcpy(bytes.data(), &score, 4);
    return field(1, field(1, text) + varint(2 << 3 | 5) + bytes + number(3, type));
}

/// <unk>, a, b
QByteArray pieces() {
    return piece("<unk>", 0.0f, 2) + piece("a") + piece("b");
}

Result<std::shared_ptr<const Tokenizer>> read(const QByteArray& model) {
    return readSentencePiece({model.data(), std::size_t(model.size())}, "file.model");
}

/// Reads a model that may be broken; one that is accepted must work.
void use(const QByteArray& model) {
    const auto tokenizer = read(model);
    if (!tokenizer)
        return;
    for (const char* text : {"", "the cat", "é ﬁ 你好\n\n 🙂 <s> e\u0301", "\u0000ab"}) {
        const auto encoding = (*tokenizer)->encode(text, true);
        if (encoding)
            (*tokenizer)->decode(encoding->ids, false);
    }
}

} // namespace

/// Models that are cut off, damaged or made up. libsentencepiece trusts its files.
class TestSentencePieceHostile : public QObject {
    Q_OBJECT

private slots:
    void startingPoint();
    void refused_data();
    void refused();
    void cutAnywhere();
    void damagedAnywhere_data();
    void damagedAnywhere();
    void randomBytes();
};

void TestSentencePieceHostile::startingPoint() {
    const auto tokenizer = read(pieces());
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    QCOMPARE((*tokenizer)->vocabularySize(), std::size_t{3});
}

void TestSentencePieceHostile::refused_data() {
    QTest::addColumn<QByteArray>("model");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const QByteArray& model, const QString& message) {
        QTest::newRow(name) << model << u"file.model: the sentencepiece model "_s + message + u'.';
    };
    const QString broken = u"is cut off or no sentencepiece model"_s;
    row("empty", "", u"holds no pieces"_s);
    row("text", "{\"model\": 1}", broken);
    row("a group", pieces() + char(1 << 3 | 3), broken);
    row("field 0", pieces() + QByteArray("\x02\x00", 2), broken);
    row("length beyond the end", pieces() + varint(1 << 3 | 2) + varint(1ull << 60), broken);
    row("endless number", pieces() + QByteArray(11, '\xFF'), broken);
    row("a piece cut off", pieces() + field(1, "\x0A\x05"), broken);
    row("a piece without text", pieces() + piece(""),
        u"has as piece 3 a text that is empty or has a NUL in it"_s);
    row("a NUL", pieces() + piece(QByteArray("a\0b", 3)),
        u"has as piece 3 a text that is empty or has a NUL in it"_s);
    row("no UTF-8", pieces() + piece("\xFF"), u"has as piece 3 a text that is not UTF-8"_s);
    for (const float score :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
        row(score > 0 ? "infinite score" : "score that is no number", pieces() + piece("c", score),
            u"has as piece 3 \"c\" with a score that is not finite"_s);
    row("unknown kind", pieces() + field(2, number(3, 9)),
        u"is of the kind 9, expected 1 (unigram), 2 (BPE), 3 (word) or 4 (character)"_s);
    row("broken trainer_spec", pieces() + field(2, "\x0A"), u"has a broken trainer_spec"_s);
    row("broken normalizer_spec", pieces() + field(3, "\x0A"), u"has a broken normalizer_spec"_s);
    for (const quint64 spec : {3u, 5u})
        row(spec == 3 ? "normalizer cut off" : "denormalizer cut off",
            pieces() + field(spec, field(2, QByteArray("\xFF\xFF\0\0abc", 7))),
            u"has a precompiled_charsmap that says that its trie has 65535 bytes, expected a "
            "multiple of 4"_s);
    QByteArray nested = pieces();
    for (int length = 1; length <= 61; ++length)
        nested += piece(QByteArray(length, 'x'), 0.0f, 4);
    row("nested pieces", nested,
        u"has more than 60 user-defined pieces that begin one another, such as \""_s +
            QString(40, u'x') + u"…\""_s);
    QTest::newRow("too long") << QByteArray(40'000'000, ' ')
                              << u"file.model: the sentencepiece model is 40.0 MB long, and at "
                                 "most 32.0 MB are read."_s;
    const auto library = [](const char* name, const QByteArray& model) {
        QTest::newRow(name) << model << u"file.model: libsentencepiece refuses the model ("_s;
    };
    library("a piece twice", pieces() + piece("a"));
    library("no unknown piece", piece("a"));
    library("two unknown pieces", pieces() + piece("<unk2>", 0.0f, 2));
    library("a byte without the others", pieces() + piece("<0x41>", 0.0f, 6));
}

void TestSentencePieceHostile::refused() {
    QFETCH(QByteArray, model);
    QFETCH(QString, message);
    const auto tokenizer = read(model);
    QVERIFY(!tokenizer);
    const auto found = QString::fromStdString(tokenizer.error().message);
    // The library's own words differ between versions.
    QCOMPARE(message.endsWith(u'(') ? found.left(message.size()) : found, message);
}

void TestSentencePieceHostile::cutAnywhere() {
    const QByteArray model = tokenizerFile(u"sentencepiece_bpe.model"_s);
    for (qsizetype size = 0; size < model.size(); size += 7)
        use(model.left(size));
}

void TestSentencePieceHostile::damagedAnywhere_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("times");
    QTest::newRow("BPE") << u"sentencepiece_bpe.model"_s << 2000;
    QTest::newRow("Unigram") << u"sentencepiece_unigram.model"_s << 200;
}

void TestSentencePieceHostile::damagedAnywhere() {
    QFETCH(QString, name);
    QFETCH(int, times);
    const QByteArray model = tokenizerFile(name);
    Random random(30);
    for (int i = 0; i < times; ++i) {
        QByteArray damaged = model;
        for (std::size_t n = 0; n <= random.below(4); ++n)
            damaged[qsizetype(random.below(std::size_t(model.size())))] = char(random.below(256));
        use(damaged);
    }
}

void TestSentencePieceHostile::randomBytes() {
    Random random(31);
    for (int i = 0; i < 2000; ++i) {
        QByteArray bytes(qsizetype(random.below(200)), '\0');
        for (char& byte : bytes)
            byte = char(random.below(256));
        use(bytes);
    }
}

const headscope::test::TestRegistration<TestSentencePieceHostile> registration;

} // namespace test_sentencepiece_hostile

#include "test_sentencepiece_hostile.moc"
