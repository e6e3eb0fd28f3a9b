#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>
#include <map>

namespace test_load_report {

using namespace headscope;
using headscope::test::loadUnchanged;
using headscope::test::ModelVariant;

/// What is said of a model that was loaded: where its parts come from, and what was left out.
class TestLoadReport : public QObject {
    Q_OBJECT

private slots:
    void sample() {
        const auto model = loadUnchanged("gpt2-mini-6l");
        const LoadReport& report = model->report;
        QCOMPARE(report.config_source, std::string("attribute 'config' of gpt2-mini-6l.h5"));
        QCOMPARE(report.tokenizer_source, std::string("attribute 'tokenizer' of gpt2-mini-6l.h5"));
        const auto used = std::ranges::find(report.used, std::string("blocks.5.mlp.W_out"),
                                            &LoadReport::Used::role);
        QVERIFY(used != report.used.end());
        QCOMPARE(used->tensor, std::string("transformer.h.5.mlp.c_proj.weight"));
        QCOMPARE(used->shape, (Shape{1024, 256}));
        QCOMPARE(used->type, std::string("float16"));
        QCOMPARE(used->transform, std::string("as stored"));
        QCOMPARE(report.weight_bytes, std::size_t{11747328});
        QCOMPARE(report.bos_rule,
                 std::string("The tokenizer adds no BOS token by itself; the config names "
                             "bos_token_id 0 (<|endoftext|>), so prompts begin with it once."));
        QVERIFY(std::ranges::count(report.notes,
                                   "The unembedding is the token embedding (tied).") == 1);
    }

    void ignoredTensors() {
        ModelVariant variant("gpt2");
        variant.add("transformer.h.0.attn.bias", {1, 1, 64, 64});
        variant.add("transformer.h.0.attn.masked_bias", {1});
        variant.add("training.loss_curve", {100});
        headscope::test::FileTensor copy = variant.tensor("transformer.wte.weight");
        copy.name = "lm_head.weight";
        variant.tensors.push_back(copy);
        const auto model = variant.loaded();
        QVERIFY(model->weights.W_U.empty());
        std::map<std::string, std::string> ignored;
        for (const auto& [tensor, reason] : model->report.ignored)
            ignored[tensor] = reason;
        const std::map<std::string, std::string> expected{
            {"lm_head.weight", "the same values as 'transformer.wte.weight'"},
            {"training.loss_curve", "no part of this network"},
            {"transformer.h.0.attn.bias", "the causal mask, a constant that old files carry"},
            {"transformer.h.0.attn.masked_bias",
             "a constant of the causal mask that old files carry"},
        };
        QCOMPARE(ignored, expected);
    }

    void unusedKeys() {
        ModelVariant variant("llama");
        variant.config["sliding_window"] = 16;
        variant.config["rope_parameters"]["beta_fast"] = 32;
        variant.config["some_dropout"] = 0.1;
        QCOMPARE(variant.loaded()->report.unused_config_keys,
                 (std::vector<std::string>{"rope_parameters.beta_fast", "sliding_window"}));
    }

    void textsBesideTheFile() {
        ModelVariant variant("microgpt");
        variant.config_inside = false;
        variant.tokenizer_inside = false;
        const auto model = variant.loaded();
        QCOMPARE(model->report.config_source, std::string("config.json beside microgpt.h5"));
        QCOMPARE(model->report.tokenizer_source, std::string("tokenizer.json beside microgpt.h5"));
        QVERIFY(model->tokenizer);
    }

    void unusableTokenizerLeavesIds() {
        ModelVariant variant("microgpt");
        variant.tokenizer = "{ not JSON";
        const auto model = variant.loaded();
        QVERIFY(!model->tokenizer);
        QVERIFY(model->report.tokenizer_source.empty());
        const std::string& note = model->report.notes.front();
        QVERIFY2(note.starts_with("Prompts are token ids, because the tokenizer cannot be used: "),
                 note.c_str());
        QVERIFY2(note.find("microgpt.h5") != std::string::npos, note.c_str());
    }

    void identity() {
        const auto model = loadUnchanged("microgpt");
        QCOMPARE(model->name, std::string("microgpt"));
        QCOMPARE(model->path, headscope::test::modelPath("microgpt"));
        QCOMPARE(model->sha256,
                 std::string("049abdfddb6c0bb485500b6d066b6b0fda1222ce5ef82f745c5fcb2e0f6493f9"));
        QVERIFY(model->description.starts_with("microgpt: 4192 parameters"));
    }
};

const headscope::test::TestRegistration<TestLoadReport> registration;

} // namespace test_load_report

#include "test_load_report.moc"
