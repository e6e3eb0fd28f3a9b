#include "core/heads/head_type.h"
#include "core/trust/label_trust.h"
#include "tests/support/runner.h"
#include "ui/document/tested_labels.h"

#include <QDir>
#include <QLockFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace test_tested_labels {

using namespace headscope;
using namespace headscope::ui;

namespace {

constexpr const char* kModel = "0123456789abcdef";

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
        tested.setModel(kModel);
        tested.take(false, {}, {.labels = {label(0.8, 5)}});
        tested.take(false, {}, {.labels = {label(0.8, 0)}});
        QCOMPARE(tested.find(false, {})->labels[0].sets.size(), std::size_t{5});
    }

    void figuresOfAnotherScoreAreOfAnotherLabel() {
        TestedLabels tested;
        tested.setModel(kModel);
        tested.take(false, {}, {.labels = {label(0.8, 5)}});
        tested.take(false, {}, {.labels = {label(0.7, 0)}});
        QCOMPARE(tested.find(false, {})->labels[0].sets.size(), std::size_t{0});
        QCOMPARE(tested.find(false, {})->labels[0].score.score, 0.7);
    }

    void whatCannotBeWrittenIsNotKept() {
        TestedLabels tested;
        tested.setModel(kModel);
        QVERIFY(tested.isKept());
        tested.take(false, {}, {.labels = {label(0.8, 5)}});
        QVERIFY(!tested.isKept());
        const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
                               QStringLiteral("/labels");
        QVERIFY(QDir().mkpath(folder));
        QLockFile other(folder + QStringLiteral("/%1.json.lock").arg(QString::fromLatin1(kModel)));
        QVERIFY(other.lock());
        const QString said = tested.keep();
        QVERIFY2(said.contains(QStringLiteral("another window writes")), qPrintable(said));
        QVERIFY(!tested.isKept());
        other.unlock();
        QCOMPARE(tested.keep(), QString());
        QVERIFY(tested.isKept());
        TestedLabels again;
        again.setModel(kModel);
        QCOMPARE(again.find(false, {})->labels[0].sets.size(), std::size_t{5});
    }

private:
    std::unique_ptr<QTemporaryDir> folder_;
};

const headscope::test::TestRegistration<TestTestedLabels> registration;

} // namespace test_tested_labels

#include "test_tested_labels.moc"
