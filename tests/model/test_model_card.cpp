#include "core/model/layer_counts.h"
#include "core/model/model.h"
#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>
#include <utility>
#include <vector>

namespace test_model_card {

using namespace headscope;
using headscope::test::loadUnchanged;
using headscope::test::ModelVariant;

namespace {

ModelCard cardOf(const std::string& name) {
    return modelCard(*loadUnchanged(name));
}

std::size_t numbersIn(const ModelVariant& variant, const std::string& part) {
    std::size_t count = 0;
    for (const auto& tensor : variant.tensors)
        if (tensor.name.find(part) != std::string::npos)
            count += tensor.values.size();
    return count;
}

} // namespace

class TestModelCard : public QObject {
    Q_OBJECT

private slots:
    void parametersAreThoseOfTheFile_data();
    void parametersAreThoseOfTheFile();
    void architectureLine_data();
    void architectureLine();
    void matricesAreNamedAndCounted();
    void layerAndAttention();
    void layersThatDiffer();
    void keyValueCache();
    void knownShapes();
};

void TestModelCard::parametersAreThoseOfTheFile_data() {
    QTest::addColumn<QString>("model");
    for (const char* name :
         {"gpt2", "gpt2-scale-by-layer", "llama", "llama-gqa", "llama-mqa-headdim", "bert",
          "microgpt", "notebook", "attn-only-2l", "mixtral", "qwen2_moe", "qwen3_moe", "granitemoe",
          "gpt_oss", "deepseek_v2-held", "deepseek_v3", "minicpm3"})
        QTest::addRow("%s", name) << QString::fromUtf8(name);
}

void TestModelCard::parametersAreThoseOfTheFile() {
    QFETCH(QString, model);
    const ModelVariant variant(model.toStdString());
    QCOMPARE(modelCard(*loadUnchanged(model.toStdString())).total_parameters,
             numbersIn(variant, ""));
}

void TestModelCard::architectureLine_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("line");
    QTest::addRow("gpt2") << QStringLiteral("gpt2")
                          << QStringLiteral("gpt2 · 3 layers × 4 heads · MHA · d_model 48 · d_head "
                                            "12 · MLP 192 · learned positions · LayerNorm before · "
                                            "causal");
    QTest::addRow("llama-gqa") << QStringLiteral("llama-gqa")
                               << QStringLiteral("llama · 3 layers × 8 heads · GQA (4 queries per "
                                                 "KV head) · d_model 64 · d_head 8 · gated MLP 112 "
                                                 "· rotary positions · RMSNorm before · causal");
    QTest::addRow("bert") << QStringLiteral("bert")
                          << QStringLiteral("bert · 3 layers × 4 heads · MHA · d_model 48 · d_head "
                                            "12 · MLP 96 · learned positions · LayerNorm after · "
                                            "bidirectional");
    QTest::addRow("mixtral") << QStringLiteral("mixtral")
                             << QStringLiteral("mixtral · 2 layers × 4 heads · GQA (2 queries per "
                                               "KV head) · d_model 32 · d_head 12 · 2 of 5 experts "
                                               "of 48 · rotary positions · RMSNorm before · "
                                               "causal");
    QTest::addRow("qwen2_moe") << QStringLiteral("qwen2_moe")
                               << QStringLiteral("qwen2_moe · 3 layers × 4 heads · GQA (2 queries "
                                                 "per KV head) · d_model 32 · d_head 8 · 2 of 5 "
                                                 "experts of 20 and a shared one of 28, gated MLP "
                                                 "48 in 2 layers · rotary positions · RMSNorm "
                                                 "before · causal");
    QTest::addRow("notebook") << QStringLiteral("notebook")
                              << QStringLiteral("attention · 1 layer × 2 heads · MHA · d_model 16 "
                                                "· d_head 8 · attention only · learned positions · "
                                                "no norms · causal");
}

void TestModelCard::architectureLine() {
    QFETCH(QString, model);
    QFETCH(QString, line);
    QCOMPARE(QString::fromStdString(cardOf(model.toStdString()).architecture), line);
}

void TestModelCard::matricesAreNamedAndCounted() {
    const ModelCard card = cardOf("llama-gqa");
    const auto find = [&](const char* name) {
        return std::ranges::find(card.matrices, std::string(name), &ModelCard::Matrix::name);
    };
    const auto keys = find("blocks.*.attn.W_K");
    QVERIFY(keys != card.matrices.end());
    QCOMPARE(keys->shape, (Shape{64, 16}));
    QCOMPARE(keys->parameters, std::size_t{1024});
    QCOMPARE(keys->count, std::size_t{3});
    const auto embedding = find("embed.W_E");
    QVERIFY(embedding != card.matrices.end());
    QCOMPARE(embedding->count, std::size_t{1});
    const ModelCard mixture = cardOf("qwen2_moe"); // with experts in one layer
    const auto experts = std::ranges::find(
        mixture.matrices, std::string("blocks.*.mlp.experts.*.W_out"), &ModelCard::Matrix::name);
    QVERIFY(experts != mixture.matrices.end());
    QCOMPARE(experts->shape, (Shape{20, 32}));
    QCOMPARE(experts->count, std::size_t{5});
    QVERIFY(find("blocks.*.attn.W_QKV") == card.matrices.end());
    QVERIFY(find("blocks.*.attn.b_Q") == card.matrices.end());
    QVERIFY(find("unembed.W_U") == card.matrices.end());
}

void TestModelCard::layerAndAttention() {
    const ModelVariant variant("llama-mqa-headdim");
    const std::vector<LayerCount> layers = layerCounts(*variant.loaded());
    QCOMPARE(layers.size(), std::size_t{2});
    for (const LayerCount& layer : layers) {
        const std::string name = "layers." + std::to_string(layer.layer) + ".";
        QCOMPARE(layer.parameters, numbersIn(variant, name));
        QCOMPARE(layer.attention, numbersIn(variant, name + "self_attn."));
    }
    const std::size_t first = layers.front().parameters;
    QCOMPARE(rangeOf(layers, &LayerCount::parameters), std::pair(first, first));
}

/// Experts in one layer, an MLP in another.
void TestModelCard::layersThatDiffer() {
    const ModelVariant variant("qwen2_moe");
    std::vector<std::size_t> counts;
    for (const LayerCount& layer : layerCounts(*variant.loaded())) {
        counts.push_back(numbersIn(variant, "layers." + std::to_string(layer.layer) + "."));
        QCOMPARE(layer.parameters, counts.back());
    }
    const auto [least, most] = std::ranges::minmax(counts);
    QVERIFY(least < most);
    QCOMPARE(rangeOf(layerCounts(*variant.loaded()), &LayerCount::parameters),
             std::pair(least, most));
}

void TestModelCard::keyValueCache() {
    const ModelCard mqa = cardOf("llama-mqa-headdim");
    QCOMPARE(mqa.attention_kind, std::string("MQA"));
    // 2 · 2 layers · 1 KV head · 16 numbers · 4 bytes
    QCOMPARE(mqa.kv_bytes_per_token, std::size_t{256});
    QCOMPARE(mqa.kv_bytes_full_context, std::size_t{256 * 64});
    QCOMPARE(mqa.mha_kv_bytes_per_token, std::size_t{6 * 256});
    const ModelCard latent = cardOf("deepseek_v3");
    QCOMPARE(latent.attention_kind, std::string("MLA (a latent of 10 and 4 shared)"));
    // 2 layers · (10 + 4) numbers · 4 bytes, in place of 4 heads · (10 + 5)
    QCOMPARE(latent.kv_bytes_per_token, std::size_t{112});
    QCOMPARE(latent.mha_kv_bytes_per_token, std::size_t{480});
}

void TestModelCard::knownShapes() {
    // GPT-2 small, 1024 tokens, float32: 75.5 MB. Llama-3-8B shape, 8192 tokens: 1.07 GB in
    // float16, 4.29 GB without grouped queries.
    Model gpt2;
    gpt2.spec.n_layers = 12;
    gpt2.spec.n_heads = gpt2.spec.n_kv_heads = 12;
    gpt2.spec.d_head = 64;
    gpt2.spec.n_ctx = 1024;
    QCOMPARE(modelCard(gpt2).kv_bytes_full_context, std::size_t{75'497'472});
    Model llama;
    llama.spec.n_layers = 32;
    llama.spec.n_heads = 32;
    llama.spec.n_kv_heads = 8;
    llama.spec.d_head = 128;
    llama.spec.n_ctx = 8192;
    const ModelCard card = modelCard(llama);
    QCOMPARE(card.kv_bytes_full_context / 2, std::size_t{1'073'741'824});
    QCOMPARE(card.mha_kv_bytes_per_token * 8192 / 2, std::size_t{4'294'967'296});
}

const headscope::test::TestRegistration<TestModelCard> registration;

} // namespace test_model_card

#include "test_model_card.moc"
