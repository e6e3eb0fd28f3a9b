// Networks without some heads, against the whole ones with these heads at zero; in memory and
// through files.

#include "core/base/random.h"
#include "core/engine/backward.h"
#include "core/engine/engine.h"
#include "core/export/save_smaller_model.h"
#include "core/interventions/activation_patching.h"
#include "core/interventions/tables.h"
#include "core/loading/load_model.h"
#include "core/model/weight_role.h"
#include "core/pruning/gains.h"
#include "core/pruning/pruning_curve.h"
#include "core/pruning/smaller_model.h"
#include "tests/pruning/pruning_cases.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace test_smaller_model {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr double kRelative = 5e-6; ///< products of other widths add in another order

/// Random repairs of W_O and b_O where heads go.
OutputRepairs someRepairs(const Model& model, const HeadSet& removed) {
    Random random(11);
    OutputRepairs repairs;
    for (const LayerHead head : removed) {
        auto repair = std::make_shared<OutputRepair>();
        const std::size_t rows =
            placesLeft(model.spec, removed, head.layer).size() * model.spec.valueDim();
        repair->W_O = Tensor({rows, model.spec.d_model});
        repair->b_O = Tensor({model.spec.d_model});
        for (Tensor* const tensor : {&repair->W_O, &repair->b_O})
            for (float& value : tensor->values())
                value = static_cast<float>(random.below(2001)) / 10000.0f - 0.1f;
        repairs[head.layer] = std::move(repair);
    }
    return repairs;
}

double relative(const Tensor& found, const Tensor& expected) {
    return difference(found.view(), expected.view()).relative;
}

} // namespace

class TestSmallerModel : public QObject {
    Q_OBJECT

private slots:
    void sameAsMasked_data();
    void sameAsMasked();
    void sameWithRepairs_data() { sameAsMasked_data(); }
    void sameWithRepairs();
    void throughAFile_data();
    void throughAFile();
    void kvHeadsGoWithTheirLastQueryHead();
    void cutsTwice();
    void layerWithoutHeadsHasHooksAndGradients();
    void costIsThatOfTheSmallerModel();
    void gainsAreInTheUsualUnits();
    void speedHasAnInterval();
    void sizeIsAsPredicted();
    void cutModelFollowsEveryCut();
    void cutModelCopiesNothingButAttention();
    void activationsArePatchedByTheNumbersOfHeads_data();
    void activationsArePatchedByTheNumbersOfHeads();
    void refusals();
    void nothingIsLeftBehind();
};

void TestSmallerModel::sameAsMasked_data() {
    QTest::addColumn<QString>("fixture");
    for (const char* name : {"gpt2",
                             "bloom",
                             "llama-gqa",
                             "llama-mqa-headdim",
                             "gemma2",
                             "qwen3",
                             "falcon-grouped",
                             "gptj",
                             "mistral-window",
                             "bert",
                             "hooked-grouped",
                             "hooked-shortformer",
                             "mixtral",
                             "qwen3_moe",
                             "granitemoe",
                             "gpt_oss",
                             "hunyuan_v1_dense",
                             "cohere-qk-norm",
                             "stablelm-qk-norm",
                             "mpt-clip",
                             "ministral3-long",
                             "glm4_moe",
                             "ernie4_5_moe",
                             "cohere2_moe",
                             "dbrx",
                             "deepseek_v2",
                             "deepseek_v3",
                             "deepseek_v3-held",
                             "minicpm3"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestSmallerModel::sameAsMasked() {
    QFETCH(QString, fixture);
    const auto whole = loadFixture(fixture.toStdString());
    const HeadSet removed = firstLayerAndOneMore(whole->spec);
    const auto smaller = require(smallerModel(*whole, {removed, {}}));
    QCOMPARE(smaller->spec.headsIn(0), 0u);
    const Tensor expected = outputs(whole, removed);
    QVERIFY(relative(outputs(smaller), expected) < kRelative);
    QVERIFY(relative(outputs(whole), expected) > 100 * kRelative);
}

void TestSmallerModel::sameWithRepairs() {
    QFETCH(QString, fixture);
    const auto whole = loadFixture(fixture.toStdString());
    const HeadSet removed = firstLayerAndOneMore(whole->spec);
    const Cut cut{removed, someRepairs(*whole, removed)};
    const Tensor expected = outputs(repairedModel(*whole, cut), removed);
    QVERIFY(relative(outputs(require(smallerModel(*whole, cut))), expected) < kRelative);
    QVERIFY(relative(outputs(whole, removed), expected) > 100 * kRelative);
}

void TestSmallerModel::throughAFile_data() {
    sameAsMasked_data();
    for (const char* name :
         {"gpt_neox", "phi3", "phi", "gemma", "opt-350m", "distilbert", "microgpt", "notebook",
          "starcoder2", "roberta", "hooked-lnpre", "hooked-solu", "hooked-classifier"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestSmallerModel::throughAFile() {
    QFETCH(QString, fixture);
    const QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString()) / "smaller.h5";
    const auto whole = loadFixture(fixture.toStdString());
    HeadSet removed = firstLayerAndOneMore(whole->spec);
    if (whole->spec.n_layers == 1)
        removed = {{0, 1}};
    for (const bool repaired : {false, true}) {
        const Cut cut{removed, repaired ? someRepairs(*whole, removed) : OutputRepairs()};
        std::vector<TokenIds> texts{{kPruningIds.begin(), kPruningIds.begin() + 5}};
        for (TokenId& id : texts.front())
            id %= static_cast<TokenId>(whole->spec.d_vocab);
        const SavedModel saved = require(saveSmallerModel(whole, cut, path, texts));
        const auto loaded = require(loadModel(path));
        const auto smaller = require(smallerModel(*whole, cut));
        QCOMPARE(loaded->spec.kept_heads, smaller->spec.kept_heads);
        QVERIFY(saved.difference <= kSameLogits);
        if (whole->spec.n_ctx >= kPruningIds.size())
            QVERIFY(relative(outputs(loaded), outputs(smaller)) < 1e-6);
    }
}

void TestSmallerModel::kvHeadsGoWithTheirLastQueryHead() {
    const auto whole = loadFixture("llama-gqa");
    const std::size_t group = whole->spec.headsPerGroup();
    HeadSet removed;
    for (std::size_t head = 0; head + 1 < group; ++head)
        removed.push_back({0, head});
    QCOMPARE(require(smallerModel(*whole, {removed, {}}))->spec.kvHeadsIn(0),
             whole->spec.n_kv_heads);
    removed.push_back({0, group - 1});
    const auto smaller = require(smallerModel(*whole, {removed, {}}));
    QCOMPARE(smaller->spec.kvHeadsIn(0), whole->spec.n_kv_heads - 1);
    QCOMPARE(smaller->spec.headAt(0, 0).head, group);
    QCOMPARE(smaller->weights.layers[0].attn.W_QKV.dim(1), smaller->spec.qkvWidth(0));
}

/// Heads keep their numbers from one cut to the next.
void TestSmallerModel::cutsTwice() {
    const auto whole = loadFixture("gpt2");
    const auto once = require(smallerModel(*whole, {{{1, 0}}, {}}));
    const auto twice = require(smallerModel(*once, {{{1, 2}, {0, 3}}, {}}));
    const auto both = require(smallerModel(*whole, {{{1, 0}, {1, 2}, {0, 3}}, {}}));
    QCOMPARE(twice->spec.kept_heads, both->spec.kept_heads);
    QCOMPARE(relative(outputs(twice), outputs(both)), 0.0);
}

void TestSmallerModel::layerWithoutHeadsHasHooksAndGradients() {
    for (const char* name : {"gpt2", "llama-gqa", "qwen3", "bert"}) {
        const auto whole = loadFixture(name);
        const auto model = require(smallerModel(*whole, {firstLayerAndOneMore(whole->spec), {}}));
        const std::vector<HookPoint> points = hookPoints(model->spec);
        const BackwardRequest request{{points.begin(), points.end()}};
        const auto gradients = require(runBackward(
            model, kPruningIds, [](const Tensor& logits) { return Tensor(logits.shape(), 1.0f); },
            request));
        for (const HookPoint point : points) {
            HookSet hooks;
            hooks.capture(point);
            const auto run = require(runModel(model, kPruningIds, {}, hooks));
            const Shape shape = hookShape(model->spec, point, kPruningIds.size());
            QVERIFY2(run->captured.contains(point), hookName(model->spec, point).c_str());
            QCOMPARE(run->captured.at(point).shape(), shape);
            QVERIFY2(gradients.hooks.contains(point), hookName(model->spec, point).c_str());
            QCOMPARE(gradients.hooks.at(point).shape(), shape);
        }
    }
}

void TestSmallerModel::costIsThatOfTheSmallerModel() {
    for (const char* name : {"gpt2", "llama-gqa", "gemma2", "deepseek_v3", "deepseek_v3-held"}) {
        const auto whole = loadFixture(name);
        const HeadSet removed = firstLayerAndOneMore(whole->spec);
        for (const OutputRepairs& repairs : {OutputRepairs(), someRepairs(*whole, removed)}) {
            const Cut cut{removed, repairs};
            const ModelCost predicted = costAfter(*whole, cut);
            const ModelCost real = costOf(*require(smallerModel(*whole, cut)));
            QCOMPARE(predicted.parameters, real.parameters);
            QCOMPARE(predicted.kv_per_token, real.kv_per_token);
            QCOMPARE(predicted.flops_per_token, real.flops_per_token);
            QVERIFY(real.flops_per_token < costOf(*whole).flops_per_token);
        }
        const PassageSet calibration = randomPassages(*whole, 4, 12, 1);
        for (const Compensation way : {Compensation::None, Compensation::Bias, Compensation::Ridge,
                                       Compensation::Rotation}) {
            const Cut cut = require(compensatedCut(whole, calibration, removed, way));
            QCOMPARE(costWithout(*whole, removed, way).parameters,
                     costOf(*require(smallerModel(*whole, cut))).parameters);
        }
    }
}

void TestSmallerModel::gainsAreInTheUsualUnits() {
    const auto all = gains({1000, 64, 2e6}, {750, 48, 1.5e6});
    QCOMPARE(all.size(), 4u);
    QCOMPARE(all[0].before_text + " " + all[0].after_text, std::string("1000 750"));
    QCOMPARE(all[1].before_text, std::string("4.00 kB"));
    QCOMPARE(all[2].after_text + " " + all[2].unit, std::string("96 B per token, as float16"));
    QCOMPARE(all[3].after_text, std::string("1.50 M"));
    for (const Gain& gain : all)
        QCOMPARE(gain.changeText(), std::string("-25.0 %"));
}

/// How fast is left to the machine; but that it is an interval around what is said is not.
void TestSmallerModel::speedHasAnInterval() {
    const auto model = loadFixture("gpt2");
    const PassageSet text = randomPassages(*model, 2, 12, 1);
    const auto speed = speedGain(model, model, text);
    QVERIFY(speed && speed->before > 0.0 && speed->interval);
    const double factor = speed->after / speed->before;
    QVERIFY(speed->interval->first <= factor && factor <= speed->interval->second);
    const std::string change = speed->changeText();
    QVERIFY2(change.find(" %, 95 % interval ") != std::string::npos, change.c_str());
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!speedGain(model, model, text, stop.get_token()));
    const Gain gain{"speed here", 100.0, 110.0, "100", "110", "", std::pair(1.05, 1.2)};
    QCOMPARE(gain.changeText(), std::string("10.0 %, 95 % interval 5.0 % to 20.0 %"));
}

void TestSmallerModel::sizeIsAsPredicted() {
    const QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString()) / "smaller.h5";
    for (const char* name : {"gpt2-mini-6l", "llama-mini-gqa-4l", "bert-mini-4l", "attn-only-2l"}) {
        const auto whole = loadSample(name);
        const std::vector<TokenIds> texts{kPruningIds};
        const Cut cut{firstLayerAndOneMore(whole->spec), {}};
        const SavedModel saved = require(saveSmallerModel(whole, cut, path, texts));
        const auto predicted = static_cast<double>(saved.predicted_bytes);
        const auto real = static_cast<double>(std::filesystem::file_size(path));
        QCOMPARE(static_cast<double>(saved.bytes), real);
        // The samples are packed, and what stays may pack a little better or worse than the whole.
        QVERIFY2(std::abs(predicted / real - 1.0) < 0.1,
                 qPrintable(QStringLiteral("%1 and %2").arg(predicted).arg(real)));
    }
}

void TestSmallerModel::cutModelFollowsEveryCut() {
    const auto whole = loadFixture("llama-gqa");
    CutModel cut_model(whole);
    const HeadSet many = firstLayerAndOneMore(whole->spec);
    const std::vector<Cut> cuts{
        {many, {}}, {{{1, 0}}, {}}, {}, {many, someRepairs(*whole, many)}, {{{0, 1}, {1, 0}}, {}}};
    for (const Cut& cut : cuts)
        QCOMPARE(
            relative(outputs(cut_model.with(cut)), outputs(require(smallerModel(*whole, cut)))),
            0.0);
    QCOMPARE(firstDifference(cuts[0], cuts[0], 2), 2u);
    QCOMPARE(firstDifference(cuts[1], cuts[2], 2), 1u);
    QCOMPARE(firstDifference(cuts[0], cuts[3], 2), 0u);
}

void TestSmallerModel::cutModelCopiesNothingButAttention() {
    for (const char* const name : {"gpt2", "llama-gqa", "bert"}) {
        const auto whole = loadFixture(name);
        CutModel cut_model(whole);
        const auto cut = cut_model.with({{{1, 0}}, {}});
        for (const RoleInfo& role : weightRoles()) {
            const bool is_cut = role.isPerLayer() && (role.name.find("attn") != role.name.npos);
            if (role.isPart() || is_cut)
                continue;
            const Parameter lent = role.tensor.read(whole->weights, 1);
            const Parameter borrowed = role.tensor.read(cut->weights, 1);
            QCOMPARE(shapeOf(borrowed), shapeOf(lent));
            QVERIFY(matrixOf(borrowed).floats().data == matrixOf(lent).floats().data);
        }
        QVERIFY(cut->weights.layers[1].attn.W_O.size() < whole->weights.layers[1].attn.W_O.size());
    }
}

void TestSmallerModel::activationsArePatchedByTheNumbersOfHeads_data() {
    QTest::addColumn<int>("hook");
    QTest::addColumn<bool>("no_heads_in_layer_0");
    QTest::newRow("z") << static_cast<int>(HookKind::Z) << false;
    QTest::newRow("k") << static_cast<int>(HookKind::K) << false;
    QTest::newRow("z, a layer without heads") << static_cast<int>(HookKind::Z) << true;
    QTest::newRow("k, a layer without heads") << static_cast<int>(HookKind::K) << true;
}

/// Layers have different numbers of heads, with gaps.
void TestSmallerModel::activationsArePatchedByTheNumbersOfHeads() {
    QFETCH(int, hook);
    const auto whole = loadFixture("llama-gqa");
    QFETCH(bool, no_heads_in_layer_0);
    HeadSet removed = whole->spec.groupOf({0, 0});
    if (no_heads_in_layer_0)
        removed = firstLayerAndOneMore(whole->spec);
    else
        removed.push_back({1, 3});
    const auto smaller = require(smallerModel(*whole, {removed, {}}));
    const ModelSpec& spec = smaller->spec;
    PatchQuestion question;
    question.clean = {5, 17, 3, 42};
    question.corrupted = {5, 17, 60, 42};
    question.hook = static_cast<HookKind>(hook);
    question.by_head = true;
    const PatchResult result = require(patchActivations(smaller, question));
    PromptMetric metric = require(PromptMetric::make({}, spec, question.clean));
    std::size_t patched = 0;
    std::size_t kv_heads = 0;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        const HookPoint point{question.hook, layer};
        HookSet keep;
        keep.capture(point);
        kv_heads += spec.kvHeadsIn(layer);
        const auto clean = require(runModel(smaller, question.clean, {}, keep));
        const std::vector<std::size_t> heads = headsAt(spec, point);
        for (std::size_t head = 0; head < result.heads; ++head) {
            const double found = result.values[result.index(layer, 0, head)];
            const auto at = std::ranges::find(heads, head);
            QCOMPARE(std::isnan(found), at == heads.end());
            if (at == heads.end())
                continue;
            const auto place = static_cast<std::size_t>(at - heads.begin());
            HookSet hooks;
            hooks.edit(point, [&](HookPoint, MutableTensorView value) {
                const TensorView from = clean->captured.at(point).view();
                for (std::size_t position = 0; position < 4; ++position)
                    for (std::size_t i = 0; i < value.shape[2]; ++i)
                        value(position, place, i) = from(position, place, i);
            });
            const auto run = require(runModel(smaller, question.corrupted, {}, hooks));
            QVERIFY(std::abs(found - metric.value(run->logits)) < 1e-5);
            ++patched;
        }
    }
    question.method = EffectMethod::Gradient;
    const PatchResult estimated = require(patchActivations(smaller, question));
    for (std::size_t i = 0; i < result.values.size(); ++i)
        QCOMPARE(std::isnan(estimated.values[i]), std::isnan(result.values[i]));
    QVERIFY(kv_heads < whole->spec.n_kv_heads * spec.n_layers); // one went with its readers
    QCOMPARE(patched, question.hook == HookKind::K ? kv_heads : spec.allHeads().size());
    QCOMPARE(patchTable(result, spec, {}).rows.size(), patched);
}

void TestSmallerModel::refusals() {
    const auto gpt2 = loadFixture("gpt2");
    QVERIFY(smallerModel(*gpt2, {{{0, 9}}, {}})
                .error()
                .message.starts_with("There is no head 0.9: this network has layers 0 to"));
    const auto smaller = require(smallerModel(*gpt2, {firstLayerAndOneMore(gpt2->spec), {}}));
    QCOMPARE(smallerModel(*smaller, {{{0, 0}}, {}}).error().message,
             std::string("There is no head 0.0: it was removed from this network."));
    QVERIFY(smallerModel(*loadFixture("olmo2"), {{{0, 0}}, {}})
                .error()
                .message.starts_with("olmo2 normalises the queries of all heads together"));
    QVERIFY(saveSmallerModel(gpt2, {{{0, 0}}, {}}, gpt2->path, {})
                .error()
                .message.ends_with("give the new file another name."));
}

/// A model that is not what its file says cannot be kept.
void TestSmallerModel::nothingIsLeftBehind() {
    const QTemporaryDir folder;
    const std::filesystem::path parent(folder.path().toStdString());
    auto other = std::make_shared<Model>(*loadFixture("gpt2"));
    other->spec.norm.eps = 0.5;
    const std::vector<TokenIds> texts{kPruningIds};
    const auto saved = saveSmallerModel(other, {{{0, 0}}, {}}, parent / "smaller.h5", texts);
    QVERIFY(!saved);
    QVERIFY2(saved.error().message.starts_with("The smaller model was not kept: after it was read"),
             saved.error().message.c_str());
    QVERIFY(std::filesystem::is_empty(parent));
}

const headscope::test::TestRegistration<TestSmallerModel> registration;

} // namespace test_smaller_model

#include "test_smaller_model.moc"
