// Folding must not change what the network computes, and gives TransformerLens's numbers.

#include "core/circuits/folded_weights.h"
#include "core/engine/engine.h"
#include "tests/support/bare_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace test_folded_weights {

using namespace headscope;
using namespace headscope::test;

namespace {

/// bias = bias + x · W, as the bias of a norm reaches what reads after it.
void addThrough(const Tensor& x, MatrixView W, Tensor& bias) {
    if (x.empty())
        return;
    if (bias.empty())
        bias = Tensor({W.cols});
    for (std::size_t c = 0; c < W.cols; ++c)
        for (std::size_t r = 0; r < W.rows; ++r)
            bias.data()[c] += x.data()[r] * W(r, c);
}

void foldIntoMlp(const NormWeights& norm, WeightTensor& W, Tensor& bias) {
    if (W.empty())
        return;
    addThrough(norm.bias, W.floats().matrix(), bias);
    for (std::size_t r = 0; r < norm.weight.size(); ++r)
        for (std::size_t c = 0; c < W.dim(1); ++c)
            W.floats()(r, c) *= norm.weight.data()[r];
}

/// Of a norm without a bias; W [.., d_model, cols] is of one matrix or of one for each expert.
void foldGain(const NormWeights& norm, WeightTensor& W) {
    if (W.empty())
        return;
    const std::span<float> values = W.floats().values();
    const std::size_t cols = W.shape().back();
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] *= norm.weight(i / cols % norm.weight.size());
}

void foldIntoExperts(const NormWeights& norm, ExpertsWeights& experts) {
    for (WeightTensor* const W : {&experts.W_router, &experts.W_gate, &experts.W_in,
                                  &experts.shared.W_gate, &experts.shared.W_in})
        foldGain(norm, *W);
}

/// logits' bias takes what the final norm's bias does through W_U [outputs(), d_model].
void foldFinalBias(Model& model) {
    const NormWeights& norm = model.weights.ln_final;
    if (norm.bias.empty())
        return;
    if (model.weights.b_U.empty())
        model.weights.b_U = Tensor({model.spec.outputs()});
    const WeightTensor& W_U = model.weights.unembedding();
    for (std::size_t token = 0; token < model.spec.outputs(); ++token)
        for (std::size_t d = 0; d < model.spec.d_model; ++d)
            model.weights.b_U.data()[token] += W_U(token, d) * norm.bias.data()[d];
}

/// The same network with the folded weights in place of its own and without the norms' gains.
std::shared_ptr<const Model> writtenBack(const Model& original) {
    const FoldedWeights folded = foldWeights(original);
    auto model = std::make_shared<Model>(original);
    ModelSpec& spec = model->spec;
    Weights& weights = model->weights;
    for (std::size_t l = 0; l < spec.n_layers; ++l) {
        LayerWeights& layer = weights.layers[l];
        if ((spec.norm_placement == NormPlacement::Pre ||
             spec.norm_placement == NormPlacement::Sandwich)) {
            addThrough(layer.ln1.bias, layer.attn.W_QKV.floats().matrix(), layer.attn.b_QKV);
            if (spec.shared_norm) {
                foldIntoMlp(layer.ln1, layer.mlp.W_in, layer.mlp.b_in);
                foldIntoMlp(layer.ln1, layer.mlp.W_gate, layer.mlp.b_gate);
                foldIntoExperts(layer.ln1, layer.experts);
            }
            layer.ln1 = {};
        }
        layer.attn.W_QKV = folded.inputWeights(l);
        layer.attn.W_O = folded.outputWeights(l);
    }
    if (spec.output == OutputHead::Unembed && spec.final_norm) {
        foldFinalBias(*model);
        weights.ln_final = {};
    }
    weights.W_E = folded.W_E;
    weights.W_U = folded.W_U;
    weights.W_pos = folded.W_pos;
    spec.tied_unembedding = false;
    spec.embedding_scale = 1.0;
    spec.position_offset = 0;
    spec.d_embed = 0;
    return model;
}

Tensor logitsOf(const std::shared_ptr<const Model>& model) {
    Request request;
    request.logits = true;
    return require(runModel(model, {5, 17, 3, 42, 5, 17, 9, 30}, request))->logits;
}

std::vector<std::string> modelsWithLogits() {
    std::vector<std::string> names = fixtureNames();
    std::ranges::copy(variantNames(), std::back_inserter(names));
    // Its positions are added behind the norm that is folded.
    std::erase(names, "hooked-shortformer");
    // The norm of the narrow embedding stands before its projection, and no W_U reads the stream.
    std::erase(names, "albert");
    std::erase(names, "electra-small");
    std::erase(names, "electra-tanh");
    // They have no W_QKV to write back: test_latent_circuits.cpp.
    for (const std::string& latent : latentNames())
        std::erase(names, latent);
    return names;
}

bool near(float found, double expected) {
    return std::abs(static_cast<double>(found) - expected) < 1e-6;
}

} // namespace

class TestFoldedWeights : public QObject {
    Q_OBJECT

private slots:
    /// As pruning leaves them and a file holds them: without tensors.
    void layersWithoutHeadsFold() {
        auto model = std::make_shared<Model>(*loadFixture("llama-gqa"));
        model->weights.layers[0].attn = {};
        const FoldedWeights folded = foldWeights(model);
        QVERIFY(folded.inputWeights(0).empty() && folded.outputWeights(0).empty());
        QVERIFY(!folded.inputWeights(1).empty());
    }
    /// Between tokens it differs as the folded unembedding does, and over all of them it sums to 0.
    void unembeddingOfSomeTokensLessItsMean() {
        const auto model = loadFixture("llama");
        const FoldedWeights folded = foldWeights(model);
        TokenIds all(model->spec.d_vocab);
        std::iota(all.begin(), all.end(), 0);
        const Tensor centred = centredUnembedding(*model, all);
        QCOMPARE(centred.shape(), folded.W_U.shape());
        for (std::size_t c = 0; c < centred.dim(1); ++c) {
            double sum = 0.0;
            for (std::size_t token = 0; token < all.size(); ++token) {
                sum += static_cast<double>(centred(token, c));
                QVERIFY(near(centred(token, c) - centred(0u, c),
                             static_cast<double>(folded.W_U(token, c) - folded.W_U(0u, c))));
            }
            QVERIFY(std::abs(sum) < 1e-4);
        }
        const Tensor some = centredUnembedding(*model, TokenIds{17, 3});
        for (std::size_t c = 0; c < some.dim(1); ++c) {
            QCOMPARE(some(0u, c), centred(17u, c));
            QCOMPARE(some(1u, c), centred(3u, c));
        }
    }

    void logitsStay_data() {
        QTest::addColumn<std::string>("name");
        for (const std::string& name : modelsWithLogits())
            QTest::newRow(name.c_str()) << name;
    }
    void logitsStay() {
        QFETCH(std::string, name);
        const auto model = loadFixture(name);
        const Tensor expected = logitsOf(model);
        const Tensor found = logitsOf(writtenBack(*model));
        QCOMPARE(found.shape(), expected.shape());
        float largest = 0.0f;
        float worst = 0.0f;
        for (std::size_t i = 0; i < found.size(); ++i) {
            largest = std::max(largest, std::abs(expected.data()[i]));
            worst = std::max(worst, std::abs(found.data()[i] - expected.data()[i]));
        }
        QVERIFY2(worst < 2e-5f * largest, std::to_string(worst / largest).c_str());
    }

    /// From TransformerLens 4.0 with fold_ln and center_writing_weights, in float64.
    void valuesOfTransformerLens() {
        const FoldedWeights folded = foldWeights(loadSample("gpt2-mini-6l"));
        QVERIFY(near(folded.queryWeights({3, 2})(10, 5), 0.123836558916));
        QVERIFY(near(folded.outputWeights({3, 2})(5, 10), 0.000351920724));
        QVERIFY(near(folded.W_U(7, 10), -0.137208664730));
        QVERIFY(near(folded.W_E(7, 10), -0.048993802629));
        QVERIFY(near(folded.W_pos(3, 4), -0.019949246664));
    }

    void headsOfAGroupShareKeysAndValues() {
        Model model = bareModel({.n_layers = 2, .n_heads = 4, .n_kv_heads = 2});
        const LayerHead head{1, 3};
        queryWeights(model, head)(2, 1) = 1.0f;
        keyWeights(model, head)(2, 1) = 2.0f;
        valueWeights(model, head)(2, 1) = 3.0f;
        outputWeights(model, head)(1, 2) = 4.0f;
        const FoldedWeights folded = foldWeights(model);
        QCOMPARE(folded.queryWeights(head)(2, 1), 1.0f);
        QCOMPARE(folded.keyWeights(head)(2, 1), 2.0f);
        QCOMPARE(folded.valueWeights(head)(2, 1), 3.0f);
        QCOMPARE(folded.outputWeights(head)(1, 2), 4.0f);
        const LayerHead same_group{1, 2};
        QCOMPARE(folded.queryWeights(same_group)(2, 1), 0.0f);
        QCOMPARE(folded.keyWeights(same_group)(2, 1), 2.0f);
        QCOMPARE(folded.valueWeights(same_group)(2, 1), 3.0f);
        QCOMPARE(folded.keyWeights({1, 1})(2, 1), 0.0f);
    }

    void noteSaysWhatWasFolded_data() {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<bool>("exact");
        QTest::addColumn<std::string>("note");
        const std::string left = "; what cannot be folded and is left out: ";
        const std::string rms =
            "Folded: RMSNorm before attention into W_Q, W_K and W_V, final RMSNorm into W_U";
        const std::string layer =
            "Folded: LayerNorm before attention into W_Q, W_K and W_V, final LayerNorm into W_U, ";
        QTest::newRow("gpt2") << std::string("gpt2") << true
                              << layer + "mean taken out of W_E, W_pos and W_O.";
        QTest::newRow("llama") << std::string("llama") << true << rms + ".";
        QTest::newRow("bloom") << std::string("bloom") << false
                               << layer + "mean taken out of W_O" + left +
                                      "norm after the embedding.";
        QTest::newRow("bert")
            << std::string("bert") << false
            << "No norm is folded" + left +
                   "norm after the embedding, norms of the residual stream itself (post-norm), "
                   "layer between the residual stream and W_U (masked-LM head).";
        QTest::newRow("gemma2") << std::string("gemma2") << false
                                << rms + left + "norm of attention's output.";
        QTest::newRow("qwen3") << std::string("qwen3") << false
                               << rms + left + "norms of queries and keys.";
        QTest::newRow("olmo2") << std::string("olmo2") << false
                               << "Folded: final RMSNorm into W_U" + left +
                                      "norm of attention's output, norms of queries and keys.";
        QTest::newRow("modernbert")
            << std::string("modernbert") << false
            << "Folded: LayerNorm before attention into W_Q, W_K and W_V" + left +
                   "norm after the embedding, layer between the residual stream and W_U (masked-LM "
                   "head).";
        QTest::newRow("hooked-shortformer")
            << std::string("hooked-shortformer") << false
            << layer + "mean taken out of W_E, W_pos and W_O" + left +
                   "positions added to what queries and keys read.";
    }
    void noteSaysWhatWasFolded() {
        QFETCH(std::string, name);
        QFETCH(bool, exact);
        QFETCH(std::string, note);
        const FoldedWeights folded = foldWeights(loadFixture(name));
        QCOMPARE(folded.exact, exact);
        QCOMPARE(folded.note, note);
        QCOMPARE(folded.folded, note.starts_with("Folded"));
    }

    /// W_E and W_pos are read through the projection.
    void narrowEmbedding() {
        const auto model = loadFixture("electra-small");
        const FoldedWeights folded = foldWeights(model);
        QCOMPARE(folded.W_E.shape(), (Shape{61, 32}));
        QCOMPARE(folded.W_pos.shape(), (Shape{66, 32}));
        const Weights& weights = model->weights;
        double token = 0.0;
        double position = 0.0;
        for (std::size_t i = 0; i < model->spec.d_embed; ++i) {
            const auto projection = static_cast<double>(weights.W_project_in(i, 5u));
            token += static_cast<double>(weights.W_E(7u, i)) * projection;
            position += static_cast<double>(weights.W_pos(3u, i)) * projection;
        }
        QVERIFY(near(folded.W_E(7u, 5u), token) && near(folded.W_pos(3u, 5u), position));
        QVERIFY(folded.W_U.empty());
        QCOMPARE(folded.vocabularyGap(), std::string("unembedding as wide as its residual stream"));
    }

    void networkWithoutNormsIsLeftAlone() {
        const auto model = loadSample("notebook");
        const FoldedWeights folded = foldWeights(model);
        QVERIFY(!folded.folded);
        QVERIFY(folded.exact);
        QCOMPARE(folded.note, std::string("There are no norms to fold."));
        const Tensor input = folded.inputWeights(0);
        const Tensor output = folded.outputWeights(0);
        QVERIFY(std::ranges::equal(input.values(),
                                   model->weights.layers[0].attn.W_QKV.floats().values()));
        QVERIFY(std::ranges::equal(output.values(),
                                   model->weights.layers[0].attn.W_O.floats().values()));
        QVERIFY(folded.W_U.empty());
    }
};

const headscope::test::TestRegistration<TestFoldedWeights> registration;

} // namespace test_folded_weights

#include "test_folded_weights.moc"
