#include "core/base/memory.h"
#include "core/loading/load_model.h"
#include "core/loading/plan/memory_bill.h"
#include "core/loading/plan/tensor_plan.h"
#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>
#include <limits>

namespace test_load_control {

using namespace headscope;
using headscope::test::modelPath;
using headscope::test::ModelVariant;

class TestLoadControl : public QObject {
    Q_OBJECT

private slots:
    void progressGrowsToOne();
    void cancelBeforeTheStart();
    void cancelBetweenTensors();
    void billCountsWeightsAndStaging();
    void billRefusesWhatCannotBeCounted();
    void refusesMoreThanIsAvailable();
    void systemSaysWhatIsAvailable();
    void missingFileIsNamed();
};

void TestLoadControl::progressGrowsToOne() {
    std::vector<double> fractions;
    std::vector<std::string> stages;
    const auto model =
        loadModel(modelPath("gpt2"), {}, [&](double fraction, std::string_view stage) {
            fractions.push_back(fraction);
            stages.emplace_back(stage);
        });
    QVERIFY(model);
    QVERIFY(std::ranges::is_sorted(fractions));
    QCOMPARE(fractions.front(), 0.0);
    QCOMPARE(fractions.back(), 1.0);
    QVERIFY(std::ranges::count(stages, "reading transformer.h.1.mlp.c_fc.weight") == 1);
    // The embedding is 97·48 of 92,640 numbers: bytes count, not tensors.
    const auto embedding = std::ranges::find(stages, "reading transformer.wte.weight");
    const auto place = static_cast<std::size_t>(embedding - stages.begin());
    const double share = fractions.at(place + 1) - fractions.at(place);
    QVERIFY2(share > 0.015 && share < 0.035, qPrintable(QString::number(share)));
}

void TestLoadControl::cancelBeforeTheStart() {
    std::stop_source stop;
    stop.request_stop();
    const auto model = loadModel(modelPath("gpt2"), {}, {}, stop.get_token());
    QVERIFY(!model);
    QCOMPARE(model.error().code, ErrorCode::Cancelled);
    QCOMPARE(model.error().message, std::string("Loading gpt2.h5 was cancelled."));
}

void TestLoadControl::cancelBetweenTensors() {
    std::stop_source stop;
    std::size_t read_after_stop = 0;
    const auto progress = [&](double, std::string_view stage) {
        if (stop.stop_requested() && stage.starts_with("reading"))
            ++read_after_stop;
        if (stage == "reading transformer.h.1.attn.c_attn.weight")
            stop.request_stop();
    };
    const auto model = loadModel(modelPath("gpt2"), {}, progress, stop.get_token());
    QVERIFY(!model);
    QCOMPARE(model.error().code, ErrorCode::Cancelled);
    QCOMPARE(read_after_stop, std::size_t{0});
}

void TestLoadControl::billCountsWeightsAndStaging() {
    const auto model = loadModel(modelPath("llama-mini-gqa-4l"));
    QVERIFY(model);
    std::size_t bytes = 0; // matrices are float16 as in the file, vectors float32
    for (const LoadReport::Used& used : (*model)->report.used)
        bytes += elementCount(used.shape) * (used.shape.size() > 1 ? 2 : 4);
    QCOMPARE((*model)->report.weight_bytes, bytes);

    TensorInfo tensor{"a", {6, 4}, StoredType::Float16, 48};
    ModelSpec spec;
    spec.d_vocab = 6;
    spec.d_model = 4;
    TensorPlan plan;
    plan.tensors.push_back({&tensor, WeightRole::W_E});
    plan.tensors.push_back({&tensor, WeightRole::W_E, 0, Layout::AsStored, &tensor});
    const auto bill = memoryBill(plan, spec, "a.h5");
    QVERIFY(bill);
    QCOMPARE(bill->weights, std::size_t{6 * 4 * 2}); // as it is stored
    QCOMPARE(bill->staging, std::size_t{6 * 4 * 2});
    tensor.type = StoredType::Quantized;
    QCOMPARE(memoryBill(plan, spec, "a.h5")->weights, std::size_t{6 * 4 * 4});
    QCOMPARE(memoryBill(plan, spec, "a.h5")->staging, std::size_t{6 * 4 * (4 + 2)});
    tensor.type = StoredType::Float32;
    QCOMPARE(memoryBill(plan, spec, "a.h5")->staging, std::size_t{6 * 4 * 4});

    // A gate and what it gates, fused, are staged as one.
    const TensorInfo fused{"b", {2 * 5, 4}, StoredType::Float32, 2 * 5 * 4 * 4};
    spec.d_mlp = 5;
    plan.tensors = {{&fused, WeightRole::W_gate, 0, Layout::FirstHalf},
                    {&fused, WeightRole::W_in, 0, Layout::SecondHalf}};
    QCOMPARE(memoryBill(plan, spec, "b.h5")->weights, fused.stored_bytes);
    QCOMPARE(memoryBill(plan, spec, "b.h5")->staging, fused.stored_bytes);
}

void TestLoadControl::billRefusesWhatCannotBeCounted() {
    TensorInfo tensor{"embedding", {1, 1}, StoredType::Float32, 4};
    ModelSpec spec;
    spec.d_vocab = std::size_t{1} << 40;
    spec.d_model = std::size_t{1} << 40;
    TensorPlan plan;
    plan.tensors.push_back({&tensor, WeightRole::W_E});
    const auto bill = memoryBill(plan, spec, "a.h5");
    QVERIFY(!bill);
    QCOMPARE(bill.error().code, ErrorCode::TooLarge);
    QCOMPARE(bill.error().message,
             std::string("a.h5 describes a network too large to count, at the tensor 'embedding'; "
                         "correct the config."));

    spec.d_vocab = std::size_t{1} << 61;
    spec.d_model = 1;
    plan.tensors = {{&tensor, WeightRole::W_E}, {&tensor, WeightRole::W_U}};
    QVERIFY(!memoryBill(plan, spec, "a.h5"));
}

void TestLoadControl::refusesMoreThanIsAvailable() {
    const MemoryBill bill{12'300'000'000, 2'000'000'000};
    QVERIFY(checkMemory(bill, 14'300'000'000, "large.h5"));
    const auto refused = checkMemory(bill, 14'299'999'999, "large.h5");
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::TooLarge);
    QCOMPARE(refused.error().message,
             std::string("large.h5 needs 12.3 GB of memory for its weights and 2.00 GB "
                         "while loading, but 14.3 GB are available; close other programs or open "
                         "a smaller model."));
    QVERIFY(!checkMemory({std::numeric_limits<std::size_t>::max(), 1},
                         std::numeric_limits<std::size_t>::max(), "large.h5"));
}

void TestLoadControl::systemSaysWhatIsAvailable() {
    const auto available = availableMemory();
    QVERIFY(available);
    QVERIFY(*available > 1'000'000);
}

void TestLoadControl::missingFileIsNamed() {
    const auto model = loadModel("/nowhere/absent.h5");
    QVERIFY(!model);
    QVERIFY2(model.error().message.find("absent.h5") != std::string::npos,
             model.error().message.c_str());
}

const headscope::test::TestRegistration<TestLoadControl> registration;

} // namespace test_load_control

#include "test_load_control.moc"
