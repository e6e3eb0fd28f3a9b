#include "core/loading/dialect.h"
#include "core/loading/load_model.h"
#include "core/loading/tokenizer_files.h"
#include "core/model/prompt.h"
#include "tests/io/gguf_files.h"
#include "tests/loading/dialect_check.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>

namespace test_gguf_models {

using namespace headscope;
using namespace headscope::test;

namespace {

const std::string kFolder = HEADSCOPE_TEST_DATA "/gguf/";

/// The metadata that every small model needs, with others behind them. Tensors have four numbers.
std::string modelBytes(const std::string& family, const std::vector<std::string>& others,
                       const std::vector<std::string>& tensors = {ggufTensor("w", {4}, 0, 0)}) {
    const auto key = [&](const char* name) { return family + "." + name; };
    std::vector<std::string> metadata{
        ggufString("general.architecture", family), ggufNumber(key("block_count"), 1),
        ggufNumber(key("context_length"), 16),      ggufNumber(key("embedding_length"), 8),
        ggufNumber(key("feed_forward_length"), 16), ggufNumber(key("attention.head_count"), 2),
        ggufNumber(key("vocab_size"), 10)};
    metadata.insert(metadata.end(), others.begin(), others.end());
    return ggufBytes(metadata, tensors, std::string(32 * (tensors.size() - 1) + 16, '\0'));
}
std::string llamaBytes(const std::vector<std::string>& others,
                       const std::vector<std::string>& tensors = {ggufTensor("w", {4}, 0, 0)}) {
    return modelBytes("llama", others, tensors);
}

} // namespace

class TestGgufModels : public QObject {
    Q_OBJECT

private slots:
    void families_data();
    void families();
    void headsByLayer();
    void parts();
    void reportOfOneModel();
    void refused_data();
    void refused();
    void metadataWithoutEffect();
    void uselessTokenizer();
    void guessedTokenizer();
};

/// Files of the package gguf, against what transformers made of the same weights.
void TestGgufModels::families_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"llama",
                             "llama3-rope",
                             "yarn",
                             "linear",
                             "gemma",
                             "gemma2",
                             "gemma3",
                             "phi2",
                             "phi3",
                             "gpt2",
                             "starcoder",
                             "gptneox",
                             "falcon",
                             "falcon-grouped",
                             "bloom",
                             "mpt",
                             "stablelm",
                             "starcoder2",
                             "olmo",
                             "stablelm-parallel",
                             "olmo2",
                             "granite",
                             "command-r",
                             "glm4",
                             "seed_oss",
                             "bert",
                             "roberta",
                             "arcee",
                             "smollm3",
                             "nemotron",
                             "exaone4",
                             "ernie4_5",
                             "cohere2",
                             "olmo3",
                             "olmo3-every-third",
                             "mixtral",
                             "qwen2moe",
                             "qwen3moe",
                             "olmoe",
                             "granitemoe",
                             "gpt-oss",
                             "distilbert",
                             "modern-bert",
                             "nomic-bert",
                             "hunyuan-dense",
                             "exaone",
                             "mistral3",
                             "chatglm",
                             "granitehybrid",
                             "deci",
                             "command-r-qk-norm",
                             "stablelm-qk-norm",
                             "olmo-clip",
                             "mpt-clip",
                             "mistral3-long"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestGgufModels::families() {
    QFETCH(QString, name);
    const std::string file = kFolder + name.toStdString();
    const auto model = require(loadModel(file + ".gguf"));
    QCOMPARE(differsFrom(file + ".reference.h5", model), std::string());
    QCOMPARE(model->description, "A random " + name.toStdString());
    QVERIFY(model->report.unused_config_keys.empty());
    QCOMPARE(noteWith(*model, "Metadata without effect"), std::string());
}

/// As llama.cpp's conversion writes Nemotron: how many heads a layer has, but not which.
void TestGgufModels::headsByLayer() {
    const auto model = require(loadModel(kFolder + "deci.gguf"));
    QCOMPARE(model->spec.family, std::string("llama"));
    QCOMPARE(model->spec.kept_heads,
             (std::vector<std::vector<std::size_t>>{{0, 1, 2, 3}, {}, {0, 1}}));
    QCOMPARE(model->spec.n_kv_heads, std::size_t{2});
    QVERIFY(model->spec.cannot_run.empty());
}

void TestGgufModels::parts() {
    const auto model = require(loadModel(kFolder + "mistral-00002-of-00003.gguf"));
    QCOMPARE(differsFrom(kFolder + "mistral.reference.h5", model), std::string());
    QCOMPARE(model->spec.d_head, std::size_t{10});
}

void TestGgufModels::reportOfOneModel() {
    const auto model = require(loadModel(kFolder + "llama3-rope.gguf"));
    const LoadReport& report = model->report;
    QCOMPARE(report.config_source, std::string("the metadata of llama3-rope.gguf"));
    const auto query =
        std::ranges::find(report.used, std::string("blocks.0.attn.W_Q"), &LoadReport::Used::role);
    QVERIFY(query != report.used.end());
    QCOMPARE(query->tensor, std::string("blk.0.attn_q.weight"));
    QCOMPARE(query->type, std::string("float16"));
    QVERIFY(!noteWith(*model, "divided by the factors in 'rope_freqs.weight'").empty());
    QVERIFY(!noteWith(*model, "No tokenizer: prompts are token ids.").empty());
    QVERIFY(!noteWith(*model, "tied").empty());
}

void TestGgufModels::refused_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char* name, const std::string& bytes, const char* message) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(message);
    };
    const auto llama = [&](const char* name, const std::vector<std::string>& others,
                           const char* message) { row(name, llamaBytes(others), message); };
    row("architecture",
        ggufBytes({ggufString("general.architecture", "mamba")}, {ggufTensor("w", {4}, 0, 0)},
                  std::string(16, '\0')),
        "m.gguf has the architecture \"mamba\", which is no family that can be opened from GGUF; "
        "open a model of a family that resources/models.md lists.");
    row("no architecture", ggufBytes({}, {}, ""), "m.gguf has the architecture \"\", which");
    row("no size", ggufBytes({ggufString("general.architecture", "llama")}, {}, ""),
        "The metadata of m.gguf lacks the key 'llama.attention.head_count';");
    llama("no number",
          {ggufPair("llama.attention.layer_norm_rms_epsilon", 6, bytesOf({0x7FC00000u}))},
          "The metadata of m.gguf has 'llama.attention.layer_norm_rms_epsilon' = \"NaN\", "
          "expected a number above 0;");
    llama("foreign tensor", {},
          "m.gguf holds the tensor \"w\", which its family has not as far as Headscope describes "
          "it;");
    row("experts",
        ggufBytes({ggufString("general.architecture", "gpt2"), ggufNumber("gpt2.block_count", 1),
                   ggufNumber("gpt2.context_length", 2), ggufNumber("gpt2.embedding_length", 4),
                   ggufNumber("gpt2.feed_forward_length", 4),
                   ggufNumber("gpt2.attention.head_count", 2), ggufNumber("gpt2.vocab_size", 4),
                   ggufNumber("gpt2.expert_count", 8)},
                  {ggufTensor("w", {4}, 0, 0)}, std::string(16, '\0')),
        "The metadata of m.gguf has 'gpt2.expert_count', which the family 'gpt2' has not as");
    const auto mixture = [&](const char* name, std::vector<std::string> others,
                             const std::vector<std::string>& tensors, const char* message) {
        others.push_back(ggufNumber("llama.expert_count", 2));
        others.push_back(ggufNumber("llama.expert_used_count", 1));
        row(name, llamaBytes(others, tensors), message);
    };
    const std::string gates = ggufTensor("blk.0.ffn_gate_exps.weight", {2, 1, 2}, 0, 0);
    mixture("gating", {ggufNumber("llama.expert_gating_func", 2)}, {gates},
            "The metadata of m.gguf weighs its experts by the function 2 and the factor 0, "
            "expected a softmax (1) and none;");
    mixture("weights of experts", {ggufPair("llama.expert_weights_scale", 6, bytesOf({2.5f}))},
            {gates},
            "The metadata of m.gguf weighs its experts by the function 1 and the factor 2.5,");
    mixture("sum of experts", {ggufPair("llama.expert_weights_norm", 7, std::string(1, '\0'))},
            {gates},
            "The metadata of m.gguf does not let the weights of the chosen experts sum to 1, which "
            "the family 'llama' does;");
    mixture("shared experts", {ggufNumber("llama.expert_shared_count", 1)}, {gates},
            "The metadata of m.gguf has 'llama.expert_shared_count', which the family 'llama'");
    mixture("other shapes of experts", {},
            {gates, ggufTensor("blk.0.ffn_up_exps.weight", {1, 2, 2}, 0, 32)},
            "m.gguf has the tensors 'blk.0.ffn_gate_exps.weight' [2, 1, 2] and "
            "'blk.0.ffn_up_exps.weight' [2, 2, 1], expected gates and what they gate in one and "
            "the same shape; convert the model again.");
    mixture("experts one by one", {}, {ggufTensor("blk.0.ffn_gate.0.weight", {4}, 0, 0)},
            "m.gguf holds the tensor \"blk.0.ffn_gate.0.weight\", which its family has not as far");
    llama("not causal", {ggufPair("llama.attention.causal", 7, std::string(1, '\0'))},
          "The metadata of m.gguf is not causal, which the family 'llama' is as far as Headscope");
    llama("clamped", {ggufPair("llama.attention.clamp_kqv", 6, bytesOf({8.0f}))},
          "The metadata of m.gguf has 'llama.attention.clamp_kqv', which the family 'llama' has");
    llama("heads by layer", {ggufArray("llama.attention.head_count_kv", 4, 2, bytesOf({2u, 1u}))},
          "The metadata of m.gguf has a 'llama.attention.head_count_kv' that differs from layer to "
          "layer, which is not supported;");
    row("heads of a layer too many",
        modelBytes("deci", {ggufArray("deci.attention.head_count_kv", 4, 2, bytesOf({2u, 1u}))}),
        "The metadata of m.gguf counts the heads of 2 layers, expected 1; convert the model "
        "again.");
    // Nemotron's "linear attention" is an output alone.
    row("an output alone",
        ggufBytes({ggufString("general.architecture", "deci"), ggufNumber("deci.block_count", 2),
                   ggufNumber("deci.context_length", 16), ggufNumber("deci.embedding_length", 8),
                   ggufNumber("deci.feed_forward_length", 16), ggufNumber("deci.vocab_size", 10),
                   ggufNumber("deci.attention.head_count", 2),
                   ggufArray("deci.attention.head_count_kv", 4, 2, bytesOf({1u, 0u}))},
                  {ggufTensor("w", {4}, 0, 0)}, std::string(16, '\0')),
        "The metadata of m.gguf has 2 heads and 0 key-value heads in layer 1, and 2 and 1 in "
        "another, "
        "expected as many heads for each key-value head in all layers;");
    row("MLPs that differ",
        ggufBytes({ggufString("general.architecture", "deci"), ggufNumber("deci.block_count", 2),
                   ggufNumber("deci.context_length", 16), ggufNumber("deci.embedding_length", 8),
                   ggufArray("deci.feed_forward_length", 4, 2, bytesOf({16u, 8u})),
                   ggufNumber("deci.vocab_size", 10), ggufNumber("deci.attention.head_count", 2)},
                  {ggufTensor("w", {4}, 0, 0)}, std::string(16, '\0')),
        "The metadata of m.gguf has a 'deci.feed_forward_length' that differs from layer to "
        "layer, ");
    llama("layers without attention",
          {ggufArray("llama.attention.head_count_kv", 4, 2, bytesOf({2u, 0u}))},
          "The metadata of m.gguf has layers without attention, expected key-value heads in all ");
    llama("partly rotated", {ggufNumber("llama.rope.dimension_count", 2)},
          "The metadata of m.gguf rotates 2 of the 4 dimensions of each head, which is not");
    llama("another activation", {ggufString("llama.hidden_activation", "gelu")},
          "The metadata of m.gguf has 'llama.hidden_activation', which the family 'llama' has not");
    llama(
        "another base of windows", {ggufPair("llama.rope.freq_base_swa", 6, bytesOf({8.0f}))},
        "The metadata of m.gguf has 'llama.rope.freq_base_swa', which the family 'llama' has not");
    row("experts of Nomic BERT",
        modelBytes("nomic-bert", {ggufNumber("nomic-bert.moe_every_n_layers", 2)}),
        "The metadata of m.gguf has 'nomic-bert.moe_every_n_layers', which the family "
        "'nomic-bert'");
    row("causal ModernBERT",
        modelBytes("modern-bert",
                   {ggufPair("modern-bert.attention.causal", 7, std::string(1, '\1'))}),
        "The metadata of m.gguf is causal, expected an encoder;");
    row("stretched ModernBERT",
        modelBytes("modern-bert", {ggufString("modern-bert.rope.scaling.type", "linear"),
                                   ggufNumber("modern-bert.rope.scaling.factor", 2)}),
        "The metadata of m.gguf stretches its rotary positions, which is not supported in this ");
    row("DistilBERT's eps",
        modelBytes("bert", {ggufPair("bert.attention.layer_norm_epsilon", 6, bytesOf({1e-5f}))}),
        "The metadata of m.gguf has no types of tokens, as DistilBERT, and norms with an eps of "
        "1e-05, expected 1e-12;");
    row("experts of Hunyuan",
        modelBytes("hunyuan-dense", {ggufNumber("hunyuan-dense.expert_count", 2)}),
        "The metadata of m.gguf has 2 experts, expected none in this family;");
    row("Granite without positions",
        modelBytes("granite",
                   {ggufPair("granite.rope.scaling.finetuned", 7, std::string(1, '\0'))}),
        "The metadata of m.gguf has no rotary positions, which this family has;");
    row("experts of Granite 4",
        modelBytes("granitehybrid", {ggufNumber("granitehybrid.expert_count", 2)}),
        "The metadata of m.gguf has 2 experts, expected none in this family;");
    llama("value width", {ggufNumber("llama.attention.value_length", 6)},
          "The metadata of m.gguf has keys of 4 and values of 6 numbers, which is not supported;");
    llama("rotary type", {ggufString("llama.rope.scaling.type", "su")},
          "The metadata of m.gguf asks for rotary embeddings of the type 'su', expected none,");
    row("rows that are no heads", llamaBytes({}, {ggufTensor("blk.0.attn_q.weight", {2, 2}, 0, 0)}),
        "m.gguf: the tensor 'blk.0.attn_q.weight' is [2, 2], which does not go with 2 heads and 2 "
        "key-value heads of 4 dimensions; convert the model again.");
    row("quantisation",
        ggufBytes({ggufString("general.architecture", "gpt2"), ggufNumber("gpt2.block_count", 1),
                   ggufNumber("gpt2.context_length", 2), ggufNumber("gpt2.embedding_length", 256),
                   ggufNumber("gpt2.feed_forward_length", 4),
                   ggufNumber("gpt2.attention.head_count", 2)},
                  {ggufTensor("token_embd.weight", {256, 1}, 23, 0)}, std::string(136, '\0')),
        "m.gguf: the tensor 'token_embd.weight' is quantised as IQ4_XS, which is not supported; "
        "choose another quantisation of the model, such as Q4_K, Q8_0 or F16.");
}

void TestGgufModels::refused() {
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, message);
    const Folder folder;
    const std::filesystem::path path = folder / "m.gguf";
    writeBytes(path, bytes.toStdString());
    const std::string found = refusalOf(path);
    QVERIFY2(found.starts_with(message.toStdString()), found.c_str());
}

/// Zeros and what nobody knows change nothing.
void TestGgufModels::metadataWithoutEffect() {
    const Folder folder;
    const std::filesystem::path path = folder / "m.gguf";
    std::string bytes =
        llamaBytes({ggufNumber("llama.expert_count", 0), ggufNumber("llama.of_tomorrow", 1)},
                   {ggufTensor("output_norm.weight", {4}, 0, 0)});
    writeBytes(path, bytes);
    const std::string found = refusalOf(path);
    QVERIFY2(found.starts_with("m.gguf: the tensor 'output_norm.weight' is [4], expected [d_model] "
                               "= [8] by the config;"),
             found.c_str());
}

/// A model whose tokenizer cannot be used takes token ids, and says why.
void TestGgufModels::uselessTokenizer() {
    const Folder folder;
    const std::filesystem::path path = folder / "m.gguf";
    std::string bytes = readBytes(kFolder + "gpt2.gguf");
    const std::string before = ggufString("general.description", "A random gpt2");
    const std::string after = ggufString("tokenizer.ggml.model", "gpt2 or bert");
    QCOMPARE(after.size(), before.size());
    bytes.replace(bytes.find(before), before.size(), after);
    writeBytes(path, bytes);
    const auto model = require(loadModel(path));
    const std::string reason = "because the tokenizer cannot be used: m.gguf: it holds no tokens.";
    QVERIFY(!noteWith(*model, "Prompts are token ids, " + reason).empty());
    QVERIFY(!model->tokenizer);
    QCOMPARE(promptFromText(*model, "a", BosMode::Auto).error().message,
             "m reads token ids only, " + reason);
}

/// A BPE that does not say how it splits texts gives way to a tokenizer beside the file.
void TestGgufModels::guessedTokenizer() {
    const Folder folder;
    const std::filesystem::path path = folder / "m.gguf";
    writeBytes(path, llamaBytes({ggufString("tokenizer.ggml.model", "gpt2"),
                                 ggufArray("tokenizer.ggml.tokens", 8, 3,
                                           ggufText("a") + ggufText("b") + ggufText("ab")),
                                 ggufArray("tokenizer.ggml.merges", 8, 1, ggufText("a b"))},
                                {ggufTensor("output_norm.weight", {4}, 0, 0)}));
    const auto opened = require(openTranslated(path));
    const auto found = [&] { return *require(findTokenizer(*opened.file)); };
    QCOMPARE(require(found().tokenizer->encode("ab", true)).ids, TokenIds{2});
    QCOMPARE(found().source, std::string("the metadata of m.gguf"));
    QCOMPARE(found().notes.size(), std::size_t{1});
    QVERIFY(found().notes[0].starts_with(
        "m.gguf does not say how its tokenizer splits texts into words, so"));
    writeBytes(folder / "tokenizer.json",
               R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}})");
    QCOMPARE(found().source, std::string("tokenizer.json beside m.gguf"));
    QVERIFY(found().notes.empty());
}

const headscope::test::TestRegistration<TestGgufModels> registration;

} // namespace test_gguf_models

#include "test_gguf_models.moc"
