// What a run takes: as predicted, and nothing between its layers.

#include "core/engine/engine.h"
#include "core/engine/forward/prepare.h"
#include "core/engine/run_memory.h"
#include "core/tensor/parallel.h"
#include "tests/engine/memory/counted_allocations.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_run_memory {

using namespace headscope;
using namespace headscope::test;

namespace {

ModelSpec specOf(std::size_t n_layers) {
    ModelSpec spec;
    spec.family = "random";
    spec.n_layers = n_layers;
    spec.d_model = 64;
    spec.n_heads = 8;
    spec.n_kv_heads = 2;
    spec.d_head = 8;
    spec.d_mlp = 256;
    spec.d_vocab = 500;
    spec.n_ctx = 2048;
    return spec;
}

void addExperts(ModelSpec& spec) {
    spec.mlp = MlpKind::Gated;
    spec.experts = ExpertsSpec{
        .n_experts = 6, .n_chosen = 2, .d_mlp = 192, .d_shared = 96, .dense_layers = {0}};
}

RunItem promptOf(std::size_t positions) {
    RunItem item;
    for (std::size_t t = 0; t < positions; ++t)
        item.ids.push_back(static_cast<TokenId>(t * t % 499));
    return item;
}

void ignore(HookPoint, TensorView) {}

} // namespace

class TestRunMemory : public QObject {
    Q_OBJECT

private slots:
    void init() { setThreads(1); }

    void predictionsComeTrue_data() {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"plain", "patterns only", "nothing kept", "last position", "batch",
                                 "captures", "patterns looked at", "gated", "rotary",
                                 "attention only", "normed queries", "experts"})
            QTest::newRow(kind) << QString::fromLatin1(kind);
    }
    void predictionsComeTrue();

    void nothingIsAllocatedBetweenLayers_data() {
        QTest::addColumn<bool>("gated");
        QTest::addColumn<bool>("experts");
        QTest::newRow("learned positions, GELU") << false << false;
        QTest::newRow("rotary, gated") << true << false;
        QTest::newRow("experts") << false << true;
    }
    void nothingIsAllocatedBetweenLayers();

    void absurdLengthsDoNotOverflow() {
        const RunMemory memory = runMemory(specOf(2), std::size_t{1} << 62);
        QVERIFY(memory.total() > std::size_t{1} << 62);
    }

    void refusalGivesTheFigures() {
        const RunMemory memory = runMemory(specOf(2), 5);
        QVERIFY(checkRunMemory(memory, 5, memory.total(), "small"));
        const auto refused = checkRunMemory(memory, 5, memory.total() - 1, "small");
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::TooLarge);
        const QString message = QString::fromStdString(refused.error().message);
        QVERIFY2(message.startsWith(QStringLiteral("A run of small over 5 tokens needs ")),
                 qPrintable(message));
        QVERIFY(message.endsWith(
            QStringLiteral(" are available; close other programs or shorten the prompt.")));
    }
};

/// The largest number of bytes alive during a run, beyond what was there before.
void TestRunMemory::predictionsComeTrue() {
    QFETCH(QString, kind);
    ModelSpec spec = specOf(3);
    if (kind == QLatin1String("gated"))
        spec.mlp = MlpKind::Gated;
    if (kind == QLatin1String("experts"))
        addExperts(spec);
    if (kind == QLatin1String("attention only"))
        spec.mlp = MlpKind::None;
    if (kind == QLatin1String("normed queries"))
        spec.qk_norm = QkNorm::PerHead;
    if (kind == QLatin1String("rotary")) {
        spec.positions = PositionKind::Rotary;
        spec.rotary.d_rotary = 8;
    }
    const auto model = livelyRandomModel(spec, 1);
    std::vector<RunItem> items{promptOf(700)};
    Request request;
    if (kind == QLatin1String("patterns only") || kind == QLatin1String("nothing kept"))
        request.logits = false;
    if (kind == QLatin1String("nothing kept"))
        request.keep_attention = false;
    if (kind == QLatin1String("last position"))
        request.logit_positions = {699};
    if (kind == QLatin1String("batch"))
        items = {promptOf(300), promptOf(700), promptOf(41)};
    if (kind == QLatin1String("captures")) {
        items[0].hooks.capture("blocks.*.hook_resid_pre");
        items[0].hooks.capture("blocks.1.attn.hook_z", 3);
    }
    if (kind == QLatin1String("patterns looked at"))
        items[0].hooks.observe("blocks.1.attn.hook_pattern", ignore, 5);

    const std::size_t predicted =
        runMemory(spec, require(pack(model, items, request)), request).total();
    resetAllocations();
    const auto runs = require(runBatch(model, items, request));
    const double ratio =
        static_cast<double>(allocations().peak_bytes) / static_cast<double>(predicted);
    QVERIFY2(ratio > 0.9 && ratio < 1.1, qPrintable(QString::number(ratio)));
    QCOMPARE(runs.size(), items.size());
}

/// A network of twice the layers keeps twice the queries and keys, made before the first layer, and
/// otherwise asks for memory as often.
void TestRunMemory::nothingIsAllocatedBetweenLayers() {
    QFETCH(bool, gated);
    QFETCH(bool, experts);
    const auto callsOf = [&](std::size_t n_layers) {
        ModelSpec spec = specOf(n_layers);
        if (gated) {
            spec.mlp = MlpKind::Gated;
            spec.activation = Activation::Silu;
            spec.norm.kind = NormKind::RmsNorm;
            spec.positions = PositionKind::Rotary;
            spec.rotary.d_rotary = 8;
        }
        if (experts)
            addExperts(spec);
        const auto model = livelyRandomModel(spec, 1);
        const RunItem item = promptOf(200);
        Request request;
        request.keep_attention = false;
        resetAllocations();
        const auto runs = require(runBatch(model, {&item, 1}, request));
        return allocations().count;
    };
    QCOMPARE(callsOf(8), callsOf(2));
}

const headscope::test::TestRegistration<TestRunMemory> registration;

} // namespace test_run_memory

#include "test_run_memory.moc"
