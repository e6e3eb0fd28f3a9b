#include "core/engine/engine.h"
#include "core/verify/checks/run_checks.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/verify/check_access.h"

#include <QTest>

namespace test_mask_checks {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr std::size_t kLength = 24;

TokenIds tokens() {
    TokenIds ids;
    for (std::size_t i = 0; i < kLength; ++i)
        ids.push_back(static_cast<TokenId>(3 + i * 7 % 80));
    return ids;
}

/// One weight of head 0.1 is moved from key `from` to key `to` of query 4.
std::shared_ptr<const Run> leakingRun(const std::string& fixture, std::size_t from,
                                      std::size_t to) {
    HookSet hooks;
    hooks.edit("blocks.0.attn.hook_pattern", [=](HookPoint, const MutableTensorView& pattern) {
        pattern(1, 4, to) += pattern(1, 4, from);
        pattern(1, 4, from) = 0.0f;
    });
    return require(runModel(loadFixture(fixture), tokens(), {}, hooks));
}

/// Logits of the leaking network, in which query 4 sees key 13.
Tensor leakingLogits(TokenIds ids) {
    HookSet hooks;
    hooks.edit("blocks.0.attn.hook_pattern",
               [](HookPoint, const MutableTensorView& pattern) { pattern(1, 4, 13) = 0.01f; });
    return require(runModel(loadFixture("gpt2"), ids, {}, hooks))->logits;
}

Tensor logits(const std::string& fixture, const TokenIds& ids) {
    return require(runModel(loadFixture(fixture), ids))->logits;
}

TokenIds withOther(std::size_t position) {
    TokenIds ids = tokens();
    ids[position] = 90;
    return ids;
}

} // namespace

class TestMaskChecks : public QObject {
    Q_OBJECT

private slots:
    void everyFamilyPasses_data() {
        QTest::addColumn<QString>("fixture");
        QTest::addColumn<QString>("later_token");
        const QString no = QStringLiteral("A later token changes no earlier output");
        const QString yes = QStringLiteral("A later token changes earlier outputs");
        QTest::newRow("gpt2") << "gpt2" << no;
        QTest::newRow("llama") << "llama" << no;
        QTest::newRow("mistral") << "mistral-window" << no;
        QTest::newRow("bert") << "bert" << yes;
        QTest::newRow("distilbert") << "distilbert" << yes;
    }
    void everyFamilyPasses() {
        QFETCH(QString, fixture);
        QFETCH(QString, later_token);
        const auto checks = require(maskChecks(loadFixture(fixture.toStdString()), tokens()));
        QVERIFY2(failures(checks).empty(), failures(checks).c_str());
        QVERIFY(checkNamed(checks, later_token.toStdString()).outcome == Check::Passed);
    }

    void windowsAreLookedAt() {
        const auto mistral = require(maskChecks(loadFixture("mistral-window"), tokens()));
        QVERIFY(checkNamed(mistral, "Windows").outcome == Check::Passed);
        const auto gpt2 = require(maskChecks(loadFixture("gpt2"), tokens()));
        QVERIFY(checkNamed(gpt2, "Windows").outcome == Check::NotApplicable);
        const auto short_prompt = require(maskChecks(loadFixture("mistral-window"), {1, 2}));
        QVERIFY(checkNamed(short_prompt, "Windows").outcome == Check::NotApplicable);
    }

    void weightOnALaterKeyFails() {
        const auto fine = patternChecks(*leakingRun("gpt2", 3, 2));
        QVERIFY2(failures(fine).empty(), failures(fine).c_str());
        const auto leaking = patternChecks(*leakingRun("gpt2", 3, 5));
        QVERIFY(checkNamed(leaking, "Rows").outcome == Check::Passed);
        QVERIFY(checkNamed(leaking, "Masked").outcome == Check::Failed);
    }

    void weightBeyondTheWindowFails() {
        HookSet hooks;
        const auto model = loadFixture("mistral-window");
        const std::size_t window = model->spec.window(0);
        QVERIFY(window != 0 && window < kLength);
        hooks.edit("blocks.0.attn.hook_pattern", [&](HookPoint, const MutableTensorView& pattern) {
            pattern(0, window, 0) = pattern(0, window, 1);
            pattern(0, window, 1) = 0.0f;
        });
        const auto checks = patternChecks(*require(runModel(model, tokens(), {}, hooks)));
        QVERIFY(checkNamed(checks, "Windows").outcome == Check::Failed);
    }

    void rowsThatDoNotSumToOneFail() {
        HookSet hooks;
        hooks.edit("blocks.0.attn.hook_pattern",
                   [](HookPoint, const MutableTensorView& pattern) { pattern(0, 4, 2) += 1e-4f; });
        const auto run = require(runModel(loadFixture("gpt2"), tokens(), {}, hooks));
        QVERIFY(checkNamed(patternChecks(*run), "Rows").outcome == Check::Failed);
    }

    /// A row lacks what the learned sink takes of it, and no more.
    void learnedSinksAreCounted() {
        const auto model = loadFixture("gpt_oss");
        const TokenIds ids = someIds(model->spec, kLength);
        const auto checks = require(maskChecks(model, ids));
        QVERIFY2(failures(checks).empty(), failures(checks).c_str());
        auto without = std::make_shared<Model>(*model);
        without->spec.learned_sinks = false;
        auto run = std::make_shared<Run>(*require(runModel(model, ids)));
        run->model = without;
        QVERIFY(checkNamed(patternChecks(*run), "Rows").outcome == Check::Failed);
    }

    /// The same judgement finds a leak in a causal network and none where there is none.
    void leakIsFound() {
        const Tensor before = logits("gpt2", tokens());
        const Tensor after = logits("gpt2", withOther(13));
        QVERIFY(laterTokenCheck(true, before, after, 13).outcome == Check::Passed);
        QVERIFY(laterTokenCheck(true, before, after, 14).outcome == Check::Failed);
        QVERIFY(laterTokenCheck(true, leakingLogits(tokens()), leakingLogits(withOther(13)), 13)
                    .outcome == Check::Failed);
        QVERIFY(laterTokenCheck(false, before, after, 13).outcome == Check::Failed);
    }
};

const headscope::test::TestRegistration<TestMaskChecks> registration;

} // namespace test_mask_checks

#include "test_mask_checks.moc"
