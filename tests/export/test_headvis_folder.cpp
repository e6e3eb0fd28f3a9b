#include "core/export/headvis.h"
#include "core/export/headvis_folder.h"
#include "core/heads/score_sequences.h"
#include "core/heads/sequences.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>
#include <numeric>

namespace test_headvis_folder {

using namespace headscope;
using headscope::test::loadSample;
using headscope::test::require;

namespace {

constexpr LayerHead kInduction{1, 0};

} // namespace

class TestHeadvisFolder : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto model = loadSample("induction-circuit");
        const auto sequences =
            require(repeatedRandomSequences(*model, {.sequences = 30, .period = 6}));
        const auto scores = require(scoreSequences(model, sequences, "thirty sequences"));
        heads_ = require(attentionExamples(model, sequences));
        const Thresholds thresholds;
        QVERIFY(writeHeadvis(path(), {*model, scores, thresholds, sequences, heads_, {}}));
        scan_ = require(scanCorpus(model, sequences));
    }

    void whatWasWrittenIsReadBack() {
        const HeadvisFolder folder = require(HeadvisFolder::open(path()));
        QCOMPARE(folder.modelName(), std::string("induction-circuit"));
        QCOMPARE(folder.heads().size(), std::size_t{8});
        const ExampleList list = require(folder.read(kInduction, {.count = 30}));
        QCOMPARE(list.examples.size(), std::size_t{30});
        QCOMPARE(std::accumulate(list.histogram.begin(), list.histogram.end(), std::size_t{0}),
                 std::size_t{30});
        QCOMPARE(list.histogram.back(), std::size_t{30}); // every largest weight is 1
        QVERIFY(std::isnan(list.means.entropy));          // which the format does not hold
        for (const HeadExample& example : list.examples) {
            const StrongestRow& scanned = scan_[kInduction].rows[example.sequence];
            QVERIFY(std::abs(example.row.weight - scanned.weight) < 1e-4f);
            // Weights that four decimals cannot tell apart may stand in any row.
            QCOMPARE(example.row.keys[0].key + 6, example.row.query + 1);
            QCOMPARE(example.pieces.size(), std::size_t{13});
        }
        QCOMPARE(list.examples.front().interval, kExampleIntervals);
    }

    void kindsChooseFromTheFile() {
        const HeadvisFolder folder = require(HeadvisFolder::open(path()));
        const auto strongest =
            require(folder.read(kInduction, {.kind = ExampleKind::Strongest, .count = 2}));
        QCOMPARE(strongest.examples.size(), std::size_t{2});
        const auto middle =
            require(folder.read(kInduction, {.kind = ExampleKind::Middle, .count = 2}));
        QVERIFY(middle.examples.front().interval < kExampleIntervals);
    }

    void headsThatAreNotThereAreSaid() {
        const HeadvisFolder folder = require(HeadvisFolder::open(path()));
        const auto missing = folder.read({7, 3}, {});
        QVERIFY(!missing);
        QVERIFY(missing.error().message.find("L7 H3") != std::string::npos);
    }

    // As HeadVis writes it: bins of its own, no interval names beyond the format's.
    void foreignFoldersAreRead() {
        const QTemporaryDir folder;
        write(folder, "config.json", R"({"model_name": "m", "heads": [[3, 1]], "n_intervals": 10,
              "head_data_pattern": "L{layer}H{head}.json"})");
        write(folder, "heads/L3H1.json",
              R"({"sequences": [{"sequence_id": 9, "interval": 4, "tokens": ["<s>", "a", " b"],
              "seq_len": 3, "attention_indices": [0, 3, 6, 7, 8],
              "attention_values": [1, 1, 0.2, 0.7, 0.1], "max_activation": 0.7}],
              "histogram": {"bin_edges": [0, 0.5, 1], "bin_values": [3, 4]}})");
        const auto opened = require(HeadvisFolder::open(folder.path().toStdString()));
        const ExampleList list = require(opened.read({3, 1}, {}));
        QCOMPARE(list.examples.size(), std::size_t{1});
        const HeadExample& example = list.examples.front();
        QCOMPARE(example.sequence, std::size_t{9});
        QCOMPARE(example.interval, std::size_t{4});
        QCOMPARE(example.text, std::string("<s>a b"));
        QCOMPARE(example.row.query, 2u);
        QCOMPARE(example.row.weight, 0.7f);
        QCOMPARE(example.row.keys[0], (StrongestRow::Key{1, 0.7f}));
        QCOMPARE(example.row.keys[1], (StrongestRow::Key{0, 0.2f}));
        QCOMPARE(list.histogram[5], std::size_t{3}); // the middle of 0 to 0.5
        QCOMPARE(list.histogram[15], std::size_t{4});
    }

    void damageIsOneSentence_data() {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QByteArray>("head");
        const QByteArray good = R"({"heads": [[0, 0]]})";
        QTest::newRow("no JSON") << QByteArray("{") << QByteArray();
        QTest::newRow("no heads") << QByteArray("{}") << QByteArray();
        QTest::newRow("a head of one number") << QByteArray(R"({"heads": [[1]]})") << QByteArray();
        QTest::newRow("files elsewhere")
            << QByteArray(R"({"heads": [[0, 0]], "head_data_pattern": "../x.json"})")
            << QByteArray();
        QTest::newRow("no file") << good << QByteArray();
        QTest::newRow("an index beyond the sequence")
            << good << QByteArray(R"({"sequences": [{"interval": 1, "tokens": ["a"],
                          "attention_indices": [1], "attention_values": [1]}]})");
        QTest::newRow("fewer values")
            << good << QByteArray(R"({"sequences": [{"interval": 1, "tokens": ["a"],
                          "attention_indices": [0], "attention_values": []}]})");
        QTest::newRow("a number for a token")
            << good << QByteArray(R"({"sequences": [{"interval": 1, "tokens": [1]}]})");
    }
    void damageIsOneSentence() {
        QFETCH(QByteArray, config);
        QFETCH(QByteArray, head);
        const QTemporaryDir folder;
        write(folder, "config.json", config);
        if (!head.isEmpty())
            write(folder, "heads/L0H0.json", head);
        const auto opened = HeadvisFolder::open(folder.path().toStdString());
        const auto read = opened ? opened->read({0, 0}, {}) : Result<ExampleList>(opened.error());
        QVERIFY(!read);
        QVERIFY(read.error().message.find(folder.path().toStdString()) != std::string::npos);
    }

private:
    std::filesystem::path path() const {
        return folder_.filePath(QStringLiteral("data")).toStdString();
    }
    static void write(const QTemporaryDir& folder, const char* name, const QByteArray& text) {
        const std::filesystem::path file = folder.filePath(QString::fromLatin1(name)).toStdString();
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text.toStdString();
    }

    QTemporaryDir folder_;
    PerHead<HeadExamples> heads_;
    CorpusScan scan_;
};

const headscope::test::TestRegistration<TestHeadvisFolder> registration;

} // namespace test_headvis_folder

#include "test_headvis_folder.moc"
