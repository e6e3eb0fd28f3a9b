#include "core/engine/block_plan.h"
#include "core/engine/engine.h"
#include "core/model/random_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <map>

namespace test_block_plan {

using namespace headscope;

namespace {

const std::map<BlockStepKind, QString> kKinds{
    {BlockStepKind::Hook, QStringLiteral("hook")},
    {BlockStepKind::Read, QStringLiteral("read")},
    {BlockStepKind::Norm, QStringLiteral("norm")},
    {BlockStepKind::Attention, QStringLiteral("attention")},
    {BlockStepKind::Mlp, QStringLiteral("mlp")},
    {BlockStepKind::Add, QStringLiteral("add")},
};

QString normName(NormWeights LayerWeights::*norm) {
    const std::map<QString, NormWeights LayerWeights::*> names{
        {QStringLiteral("ln1"), &LayerWeights::ln1},
        {QStringLiteral("ln1_post"), &LayerWeights::ln1_post},
        {QStringLiteral("ln2"), &LayerWeights::ln2},
        {QStringLiteral("ln2_post"), &LayerWeights::ln2_post},
    };
    for (const auto& [name, weights] : names)
        if (weights == norm)
            return name;
    return {};
}

/// "x" or the branch's input or output, such as "mlp.in".
QString valueName(const BlockStep& step) {
    if (step.on == BlockValue::Stream)
        return QStringLiteral("x");
    return (step.branch == Branch::Mlp ? QStringLiteral("mlp.") : QStringLiteral("attn.")) +
           (step.on == BlockValue::Input ? QStringLiteral("in") : QStringLiteral("out"));
}

/// The steps that change a value, one word each: "read:attn.in", "ln1:attn.in", "attention", …
QString changesOf(const BlockPlan& plan) {
    QStringList words;
    for (const BlockStep& step : plan.steps) {
        if (step.kind == BlockStepKind::Read)
            words << QStringLiteral("read:") + valueName(step);
        else if (step.kind == BlockStepKind::Norm)
            words << normName(step.norm) + QLatin1Char(':') + valueName(step);
        else if (step.kind == BlockStepKind::Add)
            words << (step.branch == Branch::Mlp ? QStringLiteral("add:mlp")
                                                 : QStringLiteral("add:attn"));
        else if (step.kind != BlockStepKind::Hook)
            words << kKinds.at(step.kind);
    }
    return words.join(QLatin1Char(' '));
}

ModelSpec tinySpec(NormPlacement norms, bool parallel, MlpKind mlp) {
    ModelSpec spec = gpt2SmallShape(8);
    spec.n_layers = 2;
    spec.n_heads = spec.n_kv_heads = 2;
    spec.d_head = 4;
    spec.d_model = 8;
    spec.d_mlp = mlp == MlpKind::None ? 0 : 12;
    spec.d_vocab = 11;
    spec.attention_scale.assign(2, 0.5);
    spec.norm_placement = norms;
    spec.parallel_residual = parallel;
    spec.mlp = mlp;
    return spec;
}

} // namespace

class TestBlockPlan : public QObject {
    Q_OBJECT

private slots:
    void steps_data();
    void steps();
    void layerWithoutItsFirstNorm();
    void sharedNorm();
    void whatNormsRead();
    void residualAfterTheLastBlock();
    void hooksFireInThisOrder_data();
    void hooksFireInThisOrder();
};

void TestBlockPlan::steps_data() {
    QTest::addColumn<NormPlacement>("norms");
    QTest::addColumn<bool>("parallel");
    QTest::addColumn<bool>("mlp");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, NormPlacement norms, bool parallel, bool mlp,
                        const char* expected) {
        QTest::newRow(name) << norms << parallel << mlp << QString::fromLatin1(expected);
    };
    row("pre", NormPlacement::Pre, false, true,
        "read:attn.in ln1:attn.in attention add:attn read:mlp.in ln2:mlp.in mlp add:mlp");
    row("pre, parallel", NormPlacement::Pre, true, true,
        "read:attn.in ln1:attn.in attention read:mlp.in add:attn ln2:mlp.in mlp add:mlp");
    row("post", NormPlacement::Post, false, true,
        "read:attn.in attention add:attn ln1:x read:mlp.in mlp add:mlp ln2:x");
    row("post, attention only", NormPlacement::Post, false, false,
        "read:attn.in attention add:attn ln1:x");
    row("sandwich", NormPlacement::Sandwich, false, true,
        "read:attn.in ln1:attn.in attention ln1_post:attn.out add:attn read:mlp.in ln2:mlp.in mlp "
        "ln2_post:mlp.out add:mlp");
    row("output", NormPlacement::Output, false, true,
        "read:attn.in attention ln1:attn.out add:attn read:mlp.in mlp ln2:mlp.out add:mlp");
    row("none, attention only", NormPlacement::None, false, false,
        "read:attn.in attention add:attn");
}

void TestBlockPlan::steps() {
    QFETCH(NormPlacement, norms);
    QFETCH(bool, parallel);
    QFETCH(bool, mlp);
    QFETCH(QString, expected);
    const ModelSpec spec = tinySpec(norms, parallel, mlp ? MlpKind::Plain : MlpKind::None);
    QCOMPARE(changesOf(blockPlan(spec, 0)), expected);
}

void TestBlockPlan::layerWithoutItsFirstNorm() {
    ModelSpec spec = tinySpec(NormPlacement::Pre, false, MlpKind::Plain);
    const QString normed = changesOf(blockPlan(spec, 1));
    spec.unnormed_layers = {0};
    const BlockPlans plans(spec);
    QCOMPARE(changesOf(plans[0]), QStringLiteral("read:attn.in attention add:attn read:mlp.in "
                                                 "ln2:mlp.in mlp add:mlp"));
    QCOMPARE(changesOf(plans[1]), normed);
    const std::vector<HookPoint> points = hookPoints(spec);
    QCOMPARE(std::ranges::count(points, HookPoint{HookKind::Ln1Scale, 1}), 1);
    QCOMPARE(std::ranges::count(points, HookPoint{HookKind::Ln1Scale, 0}), 0);
}

void TestBlockPlan::sharedNorm() {
    ModelSpec spec = tinySpec(NormPlacement::Pre, true, MlpKind::Plain);
    spec.shared_norm = true;
    const BlockPlan plan = blockPlan(spec, 0);
    const BlockStep* norm = plan.norm(Branch::Mlp, BlockValue::Input);
    QCOMPARE(normName(norm->norm), QStringLiteral("ln1"));
    QVERIFY(norm->hooks ==
            (std::vector{HookKind::Ln2Scale, HookKind::Ln2Normalized, HookKind::Ln2Out}));
}

/// The reverse pass takes the input of a norm from the hook point that saw it.
void TestBlockPlan::whatNormsRead() {
    const auto mlpNormReads = [](bool parallel) {
        const BlockPlan plan = blockPlan(tinySpec(NormPlacement::Pre, parallel, MlpKind::Plain), 0);
        return plan.norm(Branch::Mlp, BlockValue::Input)->norm_reads;
    };
    QVERIFY(mlpNormReads(false) == HookKind::ResidMid);
    QVERIFY(mlpNormReads(true) == HookKind::ResidPre);
    const BlockPlan output = blockPlan(tinySpec(NormPlacement::Output, false, MlpKind::Plain), 0);
    QVERIFY(!output.norm(Branch::Attention, BlockValue::Output)->norm_reads);
    QVERIFY(!output.norm(Branch::Attention, BlockValue::Input));
}

void TestBlockPlan::residualAfterTheLastBlock() {
    const ModelSpec pre = tinySpec(NormPlacement::Pre, false, MlpKind::Plain);
    const ModelSpec post = tinySpec(NormPlacement::Post, false, MlpKind::Plain);
    QVERIFY(residualAt(pre, 1) == (HookPoint{HookKind::ResidPre, 1}));
    QVERIFY(residualAt(pre, 2) == (HookPoint{HookKind::ResidPost, 1}));
    QVERIFY(residualAt(post, 2) == (HookPoint{HookKind::NormalizedResidPost, 1}));
}

void TestBlockPlan::hooksFireInThisOrder_data() {
    QTest::addColumn<ModelSpec>("spec");
    for (const NormPlacement norms :
         {NormPlacement::Pre, NormPlacement::Post, NormPlacement::Sandwich, NormPlacement::Output,
          NormPlacement::None})
        for (const bool parallel : {false, true})
            for (const MlpKind mlp : {MlpKind::None, MlpKind::Plain, MlpKind::Gated})
                QTest::addRow("norms %d, parallel %d, MLP %d", static_cast<int>(norms), parallel,
                              static_cast<int>(mlp))
                    << tinySpec(norms, parallel, mlp);
}

void TestBlockPlan::hooksFireInThisOrder() {
    QFETCH(ModelSpec, spec);
    std::vector<HookPoint> fired;
    HookSet hooks;
    hooks.observe("*", [&](HookPoint point, const TensorView&) { fired.push_back(point); });
    headscope::test::require(runModel(randomModel(spec, 1), {1, 2, 3}, {}, hooks));
    std::vector<HookPoint> expected = hookPoints(spec);
    std::erase_if(expected, [&](HookPoint point) { return !hookMatches(spec, "*", point); });
    QVERIFY(fired == expected);
}

const headscope::test::TestRegistration<TestBlockPlan> registration;

} // namespace test_block_plan

#include "test_block_plan.moc"
