#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>
#include <utility>
#include <vector>

namespace test_more_encoders {

using namespace headscope;
using headscope::test::loadUnchanged;
using headscope::test::ModelVariant;

namespace {

struct Expected {
    const char* name;
    const char* family;
    const char* head; ///< what the names of a head's tensors begin with
    std::size_t d_head, d_mlp, n_ctx, used, ignored;
    NormPlacement norms;
    bool norm_after_embedding, final_norm;
    double eps;
};

using enum NormPlacement;
constexpr Expected kEncoders[] = {
    {"data2vec-text", "data2vec-text", "lm_head.", 8, 48, 64, 42, 0, Post, true, false, 0.01},
    {"ernie", "ernie", "cls.", 8, 48, 66, 42, 0, Post, true, false, 0.01},
    {"ibert", "ibert", "lm_head.", 8, 48, 64, 42, 143, Post, true, false, 0.01},
    {"luke", "luke", "lm_head.", 8, 48, 64, 43, 25, Post, true, false, 0.01},
    {"roberta-prelayernorm", "roberta-prelayernorm", "lm_head.", 8, 48, 64, 45, 1, Pre, true, true,
     0.01},
    {"xlm-roberta-xl", "xlm-roberta-xl", "lm_head.", 8, 48, 64, 42, 0, Pre, false, true, 0.01},
    {"megatron-bert", "megatron-bert", "cls.", 8, 48, 66, 42, 0, Pre, false, true, 0.01},
    {"xlm", "xlm", "pred_layer.", 8, 128, 66, 37, 0, Post, true, false, 0.01},
    {"flaubert", "flaubert", "pred_layer.", 8, 128, 66, 38, 0, Post, true, false, 0.01},
    {"flaubert-prenorm", "flaubert", "pred_layer.", 8, 128, 66, 37, 0, Pre, true, false, 0.01},
    {"gte", "gte", "lm_head.", 12, 48, 66, 33, 0, Post, true, false, 0.01},
    {"jina_embeddings_v3", "jina_embeddings_v3", "lm_head.", 12, 48, 66, 33, 0, Post, true, false,
     0.01},
    {"roformer", "roformer", "cls.", 8, 48, 66, 41, 1, Post, true, false, 0.01},
    {"modernbert-decoder", "modernbert-decoder", "lm_head.", 8, 48, 66, 81, 0, Pre, true, true,
     1e-5},
};

void addEncoders() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(std::size(kEncoders)); ++i)
        QTest::addRow("%s", kEncoders[i].name) << i;
}

} // namespace

class TestMoreEncoders : public QObject {
    Q_OBJECT

private slots:
    void sizes_data() { addEncoders(); }
    void sizes();
    void withoutHead_data() { addEncoders(); }
    void withoutHead();
    void lukeUnderOldNames();
    void xlmUnderItsFirstKeys();
    void gteOfItsFirstCode();
    void gteWithoutTokenTypes();
    void jinaWithAdapters();
    void roformerTurnsNeighbours();
    void roformerCutsWords();
    void modernBertDecoder();
    void modernBertDecoderUnderItsFirstKeys();
};

void TestMoreEncoders::sizes() {
    QFETCH(int, index);
    const Expected& expected = kEncoders[index];
    const auto model = loadUnchanged(expected.name);
    const ModelSpec& spec = model->spec;
    QCOMPARE(spec.family, std::string(expected.family));
    QCOMPARE(spec.causal, spec.family == "modernbert-decoder");
    QCOMPARE(spec.n_layers, std::size_t{spec.causal ? 4u : 2u});
    QCOMPARE(spec.d_model, std::size_t{32});
    QCOMPARE(spec.n_heads, std::size_t{4});
    QCOMPARE(spec.n_kv_heads, std::size_t{4});
    QCOMPARE(spec.d_head, expected.d_head);
    QCOMPARE(spec.d_mlp, expected.d_mlp);
    QCOMPARE(spec.d_vocab, std::size_t{61});
    QCOMPARE(spec.n_ctx, expected.n_ctx);
    QVERIFY(spec.norm_placement == expected.norms);
    QCOMPARE(spec.norm_after_embedding, expected.norm_after_embedding);
    QCOMPARE(spec.final_norm, expected.final_norm);
    QCOMPARE(spec.norm.eps, expected.eps);
    QCOMPARE(model->report.used.size(), expected.used);
    QCOMPARE(model->report.ignored.size(), expected.ignored);
    QVERIFY(model->report.unused_config_keys.empty());
}

/// Sentence embeddings come so.
void TestMoreEncoders::withoutHead() {
    QFETCH(int, index);
    const Expected& expected = kEncoders[index];
    ModelVariant variant(expected.name);
    std::erase_if(variant.tensors, [&](const auto& tensor) {
        return tensor.name.starts_with(expected.head) || tensor.name.starts_with("decoder.");
    });
    const auto model = variant.loaded();
    QVERIFY(model->spec.cannot_run.empty());
    QVERIFY(model->spec.output == OutputHead::None);
    QVERIFY(model->weights.W_mlm.empty() && model->weights.b_U.empty());
}

/// transformers 4 tied the unembedding to the embedding and wrote it once.
void TestMoreEncoders::lukeUnderOldNames() {
    QVERIFY(!loadUnchanged("luke")->spec.tied_unembedding);
    ModelVariant variant("luke");
    std::erase_if(variant.tensors,
                  [](const auto& t) { return t.name == "lm_head.decoder.weight"; });
    const auto model = variant.loaded();
    QVERIFY(model->spec.tied_unembedding && model->weights.W_U.empty());
    QCOMPARE(model->weights.b_U.size(), std::size_t{61});
    variant.config["tie_word_embeddings"] = false;
    QVERIFY(variant.loaded()->spec.output == OutputHead::None);
}

void TestMoreEncoders::xlmUnderItsFirstKeys() {
    ModelVariant variant("xlm");
    for (const auto& [key, first] : {std::pair{"vocab_size", "n_words"},
                                     {"bos_token_id", "bos_index"},
                                     {"pad_token_id", "pad_index"}}) {
        variant.config[first] = variant.config[key];
        variant.config.erase(key);
    }
    variant.tensors.push_back({"transformer.position_ids", {66}, std::vector<float>(66)});
    const auto model = variant.loaded();
    QCOMPARE(model->spec.d_vocab, std::size_t{61});
    QCOMPARE(model->spec.bos_token, std::optional<TokenId>(0));
    QCOMPARE(model->spec.mask_token, std::optional<TokenId>(3));
    QCOMPARE(model->report.ignored.size(), std::size_t{1});
    QVERIFY(model->spec.activation == Activation::GeluErf);
    QVERIFY(loadUnchanged("flaubert")->spec.activation == Activation::Relu);
}

void TestMoreEncoders::gteOfItsFirstCode() {
    ModelVariant variant("gte");
    for (auto& tensor : variant.tensors)
        if (tensor.name.starts_with("gte."))
            tensor.name = "new." + tensor.name.substr(4);
    variant.config["position_embedding_type"] = "rope";
    const auto model = variant.loaded();
    QVERIFY(model->spec.mlp == MlpKind::Gated && model->spec.positions == PositionKind::Rotary);
    QCOMPARE(model->report.used.size(), std::size_t{33});
    QCOMPARE(model->weights.layers[0].attn.b_QKV.size(), std::size_t{144});
    variant.config.erase("rope_parameters");
    QCOMPARE(variant.loaded()->spec.rotary.base, 160'000.0);
    // It has the decoder's bias only.
    variant.tensor("lm_head.decoder.bias").name = "lm_head.bias";
    QVERIFY(variant.loaded()->spec.output == OutputHead::None);
}

void TestMoreEncoders::gteWithoutTokenTypes() {
    ModelVariant variant("gte");
    variant.config["type_vocab_size"] = 0;
    std::erase_if(variant.tensors,
                  [](const auto& t) { return t.name.find("token_type") != std::string::npos; });
    const auto model = variant.loaded();
    QVERIFY(model->spec.cannot_run.empty());
    QCOMPARE(model->spec.n_token_types, std::size_t{0});
}

void TestMoreEncoders::jinaWithAdapters() {
    ModelVariant variant("jina_embeddings_v3");
    variant.tensors.push_back(
        {"roberta.encoder.layers.0.mixer.Wqkv.lora_A.weight", {4, 32}, std::vector<float>(128)});
    const std::string message = variant.refusal();
    QVERIFY2(message.find("adapters are not supported; merge one of them") != std::string::npos,
             message.c_str());
}

void TestMoreEncoders::roformerTurnsNeighbours() {
    const ModelSpec spec = loadUnchanged("roformer")->spec;
    QVERIFY(spec.positions == PositionKind::Rotary);
    QVERIFY(spec.rotary.pairs == RotaryPairs::Adjacent);
    QCOMPARE(spec.rotary.base, 10'000.0);
    QCOMPARE(spec.rotary.d_rotary, std::size_t{8});
    QCOMPARE(spec.n_token_types, std::size_t{2});
}

/// A tokenizer.json of it holds BERT's pre-tokenizer in place of Jieba.
void TestMoreEncoders::roformerCutsWords() {
    ModelVariant variant("roformer");
    variant.tokenizer = ModelVariant("bert-mini-4l").tokenizer;
    const auto model = variant.loaded();
    QVERIFY(!model->tokenizer);
    QVERIFY(std::ranges::any_of(model->report.notes, [](const std::string& note) {
        return note.starts_with("Prompts are token ids, because texts of this family become words");
    }));
    variant.config["tokenizer_class"] = "BertTokenizer";
    QVERIFY(variant.loaded()->tokenizer);
}

void TestMoreEncoders::modernBertDecoder() {
    const ModelSpec spec = loadUnchanged("modernbert-decoder")->spec;
    QVERIFY(spec.predictsNextToken() && spec.output == OutputHead::MaskedLm);
    QVERIFY(!spec.tied_unembedding);
    QCOMPARE(spec.unnormed_layers, std::vector<std::size_t>{0});
    QCOMPARE(spec.windows, (std::vector<std::size_t>{0, 4, 4, 0}));
    QCOMPARE(spec.embedding_hook_prefix, std::string());
}

/// As the models on the Hub name them.
void TestMoreEncoders::modernBertDecoderUnderItsFirstKeys() {
    ModelVariant variant("modernbert-decoder");
    for (const char* key : {"rope_parameters", "layer_types", "sliding_window"})
        variant.config.erase(key);
    variant.config["global_rope_theta"] = 500.0;
    variant.config["local_rope_theta"] = 100.0;
    variant.config["global_attn_every_n_layers"] = 3;
    const ModelSpec spec = variant.loaded()->spec;
    QCOMPARE(spec.windows, (std::vector<std::size_t>{0, 4, 4, 0}));
    QCOMPARE(spec.rotary.base, 500.0);
    QCOMPARE(spec.window_rotary.value().base, 100.0);
    variant.config["local_attention"] = nullptr;
    QVERIFY(variant.refusal().find("'local_attention' = null") != std::string::npos);
}

const headscope::test::TestRegistration<TestMoreEncoders> registration;

} // namespace test_more_encoders

#include "test_more_encoders.moc"
