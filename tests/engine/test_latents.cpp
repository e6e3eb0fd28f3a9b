// Hooks at the latent vectors that keys and values are made of.

#include "core/engine/engine.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>

namespace test_latents {

using namespace headscope;
using namespace headscope::test;

namespace {

const TokenIds kIds{5, 17, 3, 42, 5, 17, 9, 30};

} // namespace

class TestLatents : public QObject {
    Q_OBJECT

private slots:
    void shapes() {
        HookSet hooks;
        hooks.capture("blocks.0.attn.*latent*");
        hooks.capture("blocks.0.attn.q_latent_norm.hook_out");
        const auto run = require(runModel(loadFixture("deepseek_v3"), kIds, {}, hooks));
        const auto shapeAt = [&](HookKind kind) { return run->captured.at({kind, 0}).shape(); };
        QCOMPARE(shapeAt(HookKind::KvLatent), (Shape{8, 10}));
        QCOMPARE(shapeAt(HookKind::KvLatentScale), (Shape{8, 1}));
        QCOMPARE(shapeAt(HookKind::KvLatentNormalized), (Shape{8, 10}));
        QCOMPARE(shapeAt(HookKind::QLatent), (Shape{8, 12}));
        QCOMPARE(shapeAt(HookKind::QLatentOut), (Shape{8, 12}));
    }

    /// Without the latent nothing is left of values, and of keys what all heads share.
    void latentAtZero() {
        const auto model = loadFixture("deepseek_v3");
        HookSet hooks;
        hooks.edit("blocks.1.attn.kv_latent_norm.hook_out",
                   [](HookPoint, const MutableTensorView& x) {
                       for (std::size_t t = 0; t < x.shape[0]; ++t)
                           for (std::size_t c = 0; c < x.shape[1]; ++c)
                               x(t, c) = 0.0f;
                   });
        hooks.capture("blocks.1.attn.hook_k");
        hooks.capture("blocks.1.attn.hook_v");
        const auto run = require(runModel(model, kIds, {}, hooks));
        const Tensor& v = run->captured.at({HookKind::V, 1});
        QVERIFY(std::ranges::all_of(v.values(), [](float value) { return value == 0.0f; }));
        const Tensor& k = run->captured.at({HookKind::K, 1});
        for (std::size_t t = 0; t < k.dim(0); ++t)
            for (std::size_t head = 0; head < k.dim(1); ++head)
                for (std::size_t c = 0; c < k.dim(2); ++c)
                    QCOMPARE(k(t, head, c), c < 4 ? k(t, 0u, c) : 0.0f);
        QVERIFY(k(0u, 0u, 0u) != 0.0f);
    }

    void noLatentOfQueries() {
        HookSet hooks;
        hooks.capture("blocks.0.attn.hook_q_latent");
        const auto run = runModel(loadFixture("deepseek_v3-held"), kIds, {}, hooks);
        QVERIFY(!run && run.error().message.find("matches no hook point") != std::string::npos);
    }

    /// Each head would have a latent of its own.
    void inputsOfHeadsAndLatentsApart() {
        HookSet hooks;
        hooks.capture("blocks.1.hook_k_input");
        hooks.capture("blocks.1.attn.hook_kv_latent");
        const auto run = runModel(loadFixture("deepseek_v3"), kIds, {}, hooks);
        QVERIFY(!run);
        QCOMPARE(run.error().code, ErrorCode::InvalidArgument);
        QVERIFY2(run.error().message.find("ask for both in two runs") != std::string::npos,
                 run.error().message.c_str());
    }
};

const headscope::test::TestRegistration<TestLatents> registration;

} // namespace test_latents

#include "test_latents.moc"
