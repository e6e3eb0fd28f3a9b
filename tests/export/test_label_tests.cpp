#include "core/export/label_tests.h"
#include "core/heads/head_type.h"
#include "tests/support/runner.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <vector>

namespace test_label_tests {

using namespace headscope;

namespace {

AblationEffect effect() {
    AblationEffect made;
    made.measure = EffectMeasure::SecondCopyLoss;
    made.sequences = 20;
    made.full = 2.25;
    made.least = 0.0225;
    made.difference = 1.0 / 3.0;
    made.interval = {0.25, 0.4};
    made.question.head = {4, 1};
    made.question.input = InputKind::Repeats;
    made.question.kind = AblationKind::Mean;
    made.question.labels = {HeadTypeId::Induction, HeadTypeId::Copying};
    made.question.same_type = {{3, 2}, {4, 7}};
    made.question.seed = 5;
    for (std::size_t head = 2; head < 7; ++head)
        made.others.push_back({{4, head}, 0.01 * static_cast<double>(head)});
    made.replaced = {{{AblationKind::Zero, true}, 20, -0.5, {-0.75, -0.25}}};
    return made;
}

LabelTests tests() {
    LabelTests made;
    made.square_flipped = true;
    made.thresholds.set(HeadTypeId::Induction, 0.25);
    made.notes = {"Not read on names."};
    LabelTrust label;
    label.score.head = {4, 1};
    label.score.type = HeadTypeId::Induction;
    label.score.score = 0.1 + 0.2;
    label.effect = effect();
    label.beside = EffectBeside();
    label.beside->difference = 2.0;
    label.beside->interval = {1.0, 3.0};
    label.beside->question = {.head = {4, 1}, .others = {{3, 2}}, .by = {AblationKind::Mean}};
    label.sets = {{"repeats of 20 tokens", 8, 0.5, 0.02, 0.45, 0.55},
                  {"tokens of a bundled text", 8, std::nan(""), 0.02, 0.0, 0.0}};
    label.stable_share = 0.875;
    label.resamples = 900;
    made.labels = {label, label};
    made.labels[1].score.type = HeadTypeId::CopyingWeights;
    made.labels[1].effect.reset();
    made.labels[1].beside.reset();
    made.labels[1].sets.clear();
    made.labels[1].stable_share = std::nan("");
    return made;
}

class Kept {
public:
    std::string path() const {
        return folder_.filePath(QStringLiteral("labels.json")).toStdString();
    }

    void write(const QByteArray& bytes) const {
        QFile file(QString::fromStdString(path()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    QByteArray read() const {
        QFile file(QString::fromStdString(path()));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private:
    QTemporaryDir folder_;
};

} // namespace

class TestLabelTests : public QObject {
    Q_OBJECT

private slots:
    void whatIsWrittenIsRead() {
        const Kept kept;
        const LabelTests written = tests();
        QVERIFY(writeLabelTests(kept.path(), {&written, 1}));
        const auto read = readLabelTests(kept.path());
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->size(), std::size_t{1});
        const LabelTests& tests = read->front();
        QVERIFY(tests.square_flipped);
        QVERIFY(tests.thresholds == written.thresholds);
        QVERIFY(tests.notes == written.notes);
        QCOMPARE(tests.labels.size(), std::size_t{2});
        const LabelTrust& label = tests.labels[0];
        QVERIFY(label.score.head == (LayerHead{4, 1}));
        QVERIFY(label.score.type == HeadTypeId::Induction);
        QVERIFY(label.score.score == 0.1 + 0.2); // to the last bit
        QVERIFY(label.effect && label.effect->difference == 1.0 / 3.0);
        // What people read of it is the same, and so is the verdict.
        QCOMPARE(trustSentence(label, TrustPart::Needed),
                 trustSentence(written.labels[0], TrustPart::Needed));
        QVERIFY(label.effect->verdict() == effect().verdict());
        QVERIFY(label.effect->question.same_type == effect().question.same_type);
        QVERIFY(label.effect->question.labels == effect().question.labels);
        QVERIFY(label.effect->replaced[0].by.preserve_patterns);
        QCOMPARE(label.sets.size(), std::size_t{2});
        QVERIFY(label.sets[0] == written.labels[0].sets[0]);
        QVERIFY(std::isnan(label.sets[1].score));
        QCOMPARE(label.stable_share, 0.875);
        QCOMPARE(label.resamples, std::size_t{900});
        QVERIFY(!tests.labels[1].effect && tests.labels[1].sets.empty());
        QVERIFY(std::isnan(tests.labels[1].stable_share));
    }

    void noFileHoldsNone() {
        const auto read = readLabelTests("/nowhere/at/all.json");
        QVERIFY(read && read->empty());
    }

    void theLatestThresholdsAreKept() {
        const Kept kept;
        std::vector<LabelTests> written(kMostLabelTests + 2, tests());
        for (std::size_t i = 0; i < written.size(); ++i)
            written[i].thresholds.set(HeadTypeId::Copying, 0.01 * static_cast<double>(i));
        QVERIFY(writeLabelTests(kept.path(), written));
        const auto read = readLabelTests(kept.path());
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->size(), kMostLabelTests);
        QVERIFY(read->front().thresholds == written[2].thresholds);
        QVERIFY(read->back().thresholds == written.back().thresholds);
    }

    /// What they are read to would take more memory than their text lets one expect.
    void moreLabelsThanANetworkHasAreRefused() {
        const Kept kept;
        std::vector<LabelTests> written(2);
        for (std::size_t i = 0; i < 2; ++i) {
            written[i].square_flipped = i == 1;
            written[i].labels.resize(30'000);
            for (std::size_t head = 0; head < written[i].labels.size(); ++head)
                written[i].labels[head].score.head = {head / 100, head % 100};
        }
        QVERIFY(writeLabelTests(kept.path(), written));
        const auto read = readLabelTests(kept.path());
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->size(), std::size_t{1}); // the latest
        QVERIFY(read->front().square_flipped);
        QCOMPARE(read->front().labels.size(), std::size_t{30'000});

        written[1].labels.resize(60'000);
        QVERIFY(!writeLabelTests(kept.path(), {&written[1], 1}));
        QByteArray many;
        for (int i = 0; i < 60'000; ++i)
            many += (i > 0 ? "," : "") + QByteArray(R"({"head":[0,0],"type":"induction"})");
        kept.write(R"({"headscope_labels":1,"app_version":")" HEADSCOPE_VERSION
                   R"(","tests":[{"labels":[)" +
                   many + "]}]}");
        QVERIFY(!readLabelTests(kept.path()));
    }

    void labelsAreSortedAndNoneIsTwice() {
        const Kept kept;
        LabelTests written = tests();
        std::ranges::reverse(written.labels);
        written.labels.push_back(written.labels.back());
        written.labels.back().resamples = 7;
        QVERIFY(writeLabelTests(kept.path(), {&written, 1}));
        const auto read = readLabelTests(kept.path());
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        const std::vector<LabelTrust>& labels = read->front().labels;
        QCOMPARE(labels.size(), std::size_t{2});
        QVERIFY(labels[0].score.type == HeadTypeId::Induction);
        QCOMPARE(labels[0].resamples, std::size_t{900}); // the first of them
    }

    void anotherProgramMayMeasureOtherwise() {
        const Kept kept;
        const LabelTests written = tests();
        QVERIFY(writeLabelTests(kept.path(), {&written, 1}));
        kept.write(kept.read().replace("\"app_version\": \"", "\"app_version\": \"9"));
        const auto read = readLabelTests(kept.path());
        QVERIFY(read && read->empty());
    }

    void damagedAndLaterFilesAreRefused_data() {
        QTest::addColumn<QByteArray>("what");
        QTest::addColumn<QByteArray>("by");
        QTest::addColumn<bool>("is_later");
        QTest::newRow("later") << QByteArray("\"headscope_labels\": 1")
                               << QByteArray("\"headscope_labels\": 2") << true;
        QTest::newRow("other kind") << QByteArray("headscope_labels") << QByteArray("x") << false;
        QTest::newRow("no head") << QByteArray("\"head\"") << QByteArray("\"hat\"") << false;
        QTest::newRow("a text for a number")
            << QByteArray("\"resamples\": 900") << QByteArray("\"resamples\": \"9\"") << false;
        QTest::newRow("an unknown measure")
            << QByteArray("\"measure\": 0") << QByteArray("\"measure\": 77") << false;
        QTest::newRow("no list") << QByteArray("\"replaced\": [") << QByteArray("\"replace\": [")
                                 << false;
        QTest::newRow("cut off") << QByteArray("\"stable_share\"") << QByteArray("\"") << false;
    }
    void damagedAndLaterFilesAreRefused() {
        QFETCH(QByteArray, what);
        QFETCH(QByteArray, by);
        QFETCH(bool, is_later);
        const Kept kept;
        const LabelTests written = tests();
        QVERIFY(writeLabelTests(kept.path(), {&written, 1}));
        const QByteArray damaged = kept.read().replace(what, by);
        QVERIFY(damaged != kept.read());
        kept.write(damaged);
        const auto read = readLabelTests(kept.path());
        QVERIFY(!read);
        QCOMPARE(read.error().code == ErrorCode::Unsupported, is_later);
        QVERIFY(read.error().message.find(kept.path()) != std::string::npos);
    }
};

const headscope::test::TestRegistration<TestLabelTests> registration;

} // namespace test_label_tests

#include "test_label_tests.moc"
