#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/support/sample_scores.h"
#include "ui/document/document.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

namespace test_comparison {

using namespace headscope;
using headscope::test::scoreSamplesOnce;
using namespace headscope::ui;

namespace {

constexpr int kPatience = 60000;
const char* const kPrompt = "When Mary and John went to the store, John gave a drink to";

std::string samplePath(const char* name) {
    return std::string(HEADSCOPE_SAMPLE_MODELS "/") + name + ".h5";
}

} // namespace

class TestComparison : public QObject {
    Q_OBJECT

private slots:
    void init() {
        document_ = std::make_unique<Document>(scoreSamplesOnce);
        document_->open(QString::fromStdString(samplePath("gpt2-mini-6l")),
                        QString::fromLatin1(kPrompt));
        QTRY_VERIFY_WITH_TIMEOUT(document_->shown().result, kPatience);
    }
    void cleanup() { document_.reset(); }

    void nothingIsComparedAtFirst() {
        QVERIFY(!comparison().isOn());
        QVERIFY(!document_->shown().side);
        QVERIFY(document_->shown().result == document_->promptRunner().result());
        QVERIFY(!comparison().runner().result());
    }

    void bIsThePromptUntilItIsAnother() {
        QVERIFY(compareWith({}));
        QVERIFY(b()->prompt.ids == document_->promptRunner().result()->prompt.ids);
        document_->setPromptText(QStringLiteral("Another prompt of A"));
        QTRY_VERIFY_WITH_TIMEOUT(settled(), kPatience);
        QCOMPARE(b()->prompt.text, std::string("Another prompt of A"));

        QVERIFY(compareWith(QStringLiteral("When Anna and John went to the store")));
        document_->setPromptText(QString::fromLatin1(kPrompt));
        QTRY_VERIFY_WITH_TIMEOUT(settled(), kPatience);
        QCOMPARE(b()->prompt.text, std::string("When Anna and John went to the store"));
    }

    void eachSideIsShown() {
        QVERIFY(compareWith(QStringLiteral("When Anna and John went home, John gave a drink to")));
        const auto a = document_->promptRunner().result();
        QCOMPARE(document_->shown(), (PatternSource{a, nullptr, nullptr, Side::A}));
        document_->showSide(Side::B);
        QCOMPARE(document_->shown(), (PatternSource{b(), nullptr, nullptr, Side::B}));
        document_->showSide(Side::Difference);
        QVERIFY(document_->shown().result == a && document_->shown().other == b());
        const QStringList labels = document_->shown().labels();
        QCOMPARE(labels[1], QStringLiteral("When"));
        QCOMPARE(labels[2], QStringLiteral("·Mary → ·Anna"));
        comparison().turnOff();
        QCOMPARE(document_->shown(), (PatternSource{a, nullptr, nullptr, {}}));
    }

    void theLockedRowStaysWithItsToken() {
        QVERIFY(compareWith(
            QStringLiteral("Now When Mary and John went to the store, John gave a drink to")));
        document_->selection().lockRow(3); // " and"
        document_->showSide(Side::B);
        const std::size_t row = document_->selection().lockedRow().value();
        QCOMPARE(b()->shown_pieces[static_cast<qsizetype>(row)], QStringLiteral("·and"));
        QVERIFY(row > 3);
        QVERIFY(comparison().positionInA(row) == 3u);
        QVERIFY(comparison().positionInB(row) == row);
        document_->showSide(Side::Difference);
        QVERIFY(document_->selection().lockedRow() == 3u);
        QVERIFY(comparison().positionInB(3) == row);
        QVERIFY(comparison().rowOfB(row) == 3u);

        document_->showSide(Side::B);
        document_->selection().lockRow(1); // "Now" is in B alone
        document_->showSide(Side::A);
        QVERIFY(!document_->selection().lockedRow());
    }

    void tokensAreAlignedByHand() {
        QVERIFY(compareWith(
            QStringLiteral("When Mary and her John went to the store, John gave a drink to")));
        QVERIFY(comparison().compared().other_of->at(3) == 3u);
        comparison().alignByHand({3, 4}); // "and" for "her"
        QTRY_VERIFY_WITH_TIMEOUT(comparison().compared().other_of->at(3) == 4u, kPatience);
        QVERIFY(comparison().isAlignedByHand());
        comparison().alignByItself();
        QTRY_VERIFY_WITH_TIMEOUT(comparison().compared().other_of->at(3) == 3u, kPatience);
        comparison().alignByHand({3, 4});
        document_->setPromptText(QStringLiteral("Another prompt"));
        QTRY_VERIFY_WITH_TIMEOUT(settled(), kPatience);
        QVERIFY(!comparison().isAlignedByHand());
    }

    void bMayBeTheWholeModel() {
        document_->ablation().toggleHead({4, 1});
        QVERIFY(compareWith({}));
        QCOMPARE(b()->mask.text(), std::string("4.1"));
        comparison().setAblatesAsA(false);
        QTRY_VERIFY_WITH_TIMEOUT(settled() && b()->mask.empty(), kPatience);
        QCOMPARE(document_->promptRunner().result()->mask.text(), std::string("4.1"));
        document_->ablation().toggleHead({3, 5});
        QTRY_VERIFY_WITH_TIMEOUT(settled(), kPatience);
        QVERIFY(b()->mask.empty());
        comparison().setAblatesAsA(true);
        QTRY_VERIFY_WITH_TIMEOUT(settled() && b()->mask.text() == "3.5 4.1", kPatience);
    }

    void bMayBeAnotherModelOfTheSameShape() {
        const QTemporaryDir folder;
        const std::filesystem::path copy = folder.filePath(QStringLiteral("copy.h5")).toStdString();
        std::filesystem::copy_file(samplePath("gpt2-mini-6l"), copy);
        QVERIFY(compareWith({}));
        comparison().openModel(QString::fromStdString(copy.string()));
        QTRY_VERIFY_WITH_TIMEOUT(comparison().otherModel() && settled(), kPatience);
        QCOMPARE(b()->full->model->name, std::string("copy"));
        document_->showSide(Side::B);
        document_->setScoreSource(ScoreSource::Prompt);
        QVERIFY(!document_->scoresOf(document_->shown()));
        comparison().useSameModel();
        QTRY_VERIFY_WITH_TIMEOUT(settled(), kPatience);
        QVERIFY(b()->full->model == document_->model());
    }

    void aModelOfAnotherShapeIsRefused() {
        QVERIFY(compareWith({}));
        const QSignalSpy failed(&comparison(), &Comparison::loadFailed);
        comparison().openModel(QString::fromStdString(samplePath("attn-only-2l")));
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
        const QString message = failed.first().at(1).toString();
        QVERIFY2(message.contains(QStringLiteral("attn-only-2l has 2 layers of 8 heads")) &&
                     message.contains(QStringLiteral("6 layers of 8 heads")),
                 qPrintable(message));
        QVERIFY(!comparison().otherModel());
        comparison().openModel(QStringLiteral("/nowhere.h5"));
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 2, kPatience);
        QVERIFY(b());
    }

    void aRunOnItsWayEndsWithTheComparison() {
        comparison().turnOn();
        QVERIFY(comparison().runner().worker()->isBusy());
        comparison().turnOff();
        QTRY_VERIFY_WITH_TIMEOUT(!comparison().runner().worker()->isBusy(), kPatience);
        QVERIFY(!b());
        QVERIFY(!comparison().compared().other);
    }

    void anotherModelOfAKeepsTheComparisonIfItCan() {
        QVERIFY(compareWith(QStringLiteral("Anna")));
        document_->open(QString::fromStdString(samplePath("attn-only-2l")));
        QTRY_VERIFY_WITH_TIMEOUT(document_->model()->spec.n_layers == 2 && settled(), kPatience);
        QVERIFY(b()->full->model == document_->model());
        QCOMPARE(b()->prompt.text, std::string("Anna"));
    }

    void aPromptThatCannotRunLeavesTheOther() {
        QVERIFY(compareWith(QStringLiteral("Anna")));
        QString tooLong;
        for (int i = 0; i < 600; ++i)
            tooLong += QStringLiteral("and ");
        comparison().setPromptText(tooLong);
        QTRY_VERIFY_WITH_TIMEOUT(!comparison().runner().error().isEmpty(), kPatience);
        QCOMPARE(b()->prompt.text, std::string("Anna"));
        QVERIFY(document_->promptRunner().error().isEmpty());
    }

private:
    Comparison& comparison() { return document_->comparison(); }
    std::shared_ptr<const RunResult> b() { return comparison().runner().result(); }

    /// Whether A and B have run and are aligned.
    bool settled() {
        const auto a = document_->promptRunner().result();
        const bool idle = !document_->promptRunner().worker()->isBusy() &&
                          !comparison().runner().worker()->isBusy();
        return idle && a && a->prompt.text == document_->promptText().toStdString() && b() &&
               b()->prompt.text == (comparison().promptText().isEmpty() ? document_->promptText()
                                                                        : comparison().promptText())
                                       .toStdString() &&
               comparison().compared().result == a && comparison().compared().other == b();
    }

    bool compareWith(const QString& prompt) {
        comparison().turnOn();
        comparison().setPromptText(prompt);
        return QTest::qWaitFor([this] { return settled(); }, kPatience);
    }

    std::unique_ptr<Document> document_;
};

const headscope::test::TestRegistration<TestComparison> registration;

} // namespace test_comparison

#include "test_comparison.moc"
