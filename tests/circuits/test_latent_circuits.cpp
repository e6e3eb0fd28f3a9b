// Circuits of heads behind latent vectors: products through the latent, which make the queries,
// keys and values of a run but for the scales of the norms.

#include "core/circuits/folded_weights.h"
#include "core/engine/engine.h"
#include "core/model/head_columns.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_latent_circuits {

using namespace headscope;
using namespace headscope::test;

namespace {

/// What a run had on the way to queries, keys and values of one layer.
struct Layer {
    Tensor x; ///< [position, d_model], normalised, without the gain
    Tensor value;
    Tensor scale; ///< [position, 1], of the latent's norm; empty without one
};

Layer layerOf(const std::shared_ptr<const Model>& model, std::size_t layer, HookKind value,
              std::optional<HookKind> scale) {
    HookSet hooks;
    hooks.capture(HookPoint{HookKind::Ln1Normalized, layer});
    hooks.capture(HookPoint{value, layer});
    if (scale)
        hooks.capture(HookPoint{*scale, layer});
    const auto run = require(runModel(model, {5, 17, 3, 42, 5, 17, 9, 30}, {}, hooks));
    return {run->captured.at({HookKind::Ln1Normalized, layer}), run->captured.at({value, layer}),
            scale ? run->captured.at({*scale, layer}) : Tensor()};
}

/// How far (x W + b) / scale is from the values of a head, relative to the largest of these. The
/// first `undivided` dimensions have no scale.
double furthest(const Layer& layer, const Tensor& W, const Tensor& b, std::size_t place,
                std::size_t undivided) {
    double worst = 0.0;
    double largest = 0.0;
    for (std::size_t t = 0; t < layer.x.dim(0); ++t)
        for (std::size_t c = 0; c < W.dim(1); ++c) {
            double made = b.empty() ? 0.0 : static_cast<double>(b.data()[c]);
            for (std::size_t i = 0; i < W.dim(0); ++i)
                made += static_cast<double>(layer.x(t, i)) * static_cast<double>(W(i, c));
            if (!layer.scale.empty() && c >= undivided)
                made /= static_cast<double>(layer.scale(t, 0u));
            const double expected = static_cast<double>(layer.value(t, place, c));
            worst = std::max(worst, std::abs(made - expected));
            largest = std::max(largest, std::abs(expected));
        }
    return worst / largest;
}

} // namespace

class TestLatentCircuits : public QObject {
    Q_OBJECT

private slots:
    void foldedWeightsMakeWhatTheRunHad_data() {
        QTest::addColumn<std::string>("name");
        for (const std::string& name : latentNames())
            QTest::newRow(name.c_str()) << name;
    }
    void foldedWeightsMakeWhatTheRunHad() {
        QFETCH(std::string, name);
        const auto model = loadFixture(name);
        const ModelSpec& spec = model->spec;
        const FoldedWeights folded = foldWeights(model);
        const std::size_t layer = spec.n_layers - 1;
        const auto biasOf = [&](HeadRead read, std::size_t place) {
            return headColumns(spec, model->weights, layer, read, place).b;
        };
        const std::optional<HookKind> of_queries =
            spec.latent->d_queries == 0 ? std::nullopt : std::optional(HookKind::QLatentScale);
        const Layer queries = layerOf(model, layer, HookKind::Q, of_queries);
        const Layer keys = layerOf(model, layer, HookKind::K, HookKind::KvLatentScale);
        const Layer values = layerOf(model, layer, HookKind::V, HookKind::KvLatentScale);
        for (std::size_t place = 0; place < spec.n_heads; ++place) {
            const LayerHead head{layer, place};
            QVERIFY(furthest(queries, folded.queryWeights(head), biasOf(HeadRead::Query, place),
                             place, 0) < 1e-5);
            QVERIFY(furthest(keys, folded.keyWeights(head), biasOf(HeadRead::Key, place), place,
                             spec.latent->d_shared) < 1e-5);
            QVERIFY(furthest(values, folded.valueWeights(head), biasOf(HeadRead::Value, place),
                             place, 0) < 1e-5);
        }
    }

    /// Side by side as those of other networks are in W_QKV.
    void allHeadsOfALayer() {
        const auto model = loadFixture("deepseek_v3");
        const ModelSpec& spec = model->spec;
        const FoldedWeights folded = foldWeights(model);
        const Tensor all = folded.inputWeights(1);
        QCOMPARE(all.shape(), (Shape{spec.d_model, spec.qkvWidth()}));
        const Tensor key = folded.keyWeights({1, 2});
        const Tensor value = folded.valueWeights({1, 3});
        for (std::size_t r = 0; r < spec.d_model; ++r) {
            QCOMPARE(all(r, spec.queryWidth() + 2 * spec.d_head + 1), key(r, 1u));
            QCOMPARE(all(r, spec.queryWidth() + spec.keyWidth() + 3 * spec.valueDim() + 4),
                     value(r, 4u));
        }
    }

    /// Scores of weights would take the norms of the latents for none.
    void theNormsOfLatentsAreLeftOut() {
        const FoldedWeights folded = foldWeights(loadFixture("youtu"));
        QVERIFY(!folded.exact);
        QVERIFY2(folded.note.find("what cannot be folded and is left out: division by the scale of "
                                  "the latent vectors' norms") != std::string::npos,
                 folded.note.c_str());
    }
};

const headscope::test::TestRegistration<TestLatentCircuits> registration;

} // namespace test_latent_circuits

#include "test_latent_circuits.moc"
