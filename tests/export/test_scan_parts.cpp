#include "core/export/scan_parts.h"
#include "core/heads/sequences.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

namespace test_scan_parts {

using namespace headscope;
using headscope::test::loadSample;
using headscope::test::require;

class TestScanParts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        model_ = loadSample("gpt2-mini-6l");
        std::string text;
        for (int i = 0; i < 120; ++i)
            text += "The " + std::to_string(i) + "th cat sat on the mat near a dog. ";
        sequences_ = require(textSequences(*model_, text, BosMode::Auto, 64));
        whole_ = require(scanCorpus(model_, sequences_, {}, {}, {}, [&](const CorpusScan& part) {
            parts_.push_back(part);
            return Result<void>();
        }));
        QVERIFY(parts_.size() > 2);
    }
    void init() { path_ = folder_.filePath(QStringLiteral("scan.parts")).toStdString(); }
    void cleanup() { std::filesystem::remove(path_); }

    void readsBackEveryBit() {
        ScanPartsFile file = partsFile();
        QCOMPARE(scannedSequences(require(file.read())), std::size_t{0}); // no file yet
        QVERIFY(file.begin({}));
        for (const CorpusScan& part : parts_)
            QVERIFY(file.add(part));
        QVERIFY(require(file.read()) == whole_);
        QVERIFY(file.begin(whole_)); // as one line
        QVERIFY(require(file.read()) == whole_);
        file.remove();
        QVERIFY(!std::filesystem::exists(path_));
    }

    // A process killed while it wrote leaves half a line; the scan goes on behind the whole ones.
    void aHalfLineIsPassedOver() {
        ScanPartsFile file = partsFile();
        QVERIFY(file.begin({}));
        QVERIFY(file.add(parts_[0]));
        QVERIFY(file.add(parts_[1]));
        std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 40);
        CorpusScan read = require(file.read());
        QCOMPARE(scannedSequences(read), scannedSequences(parts_[0]));
        QVERIFY(require(scanCorpus(model_, sequences_, read)) == whole_);
    }

    void linesOfTwoProgramsAreRefused() {
        ScanPartsFile one = partsFile();
        ScanPartsFile other = partsFile();
        QVERIFY(one.begin({}));
        QVERIFY(one.add(parts_[0]));
        QVERIFY(other.add(parts_[0]));
        QCOMPARE(one.read().error().code, ErrorCode::Malformed);
    }

    void anotherQuestionIsRefused() {
        QVERIFY(partsFile().begin(parts_[0]));
        const auto fewer = std::span(sequences_).first(2);
        const auto of_fewer = ScanPartsFile(path_, *model_, fewer).read();
        QVERIFY(!of_fewer);
        QCOMPARE(of_fewer.error().code, ErrorCode::Mismatch);
        Model turned = *model_;
        turned.report.notes.push_back("square matrices were read the other way");
        QVERIFY(!ScanPartsFile(path_, turned, sequences_).read());
    }

    void damageIsSaid_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("no heads") << QByteArray(R"({"x": 1})");
        QTest::newRow("one head") << QByteArray(
            R"({"first": 0, "heads": [{"sums": [], "rows": []}]})");
        QByteArray heads;
        for (int i = 0; i < 48; ++i)
            heads +=
                QByteArray(i > 0 ? "," : "") +
                R"({"sums": [1,1,1,1,1,1,1], "rows": [[1000000, 0.5, [[0,1],[0,0],[0,0],[0,0]]]]})";
        QTest::newRow("a query beyond the sequence")
            << "{\"first\": 0, \"heads\": [" + heads + "]}";
        QByteArray negative = heads;
        negative.replace("1000000, 0.5", "1, -0.5");
        QTest::newRow("a negative weight") << "{\"first\": 0, \"heads\": [" + negative + "]}";
        QByteArray uneven = heads;
        uneven.replace("1000000", "1");
        uneven.replace(0, uneven.indexOf("}"), R"({"sums": [1,1,1,1,1,1,1], "rows": [])");
        QTest::newRow("fewer rows of one head") << "{\"first\": 0, \"heads\": [" + uneven + "]}";
    }
    void damageIsSaid() {
        QFETCH(QByteArray, line);
        QVERIFY(partsFile().begin({}));
        std::ofstream(path_, std::ios::app) << line.toStdString() << "\n";
        const auto read = partsFile().read();
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::Malformed);
        QVERIFY(read.error().message.find("line 2") != std::string::npos);
    }

private:
    ScanPartsFile partsFile() const { return {path_, *model_, sequences_}; }

    std::shared_ptr<const Model> model_;
    std::vector<InputSequence> sequences_;
    CorpusScan whole_;
    std::vector<CorpusScan> parts_;
    QTemporaryDir folder_;
    std::filesystem::path path_;
};

const headscope::test::TestRegistration<TestScanParts> registration;

} // namespace test_scan_parts

#include "test_scan_parts.moc"
