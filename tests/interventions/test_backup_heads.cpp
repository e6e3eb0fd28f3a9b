// Heads that stand in for others, of gpt2-mini-6l against float64 numpy.

#include "core/interventions/backup_heads.h"
#include "core/interventions/runs/stand_ins.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>

namespace test_backup_heads {

using namespace headscope;
using namespace headscope::test;

namespace {

/// "<|endoftext|>When Mary and John went to the store, John gave a drink to": " Mary" or " John"?
LogitQuestion story() {
    return {
        {0, 1385, 658, 281, 596, 694, 275, 261, 678, 13, 596, 838, 260, 718, 275}, 14, 658, 596};
}
/// The same with Mary giving.
LogitQuestion otherStory() {
    LogitQuestion other = story();
    other.ids[10] = 658;
    return other;
}

BackupQuestion withoutNameMover() {
    BackupQuestion question;
    question.prompts = {story()};
    question.ablated = {{4, 1}};
    return question;
}

bool near(double found, double expected) {
    return std::abs(found - expected) <= 2e-5;
}

std::string messageOf(const std::shared_ptr<const Model>& model, const BackupQuestion& question) {
    const auto found = measureBackup(model, question);
    return found ? std::string() : found.error().message;
}

} // namespace

class TestBackupHeads : public QObject {
    Q_OBJECT

private slots:
    void risesAgainstNumpy() {
        const auto found = require(measureBackup(loadSample("gpt2-mini-6l"), withoutNameMover()));
        QVERIFY(near(found.full_logit, 7.802748));
        QVERIFY(near(found.ablated_logit, -1.042294));
        QVERIFY(near(found.full_effects[LayerHead{4, 1}], 7.691463));
        QCOMPARE((found.ablated_effects[{4, 1}]), 0.0);
        QVERIFY(near(found.rise({5, 7}), 0.359574));
        QVERIFY(near(found.rise({5, 0}), -0.085304));
        QVERIFY(near(found.rise({4, 0}), 0.136649)); // by the final norm's scale alone
        const std::vector<LayerHead> expected{{5, 7}, {5, 4}, {5, 5}};
        QCOMPARE(backupHeads(found, 0.1), expected);
        QVERIFY(backupHeads(found, 1.0).empty());
        // All that lie behind the first of them, not behind the last.
        BackupResult of_two = found;
        of_two.question.ablated = {{5, 0}, {4, 1}};
        QCOMPARE(backupHeads(of_two, 0.1), expected);
    }

    void everyKindIsThatOfTheHooks_data() {
        QTest::addColumn<AblationKind>("kind");
        QTest::newRow("zero") << AblationKind::Zero;
        QTest::newRow("mean") << AblationKind::Mean;
        QTest::newRow("text mean") << AblationKind::TextMean;
        QTest::newRow("resample") << AblationKind::Resample;
    }
    /// Two prompts and two heads; the values are means.
    void everyKindIsThatOfTheHooks() {
        QFETCH(AblationKind, kind);
        const auto model = loadSample("gpt2-mini-6l");
        BackupQuestion question;
        question.prompts = {story(), otherStory()};
        question.ablated = {{4, 1}, {2, 3}};
        question.kind = kind;
        if (kind == AblationKind::Resample)
            question.references = {otherStory().ids, story().ids};
        const auto found = require(measureBackup(model, question));
        double logit = 0.0;
        double effect = 0.0;
        for (const std::size_t prompt : {0u, 1u}) {
            const auto one = require(
                attributeLogit(model, question.prompts[prompt], hooksOf(model, question, prompt)));
            logit += one.logit / 2.0;
            effect += one.of({5, 7}) / 2.0;
        }
        QVERIFY(near(found.ablated_logit, logit));
        QVERIFY(near(found.ablated_effects[LayerHead{5, 7}], effect));
    }

    void refusals() {
        const auto model = loadSample("gpt2-mini-6l");
        QVERIFY(messageOf(model, {}).find("no prompt") != std::string::npos);
        BackupQuestion question = withoutNameMover();
        question.ablated = {};
        QVERIFY(messageOf(model, question).find("No head is ablated") != std::string::npos);
        question.ablated = {{9, 0}};
        QVERIFY(messageOf(model, question).find("no head 9.0") != std::string::npos);
        question = withoutNameMover();
        question.kind = AblationKind::Resample;
        QVERIFY(messageOf(model, question).find("found 0") != std::string::npos);
        question.references = {{1, 2}};
        QVERIFY(messageOf(model, question).find("same length") != std::string::npos);
        question = withoutNameMover();
        question.prompts[0].token = -1;
        QVERIFY(messageOf(model, question).find("Token id -1") != std::string::npos);
    }

private:
    static HookSet hooksOf(const std::shared_ptr<const Model>& model,
                           const BackupQuestion& question, std::size_t prompt) {
        HeadMask mask;
        for (const LayerHead head : question.ablated)
            mask.set(head, question.kind);
        const std::vector<TokenIds> texts{story().ids, otherStory().ids};
        std::shared_ptr<const StandIns> stand_ins;
        if (question.kind == AblationKind::TextMean)
            stand_ins = require(meanStandIns(model, texts, {2, 4}));
        if (question.kind == AblationKind::Resample)
            stand_ins = require(resampledStandIns(model, texts[1 - prompt], {2, 4}));
        HookSet hooks;
        addAblation(hooks, mask, model->spec, stand_ins);
        return hooks;
    }
};

const headscope::test::TestRegistration<TestBackupHeads> registration;

} // namespace test_backup_heads

#include "test_backup_heads.moc"
