#include "core/io/files/open_file.h"
#include "core/io/sha256.h"
#include "tests/io/io_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace test_sha256 {

using namespace headscope;
using namespace headscope::test;

namespace {

InputFile fileOf(const std::filesystem::path& path, const std::string& bytes) {
    writeBytes(path, bytes);
    return *InputFile::open(path);
}

} // namespace

class TestSha256 : public QObject {
    Q_OBJECT

private slots:
    void knownDigests_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("digest");
        // FIPS 180-4 examples.
        QTest::newRow("nothing")
            << QByteArray()
            << QByteArray("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        QTest::newRow("abc")
            << QByteArray("abc")
            << QByteArray("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        QTest::newRow("a million times a")
            << QByteArray(1000000, 'a')
            << QByteArray("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
        QTest::newRow("exactly two blocks")
            << QByteArray(2 << 20, '\0')
            << QByteArray("5647f05ec18958947d32874eeb788fa396a05d0bab7c1b71f112ceb7e9b31eee");
    }
    void knownDigests() {
        QFETCH(QByteArray, content);
        QFETCH(QByteArray, digest);
        const Folder folder;
        const InputFile file = fileOf(folder / "file", content.toStdString());
        const auto found = sha256Of(std::array{&file});
        QVERIFY(found);
        QCOMPARE(*found, digest.toStdString());
        const auto of_path = sha256OfFile(folder / "file");
        QVERIFY(of_path);
        QCOMPARE(*of_path, digest.toStdString());
        QCOMPARE(sha256OfText(content.toStdString()), digest.toStdString());
    }

    void severalFilesAreOneText() {
        const Folder folder;
        const InputFile first = fileOf(folder / "a", "ab");
        const InputFile second = fileOf(folder / "b", "c");
        const auto found = sha256Of(std::array{&first, &second});
        QVERIFY(found);
        QCOMPARE(*found, std::string("ba7816bf8f01cfea414140de5dae2223"
                                     "b00361a396177a9cb410ff61f20015ad")); // of "abc"
    }

    void progressRisesToOne() {
        const Folder folder;
        const InputFile file = fileOf(folder / "file", std::string(5 << 19, 'x'));
        std::vector<double> fractions;
        QVERIFY(sha256Of(std::array{&file}, [&](double fraction, std::string_view) {
            fractions.push_back(fraction);
        }));
        QCOMPARE(fractions, (std::vector<double>{0.4, 0.8, 1.0}));
    }

    void stops() {
        const Folder folder;
        const InputFile file = fileOf(folder / "file", std::string(5 << 20, 'x'));
        std::stop_source stop;
        int blocks = 0;
        const auto found = sha256Of(
            std::array{&file},
            [&](double, std::string_view) {
                ++blocks;
                stop.request_stop();
            },
            stop.get_token());
        QVERIFY(!found);
        QCOMPARE(found.error().code, ErrorCode::Cancelled);
        QVERIFY(mentions(found.error(), "was stopped"));
        QCOMPARE(blocks, 1);
    }

    void inBackground() {
        const Folder folder;
        const std::string bytes(5 << 20, 'x');
        const InputFile file = fileOf(folder / "file", bytes);
        const auto found = BackgroundSha256({&file}).take();
        QVERIFY(found);
        QCOMPARE(*found, sha256OfText(bytes));
    }

    void inBackgroundStopsWithItsCaller() {
        const Folder folder;
        const InputFile file = fileOf(folder / "file", std::string(5 << 20, 'x'));
        std::stop_source stop;
        stop.request_stop();
        const auto found = BackgroundSha256({&file}, stop.get_token()).take();
        QVERIFY(!found);
        QCOMPARE(found.error().code, ErrorCode::Cancelled);
    }

    /// As when the weights turn out to be damaged. Hashing all of this file takes ten minutes.
    void inBackgroundStopsWhereNobodyWaits() {
        const Folder folder;
        writeBytes(folder / "file", "");
        std::filesystem::resize_file(folder / "file", std::uintmax_t{1} << 40);
        const auto file = InputFile::open(folder / "file");
        QVERIFY(file);
        const BackgroundSha256 unwanted({&*file});
    }

    /// The name may lead elsewhere by now: what was opened is what counts.
    void aFileThatIsSwapped() {
        const Folder folder;
        const InputFile file = fileOf(folder / "file", "abc");
        writeBytes(folder / "other", "xyz");
        std::filesystem::rename(folder / "other", folder / "file");
        const auto found = sha256Of(std::array{&file});
        QVERIFY(found);
        QCOMPARE(*found, std::string("ba7816bf8f01cfea414140de5dae2223"
                                     "b00361a396177a9cb410ff61f20015ad")); // of "abc"
    }
};

const headscope::test::TestRegistration<TestSha256> registration;

} // namespace test_sha256

#include "test_sha256.moc"
