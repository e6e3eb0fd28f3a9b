// What configs say of latent attention, in the spellings of published files and of transformers.

#include "core/model/model.h"
#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace test_latent_attention {

using namespace headscope;
using namespace headscope::test;

namespace {

bool isNear(double found, double expected) {
    return std::abs(found - expected) < 1e-12;
}

/// YaRN's magnitude for a stretch of 4 with mscale_all_dim 0.7, squared.
double stretchOfFour() {
    const double magnitude = 0.1 * 0.7 * std::log(4.0) + 1.0;
    return magnitude * magnitude;
}

} // namespace

class TestLatentAttention : public QObject {
    Q_OBJECT

private slots:
    void sizesOfDeepseek() {
        const ModelSpec spec = loadUnchanged("deepseek_v3")->spec;
        QVERIFY(spec.latent);
        QCOMPARE(spec.latent->d_kv, std::size_t{10});
        QCOMPARE(spec.latent->d_queries, std::size_t{12});
        QCOMPARE(spec.latent->d_shared, std::size_t{4});
        QCOMPARE(spec.latent->eps, 1e-6);
        QCOMPARE(spec.d_head_v, std::size_t{5});
        QCOMPARE(spec.rotary.d_rotary, std::size_t{4});
        QVERIFY(spec.rotary.pairs == RotaryPairs::Adjacent);
        QVERIFY(isNear(spec.attention_scale[0], stretchOfFour() / std::sqrt(10.0)));
    }

    void withoutALatentOfQueries() {
        const ModelSpec spec = loadUnchanged("deepseek_v3-held")->spec;
        QCOMPARE(spec.latent->d_queries, std::size_t{0});
        QVERIFY(spec.rotary.pairs == RotaryPairs::Halves);
        QVERIFY(isNear(spec.attention_scale[0], 1.0 / std::sqrt(10.0)));
    }

    /// Their norms have an eps of their own, whatever that of the others is.
    void normsOfLatents() {
        const ModelSpec spec = loadUnchanged("deepseek_v3-dense")->spec;
        QCOMPARE(spec.norm.eps, 0.01);
        QCOMPARE(spec.latent->eps, 1e-6);
    }

    void routersOfDeepseek2() {
        const ExpertsSpec limited = *loadUnchanged("deepseek_v2")->spec.experts;
        QVERIFY(limited.groups_by_best && limited.choosesGroups());
        QVERIFY(!limited.weights_sum_to_one);
        QVERIFY(!loadUnchanged("deepseek_v2-held")->spec.experts->choosesGroups());
    }

    void factorsOfMinicpm() {
        const ModelSpec spec = loadUnchanged("minicpm3")->spec;
        QCOMPARE(spec.embedding_scale, 3.0);
        QCOMPARE(spec.d_head_v, std::size_t{4});
        QVERIFY(spec.rotary.pairs == RotaryPairs::Halves);
    }

    void growthOfMistral() {
        const ModelSpec spec = loadUnchanged("mistral4")->spec;
        QCOMPARE(spec.query_growth, 0.3);
        QCOMPARE(spec.growth_context, std::size_t{8});
    }

    /// Kimi K2 is DeepSeek-V3 by another name.
    void nameOfKimi() {
        ModelVariant variant("deepseek_v3");
        variant.config["model_type"] = "kimi_k2";
        QVERIFY(sameWeights(*variant.loaded(), *loadUnchanged("deepseek_v3")));
        QCOMPARE(variant.loaded()->spec.family, std::string("kimi_k2"));
    }

    /// As DeepSeek published them: rope_scaling beside rope_theta, and how experts are chosen.
    void configsAsPublished() {
        ModelVariant variant("deepseek_v3");
        nlohmann::json scaling = variant.config["rope_parameters"];
        scaling["type"] = scaling["rope_type"];
        for (const char* key : {"rope_type", "rope_theta"})
            scaling.erase(key);
        variant.config.erase("rope_parameters");
        variant.config["rope_scaling"] = scaling;
        variant.config["rope_theta"] = 10'000.0;
        variant.config.merge_patch(nlohmann::json::parse(
            R"({"scoring_func": "sigmoid", "topk_method": "noaux_tc", "moe_layer_freq": 1,
                "aux_loss_alpha": 0.001, "seq_aux": true, "ep_size": 1,
                "num_nextn_predict_layers": 1})"));
        const auto model = variant.loaded();
        const ModelSpec expected = loadUnchanged("deepseek_v3")->spec;
        QCOMPARE(model->spec.attention_scale, expected.attention_scale);
        QCOMPARE(model->spec.rotary.factor, expected.rotary.factor);
        QCOMPARE(model->spec.rotary.amplitude, expected.rotary.amplitude);
        QVERIFY(model->report.unused_config_keys.empty());
    }

    void rolesAndHowTheyAreRead() {
        const auto model = loadUnchanged("deepseek_v3");
        std::vector<std::string> found;
        for (const LoadReport::Used& used : model->report.used)
            if (used.tensor.find("layers.0.self_attn.kv_") != std::string::npos)
                found.push_back(used.role + ": " + used.transform);
        std::ranges::sort(found);
        const std::vector<std::string> expected{
            "blocks.0.attn.W_DKV: rows of the latent, transposed",
            "blocks.0.attn.W_KR: rows of the key that heads share, transposed",
            "blocks.0.attn.W_UK: rows of each head's keys, transposed",
            "blocks.0.attn.W_UV: rows of each head's values, transposed",
            "blocks.0.attn.b_DKV: rows of the latent, transposed",
            "blocks.0.attn.b_KR: rows of the key that heads share, transposed",
            "blocks.0.attn.kv_latent_norm.w: as stored"};
        QCOMPARE(found, expected);
    }
};

const headscope::test::TestRegistration<TestLatentAttention> registration;

} // namespace test_latent_attention

#include "test_latent_attention.moc"
