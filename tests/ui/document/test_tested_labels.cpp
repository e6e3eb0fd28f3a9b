#include "core/heads/head_type.h"
#include "core/trust/label_trust.h"
#include "tests/support/runner.h"
#include "ui/document/label_tester.h"
#include "ui/document/tested_labels.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLockFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace test_tested_labels {

using namespace headscope;
using namespace headscope::ui;

namespace {

constexpr const char* kModel = "0123456789abcdef";
constexpr int kPatience = 60000; // milliseconds

/// A label of head 1.2 as it is measured: with these sets, or none yet.
LabelTrust label(double score, std::size_t sets) {
    LabelTrust made;
    made.score.head = {1, 2};
    made.score.type = HeadTypeId::Induction;
    made.score.score = score;
    made.threshold = 0.3;
    made.sets.assign(sets, SetScore{"a set", 8, score, 0.0, score, score});
    return made;
}

/// None, of a model of this hash.
ShownLabels labelsOf(const char* sha256) {
    auto model = std::make_shared<Model>();
    model->sha256 = sha256;
    ShownLabels shown;
    shown.model = std::move(model);
    return shown;
}

} // namespace

class TestTestedLabels : public QObject {
    Q_OBJECT

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        qputenv("XDG_DATA_HOME", folder_->path().toUtf8());
    }

    void figuresAreKeptWhereNoneAreMeasured() {
        TestedLabels tested;
        QVERIFY(tested.setModel(kModel));
        tested.take(false, {}, {.labels = {label(0.8, 5)}});
        tested.take(false, {}, {.labels = {label(0.8, 0)}});
        QCOMPARE(tested.find(false, {})->labels[0].sets.size(), std::size_t{5});
    }

    void figuresOfAnotherScoreAreOfAnotherLabel() {
        TestedLabels tested;
        QVERIFY(tested.setModel(kModel));
        tested.take(false, {}, {.labels = {label(0.8, 5)}});
        tested.take(false, {}, {.labels = {label(0.7, 0)}});
        QCOMPARE(tested.find(false, {})->labels[0].sets.size(), std::size_t{0});
        QCOMPARE(tested.find(false, {})->labels[0].score.score, 0.7);
    }

    void labelsAreFoundByHeadAndType() {
        TestedLabels tested;
        tested.setModel(kModel);
        for (const LayerHead head : {LayerHead{1, 2}, LayerHead{0, 3}, LayerHead{2, 0}})
            for (const HeadTypeId type : {HeadTypeId::Copying, HeadTypeId::Previous}) {
                LabelTrust made = label(0.1 * static_cast<double>(head.layer), 1);
                made.score.head = head;
                made.score.type = type;
                tested.take(false, {}, {.labels = {made}});
            }
        const LabelTests& all = *tested.find(false, {});
        QCOMPARE(all.labels.size(), std::size_t{6});
        QCOMPARE(findLabel(all, {2, 0}, HeadTypeId::Previous)->score.score, 0.2);
        QCOMPARE(findLabel(all, {0, 3}, HeadTypeId::Copying)->score.score, 0.0);
        QVERIFY(findLabel(all, {1, 2}, HeadTypeId::Induction) == nullptr);
        QVERIFY(findLabel(all, {9, 0}, HeadTypeId::Copying) == nullptr);
    }

    void whatCannotBeWrittenIsNotKept() {
        TestedLabels tested;
        tested.setModel(kModel);
        QVERIFY(!tested.unkept());
        tested.take(false, {}, {.labels = {label(0.8, 5)}});
        const auto unkept = tested.unkept();
        QVERIFY(unkept);
        QVERIFY(QDir().mkpath(QFileInfo(tested.file()).path()));
        QLockFile other(tested.file() + QStringLiteral(".lock"));
        QVERIFY(other.lock());
        const KeptLabels kept = keepLabels(*unkept);
        QVERIFY2(kept.said.contains(QStringLiteral("another window writes")),
                 qPrintable(kept.said));
        QVERIFY(!kept.are_written);
        other.unlock();
        const KeptLabels again = keepLabels(*unkept);
        QCOMPARE(again.said, QString());
        QVERIFY(again.are_written);
        tested.setKept(*unkept);
        QVERIFY(!tested.unkept());
        const ReadLabels read = readLabels(tested.file());
        QCOMPARE(read.said, QString());
        QCOMPARE(read.tests[0].labels[0].sets.size(), std::size_t{5});
    }

    /// Of the file's and of what was measured while it was read, the latter counts.
    void theFileComesLate() {
        TestedLabels tested;
        QVERIFY(tested.setModel(kModel));
        tested.take(false, {}, {.labels = {label(0.7, 1)}});
        LabelTrust other = label(0.9, 2);
        other.score.head = {0, 0};
        tested.takeFile({.tests = {{.labels = {other, label(0.8, 5)}}}});
        QVERIFY(!tested.setModel(kModel));
        const LabelTests& all = *tested.find(false, {});
        QCOMPARE(all.labels.size(), std::size_t{2});
        QCOMPARE(findLabel(all, {0, 0}, HeadTypeId::Induction)->sets.size(), std::size_t{2});
        QCOMPARE(findLabel(all, {1, 2}, HeadTypeId::Induction)->score.score, 0.7);
        QVERIFY(tested.unkept()); // it is not in the file
    }

    /// As large as a file may be, or damaged: neither keeps the window from answering.
    void aLargeFileIsReadBesideTheWindow_data() {
        QTest::addColumn<bool>("is_damaged");
        QTest::newRow("large") << false;
        QTest::newRow("large and damaged") << true;
    }
    void aLargeFileIsReadBesideTheWindow() {
        QFETCH(bool, is_damaged);
        const QString file = writeLarge(is_damaged);
        LabelTester tester;
        tester.show(labelsOf(kModel));
        QVERIFY(tester.isReading());
        QTRY_VERIFY_WITH_TIMEOUT(!tester.isReading(), kPatience);
        QCOMPARE(QFile::exists(file + QStringLiteral(".bak")), is_damaged);
    }

    /// What is read for a model that is no longer open is no one's.
    void aLateAnswerIsDropped() {
        writeLarge(true);
        LabelTester tester;
        const QSignalSpy problems(&tester, &LabelTester::problem);
        tester.show(labelsOf(kModel));
        QVERIFY(tester.isReading());
        tester.show(labelsOf("another"));
        QTRY_VERIFY_WITH_TIMEOUT(!tester.isReading(), kPatience);
        QTest::qWait(0);
        QCOMPARE(problems.count(), 0);
    }

private:
    /// A file of tested labels of some 3 MB, or one that ends too soon; where it is.
    static QString writeLarge(bool is_damaged) {
        constexpr std::size_t kLayers = 24;
        constexpr std::size_t kHeads = 32;
        TestedLabels tested;
        tested.setModel(kModel);
        LabelTests all;
        for (std::size_t layer = 0; layer < kLayers; ++layer)
            for (std::size_t head = 0; head < kHeads; ++head) {
                all.labels.push_back(label(0.5, 20));
                all.labels.back().score.head = {layer, head};
            }
        tested.take(false, {}, all);
        keepLabels(*tested.unkept());
        if (QFile large(tested.file()); is_damaged && large.open(QIODevice::ReadWrite))
            large.resize(large.size() - 10);
        return tested.file();
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

const headscope::test::TestRegistration<TestTestedLabels> registration;

} // namespace test_tested_labels

#include "test_tested_labels.moc"
