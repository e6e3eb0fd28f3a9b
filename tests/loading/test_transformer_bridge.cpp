#include "core/loading/load_model.h"
#include "tests/loading/dialect_check.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>
#include <string>

namespace test_transformer_bridge {

using namespace headscope;
using namespace headscope::test;

/// state_dicts of TransformerLens 4 with its cfg, against what it computes.
class TestTransformerBridge : public QObject {
    Q_OBJECT

private slots:
    void computesTheSame_data();
    void computesTheSame();
    void withTheConfigOfTheModel();
    void namesOfTheModuleTree();
    void saysWhatACfgLeavesOut();
    void refusals_data();
    void refusals();
};

void TestTransformerBridge::computesTheSame_data() {
    QTest::addColumn<QString>("name");
    for (const char* const name : {"native",
                                   "native-attn-only",
                                   "native-lnpre",
                                   "native-gated",
                                   "native-solu",
                                   "gpt2",
                                   "gpt_neo",
                                   "gpt_neox",
                                   "gptj",
                                   "opt",
                                   "llama",
                                   "mistral",
                                   "mistral-window",
                                   "qwen2",
                                   "qwen3",
                                   "gemma",
                                   "gemma2",
                                   "phi",
                                   "phi3",
                                   "olmo2",
                                   "bert"})
        QTest::newRow(name) << QString::fromLatin1("bridge-") + QString::fromLatin1(name);
}

void TestTransformerBridge::computesTheSame() {
    QFETCH(QString, name);
    const auto model = loadUnchanged(name.toStdString());
    QCOMPARE(differsFrom(fixtureReference(name.toStdString()), model), std::string());
    QVERIFY(model->report.ignored.size() < 3); // copies of a tied embedding and its bias
    QVERIFY(model->spec.cannot_run.empty());
    QCOMPARE(model->spec.family, std::string("hooked_transformer"));
}

/// In place of the cfg.
void TestTransformerBridge::withTheConfigOfTheModel() {
    ModelVariant variant("bridge-llama");
    variant.config = {
        {"model_type", "llama"},       {"vocab_size", 31},
        {"hidden_size", 16},           {"intermediate_size", 24},
        {"num_hidden_layers", 2},      {"num_attention_heads", 4},
        {"num_key_value_heads", 2},    {"max_position_embeddings", 32},
        {"rms_norm_eps", 0.003},       {"rope_parameters", variant.config["rope_parameters"]},
        {"tie_word_embeddings", false}};
    QCOMPARE(differsFrom(fixtureReference("bridge-llama"), variant.loaded()), std::string());
}

/// As state_dict(prefix=…) and named_parameters() give them.
void TestTransformerBridge::namesOfTheModuleTree() {
    for (const std::string part : {"._original_component", ".original_component"}) {
        ModelVariant variant("bridge-gpt2");
        for (FileTensor& tensor : variant.tensors) {
            tensor.name.insert(tensor.name.rfind('.'), part);
            if (tensor.name.starts_with("blocks."))
                tensor.name.insert(tensor.name.find('.', 7), part);
        }
        variant.add("blocks.0" + part + ".attn" + part + ".c_attn" + part + ".weight", {16, 48});
        const auto model = variant.loaded();
        QCOMPARE(differsFrom(fixtureReference("bridge-gpt2"), model), std::string());
        QVERIFY(std::ranges::any_of(model->report.ignored, [](const LoadReport::Ignored& ignored) {
            return ignored.tensor.find("c_attn") != std::string::npos;
        }));
    }
}

void TestTransformerBridge::saysWhatACfgLeavesOut() {
    const auto mistral = loadUnchanged("bridge-mistral");
    QCOMPARE(mistral->spec.n_ctx, std::size_t{32});
    QVERIFY(noteWith(*mistral, "how far a window reaches") ==
            "The cfg does not say how far a window reaches, so prompts have at most 4096 tokens, "
            "which all published networks of this family see whole.");
    ModelVariant longer("bridge-mistral");
    longer.config["n_ctx"] = 32768;
    QCOMPARE(longer.loaded()->spec.n_ctx, std::size_t{4096});
    QVERIFY(!noteWith(*loadUnchanged("bridge-gpt_neo"), "every other one is taken to").empty());
    QVERIFY(noteWith(*loadUnchanged("bridge-llama"), "The cfg does not say").empty());
    QVERIFY(noteWith(*loadUnchanged("bridge-gpt_neox"), "these biases are 0").empty());
}

void TestTransformerBridge::refusals_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* model, const char* patch,
                        const char* expected) {
        QTest::addRow("%s", name) << QString::fromLatin1(model) << QString::fromLatin1(patch)
                                  << QString::fromLatin1(expected);
    };
    row("another architecture", "bridge-llama", R"({"architecture": "FalconForCausalLM"})",
        "has 'architecture' = 'FalconForCausalLM', of which it does not say all that counts; save "
        "the model's own config beside the weights");
    row("no architecture", "bridge-llama", R"({"architecture": null})",
        "lacks the key 'architecture'");
    row("a scale that nothing tells", "bridge-llama", R"({"architecture": "Gemma2ForCausalLM"})",
        "lacks 'query_pre_attn_scalar', which scores are divided by the root of; save");
    row("windows that nothing tells", "bridge-qwen2",
        R"({"layer_types": ["full_attention", "sliding_attention"]})",
        "has layers with a window and no 'sliding_window'; save");
    row("what boot_native passes over", "bridge-native", R"({"parallel_attn_mlp": true})",
        "boot_native of TransformerLens does not compute it");
    row("latent attention", "bridge-llama",
        R"({"model_type": "deepseek_v3", "num_hidden_layers": 2, "hidden_size": 32,
            "vocab_size": 61})",
        "has latent attention, which is not read from files of TransformerBridge");
    row("dynamic scaling", "bridge-native-gated",
        R"({"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}})", "dynamic rotary scaling");
}

void TestTransformerBridge::refusals() {
    QFETCH(QString, model);
    QFETCH(QString, patch);
    QFETCH(QString, expected);
    ModelVariant variant(model.toStdString());
    variant.config.merge_patch(nlohmann::json::parse(patch.toStdString()));
    const std::string refusal = variant.refusal();
    QVERIFY2(refusal.find(expected.toStdString()) != std::string::npos, refusal.c_str());
}

const headscope::test::TestRegistration<TestTransformerBridge> registration;

} // namespace test_transformer_bridge

#include "test_transformer_bridge.moc"
