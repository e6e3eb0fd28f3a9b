#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace test_mixtures {

using namespace headscope;
using namespace headscope::test;

namespace {

/// Puts matrices [rows, cols] of one expert each, by their names with "*" for its number, into one
/// tensor [expert, rows of all of them, cols].
void fuse(ModelVariant& variant, std::size_t n_experts, const std::vector<std::string>& names,
          const std::string& into) {
    FileTensor fused{into, {n_experts, 0, 0}, {}};
    for (std::size_t expert = 0; expert < n_experts; ++expert) {
        fused.shape[1] = 0;
        for (const std::string& pattern : names) {
            std::string name = pattern;
            name.replace(name.find('*'), 1, std::to_string(expert));
            const FileTensor one = variant.tensor(name);
            fused.values.insert(fused.values.end(), one.values.begin(), one.values.end());
            fused.shape[1] += one.shape[0];
            fused.shape[2] = one.shape[1];
            variant.remove(name);
        }
    }
    variant.tensors.push_back(std::move(fused));
}

bool contains(const std::vector<std::string>& notes, std::string_view beginning) {
    return std::ranges::any_of(
        notes, [&](const std::string& note) { return note.find(beginning) != std::string::npos; });
}

void rename(ModelVariant& variant, const std::string& from, const std::string& to) {
    variant.tensor(from).name = to;
}

/// As transformers 5 holds it in memory.
ModelVariant asHeld(const std::string& fixture, const std::vector<std::size_t>& layers,
                    std::size_t n_experts) {
    ModelVariant variant(fixture);
    for (const std::size_t layer : layers) {
        const std::string block = "model.layers." + std::to_string(layer) + ".";
        const bool mixtral = fixture == "mixtral";
        const std::string experts =
            block + (mixtral ? "block_sparse_moe.experts.*." : "mlp.experts.*.");
        const auto matrix = [&](const char* old, const char* now) {
            return experts + (mixtral ? old : now) + ".weight";
        };
        fuse(variant, n_experts, {matrix("w1", "gate_proj"), matrix("w3", "up_proj")},
             block + "mlp.experts.gate_up_proj");
        fuse(variant, n_experts, {matrix("w2", "down_proj")}, block + "mlp.experts.down_proj");
        if (mixtral)
            rename(variant, block + "block_sparse_moe.gate.weight", block + "mlp.gate.weight");
    }
    return variant;
}

QString refusalOf(const ModelVariant& variant) {
    return QString::fromStdString(variant.refusal());
}

} // namespace

/// How files hold experts: one by one, as they are published, and all in one.
class TestMixtures : public QObject {
    Q_OBJECT

private slots:
    void expertsInOneTensorAreTheSame() {
        QVERIFY(sameWeights(*asHeld("mixtral", {0, 1}, 5).loaded(), *loadUnchanged("mixtral")));
        QVERIFY(sameWeights(*asHeld("olmoe", {0, 1}, 6).loaded(), *loadUnchanged("olmoe")));
        QVERIFY(sameWeights(*asHeld("qwen3_moe", {0, 2}, 6).loaded(), *loadUnchanged("qwen3_moe")));
    }

    void graniteAsItIsHeld() {
        ModelVariant variant("granitemoe");
        for (const char* layer : {"0", "1"}) {
            const std::string block = "model.layers." + std::string(layer) + ".block_sparse_moe.";
            rename(variant, block + "input_linear.weight", block + "experts.gate_up_proj");
            rename(variant, block + "output_linear.weight", block + "experts.down_proj");
            rename(variant, block + "router.layer.weight", block + "router.weight");
        }
        QVERIFY(sameWeights(*variant.loaded(), *loadUnchanged("granitemoe")));
    }

    void routersAsTheyAreHeld() {
        QVERIFY(sameWeights(*asHeld("glm4_moe", {1}, 8).loaded(), *loadUnchanged("glm4_moe")));
        ModelVariant hunyuan = asHeld("hy_v3", {1}, 6);
        rename(hunyuan, "model.layers.1.mlp.router.gate.weight", "model.layers.1.mlp.gate.weight");
        rename(hunyuan, "model.layers.1.mlp.expert_bias",
               "model.layers.1.mlp.e_score_correction_bias");
        for (const char* matrix : {"gate_proj", "up_proj", "down_proj"})
            rename(hunyuan, "model.layers.1.mlp.shared_mlp." + std::string(matrix) + ".weight",
                   "model.layers.1.mlp.shared_experts." + std::string(matrix) + ".weight");
        QVERIFY(sameWeights(*hunyuan.loaded(), *loadUnchanged("hy_v3")));
    }

    void specsSayHowRoutersChoose() {
        const ExpertsSpec glm = *loadUnchanged("glm4_moe")->spec.experts;
        QVERIFY(glm.scores == RouterScores::Sigmoid && glm.choice_bias == ChoiceBias::Scores);
        QVERIFY(glm.weights_sum_to_one && glm.choosesGroups() && !glm.gatesShared());
        QCOMPARE(glm.n_groups, std::size_t{4});
        QCOMPARE(glm.n_groups_chosen, std::size_t{2});
        QCOMPARE(glm.weight_scale, 1.7);
        QCOMPARE(glm.d_shared, std::size_t{16});
        QCOMPARE(glm.dense_layers, std::vector<std::size_t>{0});
        const ExpertsSpec held = *loadUnchanged("glm4_moe-held")->spec.experts;
        QVERIFY(!held.weights_sum_to_one && !held.choosesGroups() && held.dense_layers.empty());
        const ExpertsSpec ernie = *loadUnchanged("ernie4_5_moe")->spec.experts;
        QVERIFY(ernie.scores == RouterScores::Softmax && ernie.choice_bias == ChoiceBias::Scores);
        QCOMPARE(ernie.dense_layers, (std::vector<std::size_t>{0, 2}));
        QVERIFY(loadUnchanged("kolibri1")->spec.experts->choice_bias == ChoiceBias::Logits);
        QVERIFY(loadUnchanged("flint")->spec.experts->choice_bias == ChoiceBias::None);
        const ExpertsSpec phi = *loadUnchanged("phimoe")->spec.experts;
        QVERIFY(phi.scores == RouterScores::SparseMixer);
        QCOMPARE(phi.mixer_margin, 0.6);
        const ModelSpec minimax = loadUnchanged("minimax_m2")->spec;
        QCOMPARE(minimax.rotary.d_rotary, std::size_t{2});
        QVERIFY(minimax.qk_norm == QkNorm::AllHeads);
    }

    /// MiniMax-M2 was published with the number of dimensions that turn.
    void rotaryDimOfOldConfigs() {
        ModelVariant variant("minimax_m2");
        variant.config.erase("rope_parameters");
        variant.config["rope_theta"] = 10'000.0;
        variant.config["rotary_dim"] = 2;
        QVERIFY(sameWeights(*variant.loaded(), *loadUnchanged("minimax_m2")));
        QCOMPARE(variant.loaded()->spec.rotary.d_rotary, std::size_t{2});
    }

    /// Layers behind the last that guess further tokens are no part of the network.
    void guessesAreLeftAside() {
        ModelVariant variant("glm4_moe");
        variant.add("model.layers.2.input_layernorm.weight", {16});
        QVERIFY2(refusalOf(variant).contains(QStringLiteral("has no place")),
                 qPrintable(refusalOf(variant)));
        variant.add("model.layers.2.eh_proj.weight", {16, 32});
        const auto model = variant.loaded();
        QVERIFY(sameWeights(*model, *loadUnchanged("glm4_moe")));
        const auto found =
            std::ranges::find(model->report.ignored, "model.layers.2.input_layernorm.weight",
                              &LoadReport::Ignored::tensor);
        QVERIFY(found != model->report.ignored.end());
        QCOMPARE(found->reason,
                 std::string("a layer that guesses further tokens, which is not run"));
    }

    void aMissingBiasOfTheChoice() {
        ModelVariant variant("glm4_moe");
        variant.remove("model.layers.1.mlp.gate.e_score_correction_bias");
        const std::string message = variant.loaded()->spec.cannot_run;
        QVERIFY2(message.find("lacks the tensor "
                              "'model.layers.1.mlp.gate.e_score_correction_bias', expected "
                              "[n_experts] = [8] by the config") != std::string::npos,
                 message.c_str());
    }

    void specsSayWhereExpertsAre() {
        const ModelSpec qwen2 = loadUnchanged("qwen2_moe")->spec;
        QVERIFY(!qwen2.hasExperts(0) && qwen2.hasExperts(1) && !qwen2.hasExperts(2));
        QCOMPARE(qwen2.experts->d_shared, std::size_t{28});
        QVERIFY(!qwen2.experts->weights_sum_to_one);
        QCOMPARE(qwen2.windows, (std::vector<std::size_t>{5, 0, 0}));
        const ModelSpec qwen3 = loadUnchanged("qwen3_moe")->spec;
        QVERIFY(qwen3.hasExperts(0) && !qwen3.hasExperts(1) && qwen3.hasExperts(2));
        QVERIFY(qwen3.experts->weights_sum_to_one);
        QCOMPARE(qwen3.windows, (std::vector<std::size_t>{7, 7, 7}));
        const ModelSpec mixtral = loadUnchanged("mixtral")->spec;
        QCOMPARE(mixtral.experts->n_experts, std::size_t{5});
        QCOMPARE(mixtral.experts->n_chosen, std::size_t{2});
        QCOMPARE(mixtral.experts->d_mlp, std::size_t{48});
        QCOMPARE(mixtral.d_mlp, std::size_t{0});
        const ModelSpec gpt_oss = loadUnchanged("gpt_oss")->spec;
        QCOMPARE(gpt_oss.experts->limit, 1.2);
        QVERIFY(gpt_oss.experts->biases && gpt_oss.learned_sinks);
        QVERIFY(!gpt_oss.rotary.whole_pairs);
        QCOMPARE(gpt_oss.windows, (std::vector<std::size_t>{6, 0}));
        const ModelSpec smollm3 = loadUnchanged("smollm3")->spec;
        QVERIFY(smollm3.rotaryIn(0) && !smollm3.rotaryIn(1) && smollm3.rotaryIn(2));
        QCOMPARE(smollm3.windows, (std::vector<std::size_t>{0, 6, 0}));
    }

    void reportNamesEachExpert() {
        const auto model = loadUnchanged("mixtral");
        const auto& used = model->report.used;
        const auto found =
            std::ranges::find(used, "blocks.1.mlp.experts.3.W_out", &LoadReport::Used::role);
        QVERIFY(found != used.end());
        QCOMPARE(found->tensor, std::string("model.layers.1.block_sparse_moe.experts.3.w2.weight"));
        QVERIFY(std::ranges::count(loadUnchanged("granitemoe")->report.used,
                                   "blocks.0.mlp.experts.*.W_in", &LoadReport::Used::role) == 1);
    }

    /// Attention is all there, so it opens as weights.
    void aMissingExpertIsNamed() {
        ModelVariant variant("qwen3_moe");
        variant.remove("model.layers.2.mlp.experts.4.up_proj.weight");
        const auto model = variant.loaded();
        QVERIFY2(model->spec.cannot_run.find(
                     "lacks the tensor "
                     "'model.layers.2.mlp.experts.4.up_proj.weight', "
                     "expected [d_mlp, d_model] = [20, 32] by the config") != std::string::npos,
                 model->spec.cannot_run.c_str());
    }

    /// Gate and input in alternate columns of one tensor of all experts.
    void interleavedExperts() {
        ModelVariant variant("gpt_oss");
        const auto& mlps = variant.tensor("model.layers.1.mlp.experts.gate_up_proj");
        const auto& biases = variant.tensor("model.layers.1.mlp.experts.gate_up_proj_bias");
        const auto model = variant.loaded();
        const ExpertsWeights& experts = model->weights.layers[1].experts;
        QCOMPARE(experts.W_in.shape(), (Shape{5, 32, 48}));
        for (const auto& [expert, row, col] :
             {std::array{0u, 0u, 0u}, {2u, 31u, 7u}, {4u, 5u, 47u}}) {
            const std::size_t at = (expert * 32 + row) * 96 + 2 * col;
            QCOMPARE(experts.W_gate(expert, row, col), mlps.values[at]);
            QCOMPARE(experts.W_in(expert, row, col), mlps.values[at + 1]);
            QCOMPARE(experts.b_gate(expert, col), biases.values[expert * 96 + 2 * col]);
            QCOMPARE(experts.b_in(expert, col), biases.values[expert * 96 + 2 * col + 1]);
        }
    }

    void interleavedExpertsOfAnotherWidth() {
        ModelVariant variant("gpt_oss");
        variant.config["intermediate_size"] = 50;
        QVERIFY2(refusalOf(variant).contains(QStringLiteral(
                     "'model.layers.0.mlp.experts.gate_up_proj' is [5, 32, 96], expected "
                     "[n_experts, d_model, 2·d_mlp] = [5, 32, 100] by the config;")),
                 qPrintable(refusalOf(variant)));
    }

    /// A run needs them, circuits do not.
    void withoutItsSinks() {
        ModelVariant variant("gpt_oss");
        variant.remove("model.layers.1.self_attn.sinks");
        const auto model = variant.loaded();
        const QString message = QString::fromStdString(model->spec.cannot_run);
        QVERIFY2(message.contains(
                     QStringLiteral("lacks the tensor 'model.layers.1.self_attn.sinks', expected "
                                    "[n_heads] = [4] by the config, so only its attention")),
                 qPrintable(message));
        QCOMPARE(model->spec.headsIn(1), std::size_t{4});
    }

    void anExpertTooMany() {
        ModelVariant variant("mixtral");
        variant.add("model.layers.0.block_sparse_moe.experts.5.w1.weight", {48, 32});
        QVERIFY2(refusalOf(variant).contains(QStringLiteral("experts.5.w1.weight' has no place")),
                 qPrintable(refusalOf(variant)));
    }

    /// Read in the code of transformers 5.24: its masks look at sliding_window alone.
    void windowsOfTheseFamiliesAreTheSameInAllLayers() {
        for (const char* const family : {"mixtral", "phimoe", "qwen3_moe"}) {
            ModelVariant variant(family);
            variant.config["sliding_window"] = 4;
            variant.config["use_sliding_window"] = true;
            const std::size_t layers = variant.loaded()->spec.n_layers;
            variant.config["layer_types"] = std::vector<std::string>(layers, "full_attention");
            const auto model = variant.loaded();
            QCOMPARE(model->spec.windows, std::vector<std::size_t>(layers, 4));
            QVERIFY2(contains(model->report.notes, "layer_types has no effect"), family);
        }
    }

    /// The same: its router divides by the sum and scales by nothing.
    void ernieScalesNoExperts() {
        ModelVariant variant("ernie4_5_moe");
        variant.config["routed_scaling_factor"] = 2.5;
        const auto model = variant.loaded();
        QCOMPARE(model->spec.experts->weight_scale, 1.0);
        QVERIFY(contains(model->report.notes, "routed_scaling_factor has no effect"));
    }

    /// Cohere2MoeConfig(rope_scaling=…).rope_parameters is {"rope_type": "default", …}.
    void cohereMixturesReadNoOldScaling() {
        ModelVariant variant("cohere2_moe");
        variant.config.erase("rope_parameters");
        variant.config["rope_scaling"] = {{"rope_type", "linear"}, {"factor", 4.0}};
        const auto model = variant.loaded();
        QVERIFY(model->spec.rotary.scaling == RotaryScalingKind::None);
        QVERIFY(contains(model->report.notes, "rope_scaling has no effect"));
        variant.config["rope_parameters"] = {
            {"rope_type", "linear"}, {"factor", 4.0}, {"rope_theta", 10000.0}};
        QVERIFY(variant.loaded()->spec.rotary.scaling != RotaryScalingKind::None);
    }

    void expertsWhereTheConfigHasAnMlp() {
        ModelVariant variant("qwen3_moe");
        variant.config["mlp_only_layers"] = {0, 1};
        QVERIFY2(refusalOf(variant).contains(QStringLiteral("has no place")),
                 qPrintable(refusalOf(variant)));
    }
};

const headscope::test::TestRegistration<TestMixtures> registration;

} // namespace test_mixtures

#include "test_mixtures.moc"
