#include "core/io/hdf5/hdf5_chunks.h"
#include "tests/io/io_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <zlib.h>

namespace test_chunk_filters {

using namespace headscope;
using namespace headscope::test;

namespace {

Bytes bytesOf(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

Bytes deflated(const Bytes& plain) {
    Bytes stored(::compressBound(plain.size()));
    uLongf size = stored.size();
    ::compress(reinterpret_cast<Bytef*>(stored.data()), &size,
               reinterpret_cast<const Bytef*>(plain.data()), plain.size());
    stored.resize(size);
    return stored;
}

} // namespace

class TestChunkFilters : public QObject {
    Q_OBJECT

private slots:
    void inflatesToTheExactSize() {
        const Bytes plain(5000, std::byte{7});
        const auto inflated = inflateExactly(deflated(plain), plain.size());
        QVERIFY(inflated);
        QVERIFY(*inflated == plain);
    }

    void refusesAnotherSize_data() {
        QTest::addColumn<int>("expected");
        QTest::newRow("a bomb gives more") << 4999;
        QTest::newRow("a short stream gives less") << 5001;
    }
    void refusesAnotherSize() {
        QFETCH(int, expected);
        const auto inflated =
            inflateExactly(deflated(Bytes(5000, std::byte{7})), static_cast<std::size_t>(expected));
        QVERIFY(!inflated);
        QVERIFY(mentions(inflated.error(), "does not unpack to the " + std::to_string(expected)));
    }

    void refusesWhatIsNoStream() {
        QVERIFY(!inflateExactly(bytesOf("no zlib stream"), 100));
        QVERIFY(!inflateExactly({}, 100));
    }

    void unshuffleUndoesShuffle() {
        // Three elements of two bytes: all first bytes, all second bytes; then a rest.
        QVERIFY(unshuffle(bytesOf("acebdf"), 2) == bytesOf("abcdef"));
        QVERIFY(unshuffle(bytesOf("acebdfX"), 2) == bytesOf("abcdefX"));
        QVERIFY(unshuffle(bytesOf("abc"), 1) == bytesOf("abc"));
    }

    void fletcher32OfKnownTexts_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<quint32>("sum");
        // By hand: words 6162, 6364 (and 6500): sum1 = c4c6, sum2 = 6162 + c4c6 = 12628 → 2629.
        QTest::newRow("even") << QByteArray("abcd") << 0x2629C4C6u;
        QTest::newRow("odd") << QByteArray("abcde") << 0x4FF029C7u;
        QTest::newRow("nothing") << QByteArray() << 0u;
    }
    void fletcher32OfKnownTexts() {
        QFETCH(QByteArray, text);
        QFETCH(quint32, sum);
        QCOMPARE(fletcher32(bytesOf(text.toStdString())), sum);
    }

    void fletcher32ReducesInTime() {
        // 100000 words of 0xFFFE ≡ −1: sum1 ≡ −n and sum2 ≡ −n(n + 1)/2 modulo 65535.
        const std::uint64_t n = 100000;
        Bytes bytes;
        for (std::uint64_t i = 0; i < n; ++i) {
            bytes.push_back(std::byte{0xFF});
            bytes.push_back(std::byte{0xFE});
        }
        const std::uint32_t found = fletcher32(bytes);
        QCOMPARE((found & 0xFFFFu) % 65535u, (65535u - n % 65535u) % 65535u);
        QCOMPARE((found >> 16) % 65535u, (65535u - n * (n + 1) / 2 % 65535u) % 65535u);
    }

    void fletcher32FilterChecksItsSum() {
        const Bytes stored = bytesOf("abcd\xC6\xC4\x29\x26");
        const auto verified = verifyFletcher32(stored);
        QVERIFY(verified);
        QVERIFY(*verified == bytesOf("abcd"));
        Bytes damaged = stored;
        damaged[1] ^= std::byte{1};
        const auto refused = verifyFletcher32(damaged);
        QVERIFY(!refused);
        QVERIFY(mentions(refused.error(), "Fletcher-32 check sum"));
        QVERIFY(!verifyFletcher32(bytesOf("abc")));
    }
};

const headscope::test::TestRegistration<TestChunkFilters> registration;

} // namespace test_chunk_filters

#include "test_chunk_filters.moc"
