#include "core/engine/engine.h"
#include "core/export/conversions/other_forms.h"
#include "core/export/convert_model.h"
#include "core/io/gguf_writer.h"
#include "core/io/tensor_source.h"
#include "core/loading/dialects/gguf/gguf_metadata.h"
#include "core/tokenizer/tokenizer.h"
#include "tests/export/gguf_tensors.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace test_gguf_file {

using namespace headscope;
using namespace headscope::test;
using nlohmann::json;

namespace {

const std::filesystem::path kGguf = HEADSCOPE_TEST_DATA "/gguf";

json metadataOf(const std::filesystem::path& path) {
    return json::parse(require(openTensorSource(path))->text(kGgufMetadata).value());
}

/// Largest difference of a logit, or of a state behind the last layer of an encoder, over the
/// largest one.
double deviation(const std::filesystem::path& path, const std::shared_ptr<const Model>& model) {
    const ReferenceFile reference(path);
    HookSet hooks;
    const HookPoint last{HookKind::NormalizedResidPost, model->spec.n_layers - 1};
    const bool has_logits = reference.has("logits");
    if (!has_logits)
        hooks.capture("blocks.*.hook_normalized_resid_post");
    const auto run = require(runModel(model, reference.ids("input_ids"), {}, hooks));
    if (has_logits)
        return difference(run->logits.view(), reference.floats("logits").view()).relative;
    const Tensor states = reference.floats("hidden_states");
    const Tensor& found = run->captured.at(last);
    Tensor expected(found.shape());
    std::ranges::copy(states.values().last(found.size()), expected.values().begin());
    return difference(found.view(), expected.view()).relative;
}

/// Whether what else is called feed_forward_length has no meaning.
bool hasExpertWidth(const json& metadata) {
    return std::ranges::any_of(metadata.items(), [](const auto& entry) {
        return entry.key().ends_with(".expert_feed_forward_length");
    });
}

} // namespace

class TestGgufFile : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::filesystem::path file(const std::string& name) const {
        return std::filesystem::path(folder_.path().toStdString()) / name;
    }

private slots:
    void asThePackageWrites_data();
    void asThePackageWrites();
    void sameModel_data();
    void sameModel();
    void underAnotherArchitecture();
    void toHdf5_data();
    void toHdf5();
    void formats_data();
    void formats();
    void blocksOfQ8();
    void tokenizerAsLists();
    void tokenizerAsAWhole();
    void refused_data();
    void refused();
    void rotaryScaling_data();
    void rotaryScaling();
    void rotationsOfOthers_data();
    void rotationsOfOthers();
    void factorsOfLongPrompts();
    void withoutTokenizer();
    void nothingIsLeftBehind();
};

/// A file of llama.cpp's package, read and written again, has its tensors, to the bit; but
/// Granite's, whose factors are multiplied in and divided out.
void TestGgufFile::asThePackageWrites_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"llama",
                             "llama3-rope",
                             "linear",
                             "gemma",
                             "gemma2",
                             "gemma3",
                             "phi2",
                             "phi3",
                             "gpt2",
                             "gptneox",
                             "bloom",
                             "mpt",
                             "stablelm",
                             "starcoder2",
                             "olmo",
                             "olmo2",
                             "seed_oss",
                             "arcee",
                             "smollm3",
                             "nemotron",
                             "exaone4",
                             "ernie4_5",
                             "starcoder",
                             "falcon",
                             "falcon-grouped",
                             "granite",
                             "command-r",
                             "cohere2",
                             "chatglm",
                             "glm4",
                             "olmo3",
                             "olmo3-every-third",
                             "mixtral",
                             "qwen2moe",
                             "qwen3moe",
                             "olmoe",
                             "granitemoe",
                             "gpt-oss",
                             "exaone",
                             "hunyuan-dense",
                             "bert",
                             "distilbert",
                             "modern-bert",
                             "nomic-bert",
                             "stablelm-qk-norm",
                             "olmo-clip",
                             "mpt-clip",
                             "command-r-qk-norm"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestGgufFile::asThePackageWrites() {
    QFETCH(QString, name);
    const std::filesystem::path path = kGguf / (name.toStdString() + ".gguf");
    const float tolerance = name.startsWith(QLatin1String("granite")) ? 1e-6f : 0.0f;
    const auto nearly = [tolerance](float a, float b) {
        return std::abs(a - b) <= tolerance * std::abs(b);
    };
    const auto written = file("again.gguf");
    require(convertToGguf(path, written, GgufFormat::Float16));
    const auto original = require(openTensorSource(path));
    const auto again = require(openTensorSource(written));
    QCOMPARE(listing(*again), listing(*original));
    for (const TensorInfo& tensor : original->tensors()) {
        QCOMPARE(again->find(tensor.name)->shape, tensor.shape);
        QVERIFY2(std::ranges::equal(valuesOf(*again, *again->find(tensor.name)),
                                    valuesOf(*original, tensor), nearly),
                 tensor.name.c_str());
    }
    const json before = metadataOf(path);
    const json after = metadataOf(written);
    for (const auto& [key, value] : after.items())
        if (before.contains(key) && key.find("rope.scaling") == std::string::npos &&
            !(key.ends_with(".feed_forward_length") && hasExpertWidth(before)))
            QVERIFY2(before[key] == value, (key + " " + value.dump()).c_str());
}

/// Models of other files, against what transformers computed.
void TestGgufFile::sameModel_data() {
    QTest::addColumn<QString>("fixture");
    for (const char* name : {"gpt2",        "llama-gqa",   "llama3-rope",
                             "rope-linear", "rope-yarn",   "mistral-headdim",
                             "qwen2",       "qwen3",       "gemma",
                             "phi3",        "gpt_neox",    "granite",
                             "granitemoe",  "cohere",      "glm4",
                             "exaone",      "internlm3",   "hunyuan_v1_dense",
                             "falcon-mqa",  "gpt_bigcode", "stablelm-qk-norm",
                             "olmo-clip",   "mpt-clip"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestGgufFile::sameModel() {
    QFETCH(QString, fixture);
    const std::string name = fixture.toStdString();
    const auto written = file(name + ".gguf");
    require(convertToGguf(modelPath(name), written, GgufFormat::Float32));
    QVERIFY(deviation(fixtureReference(name), require(loadModel(written))) <= 1e-4);
}

/// A Granite 4 whose layers all attend and rotate is a Granite, as in llama.cpp's conversion.
void TestGgufFile::underAnotherArchitecture() {
    ModelVariant hybrid("granitemoehybrid");
    hybrid.config["position_embedding_type"] = "rope";
    const auto written = file("granite.gguf");
    require(convertToGguf(hybrid.write(), written, GgufFormat::Float32));
    const auto granite = require(loadModel(written));
    QCOMPARE(granite->spec.family, std::string("granite"));
    const std::vector<TokenId> ids{5, 17, 3, 22, 9};
    const auto expected = require(runModel(hybrid.loaded(), ids));
    const auto found = require(runModel(granite, ids));
    QVERIFY(difference(found->logits.view(), expected->logits.view()).relative <= 1e-6);
}

/// What was read from a GGUF becomes an HDF5 file that computes the same.
void TestGgufFile::toHdf5_data() {
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"llama", "gemma3", "gpt2", "gptneox", "falcon-grouped", "bert", "mixtral", "qwen2moe",
          "granitemoe", "olmo3", "gpt-oss", "exaone", "granitehybrid", "nomic-bert",
          "stablelm-qk-norm", "command-r-qk-norm", "olmo-clip", "mistral3-long"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestGgufFile::toHdf5() {
    QFETCH(QString, name);
    const std::filesystem::path path = kGguf / (name.toStdString() + ".gguf");
    const auto converted = require(convertModel(path, file("x.h5"), FloatFormat::Float32));
    QCOMPARE(converted.config_source, "the metadata of " + name.toStdString() + ".gguf");
    QVERIFY(deviation(kGguf / (name.toStdString() + ".reference.h5"),
                      require(loadModel(file("x.h5")))) <= 1e-4);
}

void TestGgufFile::formats_data() {
    QTest::addColumn<int>("format");
    QTest::addColumn<QString>("type");
    QTest::addColumn<double>("tolerance");
    const auto row = [](GgufFormat format, const char* type, double tolerance) {
        QTest::newRow(type) << static_cast<int>(format) << QString::fromLatin1(type) << tolerance;
    };
    row(GgufFormat::Float32, "float32", 0.0);
    row(GgufFormat::Float16, "float16", 1.0 / 2048);
    row(GgufFormat::BFloat16, "bfloat16", 1.0 / 256);
    row(GgufFormat::Q8, "Q8_0, 8.5 bits", 1.0 / 127);
}

/// Matrices have the format, vectors stay as they are.
void TestGgufFile::formats() {
    QFETCH(int, format);
    QFETCH(QString, type);
    QFETCH(double, tolerance);
    ModelVariant model("gpt2");
    const auto source = model.write();
    const auto written = file("formats.gguf");
    require(convertToGguf(source, written, static_cast<GgufFormat>(format)));
    const auto again = require(openTensorSource(written));
    QCOMPARE(storedTypeText(*again->find("output_norm.weight")), std::string("float32"));
    QCOMPARE(storedTypeText(*again->find("position_embd.weight")), std::string("float32"));
    const TensorInfo* const matrix = again->find("blk.0.ffn_down.weight");
    QCOMPARE(QString::fromStdString(storedTypeText(*matrix)), type);
    FileTensor& expected = model.tensor("transformer.h.0.mlp.c_proj.weight");
    transpose(expected);
    const auto values = valuesOf(*again, *matrix);
    float largest = 0.0f;
    for (const float value : expected.values)
        largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < values.size(); ++i)
        QVERIFY(std::abs(values[i] - expected.values[i]) <= tolerance * largest);
}

/// Half away from zero; and numbers that were in blocks get the same blocks again.
void TestGgufFile::blocksOfQ8() {
    const auto original = require(openTensorSource(kGguf / "types.gguf"));
    const TensorInfo& q8 = *original->find("Q8_0");
    std::vector<float> first(32, 0.0f);
    for (const auto& [i, value] : {std::pair(0, 127.0f), {1, 0.5f}, {2, -0.5f}, {3, 1.49f}})
        first[static_cast<std::size_t>(i)] = value;
    const std::vector<GgufStreamedTensor> tensors{{"a", {1, 32}, GgufFormat::Q8},
                                                  {"b", q8.shape, GgufFormat::Q8}};
    const auto values = valuesOf(*original, q8);
    const auto written =
        writeGguf(file("q8.gguf"), {}, tensors, [&](std::size_t i, const AppendNumbers& append) {
            return append(i == 0 ? first : values);
        });
    QVERIFY(written);
    const auto again = require(openTensorSource(file("q8.gguf")));
    const auto rounded = valuesOf(*again, *again->find("a"));
    QCOMPARE(std::vector<float>(rounded.begin(), rounded.begin() + 4),
             (std::vector<float>{127.0f, 1.0f, -1.0f, 1.0f}));
    QVERIFY(valuesOf(*again, *again->find("b")) == values);
}

/// The lists give the same tokens as the whole tokenizer, and say with which prompts begin.
void TestGgufFile::tokenizerAsLists() {
    const auto written = file("mini.gguf");
    const auto converted =
        require(convertToGguf(modelPath("gpt2-mini-6l"), written, GgufFormat::Float16));
    QVERIFY(converted.note.empty());
    json metadata = metadataOf(written);
    const auto whole = require(loadModel(written))->tokenizer;
    QVERIFY(whole);
    const auto original = require(loadModel(modelPath("gpt2-mini-6l")));
    QCOMPARE(metadata["tokenizer.ggml.pre"].get<std::string>(), std::string("gpt-2"));
    metadata.erase("tokenizer.huggingface.json");
    const auto lists = require(
        readTokenizerJson(require(ggufTokenizer(JsonValue(metadata), "mini.gguf")).json, "mini"));
    for (const char* text :
         {"", "Once upon a time,  there was a dog.\n", "naïve 12 345!", "<|endoftext|>x"})
        QCOMPARE(require(lists->encode(text, false)).ids, require(whole->encode(text, false)).ids);
    QCOMPARE(lists->prefixToken(), original->spec.bos_token);
}

/// Kinds without lists that say all go along as a whole.
void TestGgufFile::tokenizerAsAWhole() {
    const auto written = file("llama.gguf");
    const auto converted =
        require(convertToGguf(modelPath("llama-mini-gqa-4l"), written, GgufFormat::Float16));
    const json metadata = metadataOf(written);
    QVERIFY(metadata.contains("tokenizer.huggingface.json"));
    QCOMPARE(metadata.contains("tokenizer.ggml.tokens"), converted.note.empty());
    QVERIFY(metadata.contains("tokenizer.ggml.model"));
    QVERIFY(require(loadModel(written))->tokenizer);
}

void TestGgufFile::refused_data() {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* fixture, const char* message) {
        QTest::newRow(fixture) << QString::fromLatin1(fixture) << QString::fromLatin1(message);
    };
    row("mistral-window",
        "mistral-window.h5 cannot be written as GGUF, which has no way to say its "
        "windows for this family; write HDF5.");
    row("qwen2-window", "qwen2-window.h5 cannot be written as GGUF, which has no way to say its "
                        "windows for this family; write HDF5.");
    row("rope-dynamic", "rope-dynamic.h5 cannot be written as GGUF, which has no way to say its ");
    row("gpt2-scale-by-layer",
        "gpt2-scale-by-layer.h5 cannot be written as GGUF, which has no way "
        "to say how it scales scores or logits for this family; write HDF5.");
    row("mixtral", "mixtral.h5 cannot be written as GGUF, which has no way to say its windows for "
                   "this family; write HDF5.");
    row("gpt_oss", "gpt_oss.h5 cannot be written as GGUF, which has no way to say its experts for "
                   "this family; write HDF5.");
    row("glm",
        "glm cannot be written as GGUF: llama.cpp expects heads that are together as wide as "
        "the residual stream in its 'chatglm', and here they are 48 and 32 wide; write HDF5.");
    row("granitemoehybrid", "granitemoehybrid.h5 cannot be written as GGUF, which has no way to "
                            "say its positions for this family; write HDF5.");
    row("olmoe",
        "olmoe cannot be written as GGUF: llama.cpp expects as many key-value heads as heads "
        "in its 'olmoe'; write HDF5.");
    row("cohere-qk-norm",
        "cohere-qk-norm cannot be written as GGUF: llama.cpp expects norms of queries and keys in "
        "its 'command-r' only from 64 layers on, and here there are 2; write HDF5.");
    row("qwen3_moe", "qwen3_moe.h5 cannot be written as GGUF, which has no way to say its ");
    row("gptj", "gptj cannot be written as GGUF: Headscope writes no models of the family 'gptj' ");
    row("bert", "bert cannot be written as GGUF: encoders have no head for masked tokens in that "
                "format; write HDF5.");
}

void TestGgufFile::refused() {
    QFETCH(QString, fixture);
    QFETCH(QString, message);
    const auto written = file("refused.gguf");
    const auto converted =
        convertToGguf(modelPath(fixture.toStdString()), written, GgufFormat::Float32);
    QVERIFY(!converted);
    QVERIFY2(converted.error().message.starts_with(message.toStdString()),
             converted.error().message.c_str());
    QVERIFY(!std::filesystem::exists(written));
}

/// What llama.cpp (0.3.36 of llama-cpp-python) does with each: it rounds the ends of YaRN's ramp,
/// and what a file calls attn_factor is multiplied with 1 + 0.1 · ln(factor).
void TestGgufFile::rotaryScaling_data() {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<QString>("scaling");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    const auto row = [](const char* name, const char* fixture, const char* scaling, const char* key,
                        const char* value) {
        QTest::newRow(name) << QString::fromLatin1(fixture) << QString::fromLatin1(scaling)
                            << QString::fromLatin1(key) << QString::fromLatin1(value);
    };
    const char* const yarn = R"({"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0,
                                 "original_max_position_embeddings": 64)";
    const std::string half = std::string(yarn) + R"(, "attention_factor": 0.5})";
    const std::string usual = std::string(yarn) + "}";
    const char* const longrope = R"({"rope_type": "longrope", "rope_theta": 10000.0,
        "original_max_position_embeddings": 16, "attention_factor": 1.5,
        "short_factor": [1.0, 1.5, 2.0, 2.5], "long_factor": [1.0, 2.0, 4.0, 8.0]})";
    row("GPT-OSS with YaRN's default", "gpt_oss", usual.c_str(), "gpt-oss.headscope.yarn_truncates",
        "true");
    row("YaRN", "llama-gqa", usual.c_str(), "llama.rope.scaling.attn_factor", "1");
    row("YaRN with another factor of attention", "llama-gqa", half.c_str(),
        "llama.rope.scaling.attn_factor", "0.43912");
    row("LongRoPE of Llama", "llama-gqa", longrope, "llama.rope.scaling.type", "\"longrope\"");
    row("LongRoPE of Phi-3", "longrope-short", longrope, "phi3.rope.scaling.type", "\"longrope\"");
}

ModelVariant scaledVariant(const std::string& fixture, const json& scaling) {
    ModelVariant model(fixture);
    model.config.erase("rope_scaling");
    model.config["rope_parameters"] = scaling;
    if (scaling.contains("window")) {
        model.config["sliding_window"] = scaling["window"];
        model.config["rope_parameters"].erase("window");
    }
    if (scaling.contains("original_max_position_embeddings"))
        model.config["original_max_position_embeddings"] =
            scaling["original_max_position_embeddings"];
    if (fixture == "gpt_oss")
        model.config["swiglu_limit"] = 7.0; // the only one that GGUF knows
    return model;
}

void TestGgufFile::rotaryScaling() {
    QFETCH(QString, fixture);
    QFETCH(QString, scaling);
    QFETCH(QString, key);
    QFETCH(QString, value);
    const ModelVariant model =
        scaledVariant(fixture.toStdString(), json::parse(scaling.toStdString()));
    const auto written = file("scaled.gguf");
    require(convertToGguf(model.write(), written, GgufFormat::Float32));
    const json metadata = metadataOf(written);
    QVERIFY2(metadata.contains(key.toStdString()), metadata.dump().c_str());
    QVERIFY2(metadata[key.toStdString()].dump().starts_with(value.toStdString()),
             metadata[key.toStdString()].dump().c_str());
    const auto whole = model.loaded();
    const auto loaded = require(loadModel(written));
    QCOMPARE(loaded->spec.rotary.whole_pairs, true);
    QVERIFY(std::abs(loaded->spec.rotary.amplitude - whole->spec.rotary.amplitude) < 1e-6);
    const std::vector<TokenId> ids{5, 17, 3, 22, 9};
    const auto expected = require(runModel(whole, ids));
    const auto found = require(runModel(loaded, ids));
    QVERIFY(difference(found->logits.view(), expected->logits.view()).relative <= 1e-6);
}

void TestGgufFile::rotationsOfOthers_data() {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<QString>("scaling");
    QTest::addColumn<QString>("message");
    QTest::newRow("betas")
        << QStringLiteral("llama-gqa")
        << QStringLiteral(R"({"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0,
                              "original_max_position_embeddings": 16, "beta_fast": 16.0})")
        << QStringLiteral("llama.cpp takes 32 and 1 for beta_fast and beta_slow of YaRN in its "
                          "'llama', and here they are 16 and 1; write HDF5.");
    QTest::newRow("a ramp that is not rounded")
        << QStringLiteral("gpt_oss")
        << QStringLiteral(R"({"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0,
                              "original_max_position_embeddings": 64, "truncate": false})")
        << QStringLiteral(
               "llama.cpp rounds the ends of YaRN's ramp to whole rotary pairs, which this "
               "model does not; write HDF5, or say \"truncate\": true in its config.json to "
               "write the other network that llama.cpp computes.");
    QTest::newRow("windows of Phi-3")
        << QStringLiteral("longrope-short")
        << QStringLiteral(R"({"rope_type": "default", "rope_theta": 10000.0, "window": 12})")
        << QStringLiteral("llama.cpp ignores the windows of its 'phi3'; write HDF5, or say "
                          "\"sliding_window\": null in its config.json to write the other network "
                          "that llama.cpp computes.");
    QTest::newRow("LongRoPE of Qwen 2")
        << QStringLiteral("qwen2")
        << QStringLiteral(R"({"rope_type": "longrope", "rope_theta": 10000.0,
                              "original_max_position_embeddings": 16, "attention_factor": 1.0,
                              "short_factor": [1.0, 1.5, 2.0, 2.5, 3.0, 3.5],
                              "long_factor": [1.0, 2.0, 4.0, 8.0, 8.0, 8.0]})")
        << QStringLiteral("llama.cpp reads no factors of rotary frequencies in its 'qwen2'; write "
                          "HDF5.");
    QTest::newRow("Llama 3's rotation of Qwen 2")
        << QStringLiteral("qwen2")
        << QStringLiteral(R"({"rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0,
                              "original_max_position_embeddings": 16, "low_freq_factor": 1.0,
                              "high_freq_factor": 4.0})")
        << QStringLiteral("llama.cpp reads no factors of rotary frequencies in its 'qwen2'; write "
                          "HDF5.");
}

/// llama.cpp would compute another network, or not open the file.
void TestGgufFile::rotationsOfOthers() {
    QFETCH(QString, fixture);
    QFETCH(QString, scaling);
    QFETCH(QString, message);
    const ModelVariant model =
        scaledVariant(fixture.toStdString(), json::parse(scaling.toStdString()));
    const auto written = file("other.gguf");
    const auto converted = convertToGguf(model.write(), written, GgufFormat::Float32);
    QVERIFY(!converted);
    QVERIFY2(converted.error().message.ends_with(message.toStdString()),
             converted.error().message.c_str());
    QVERIFY(!std::filesystem::exists(written));
}

/// llama.cpp chooses between two sets of factors by its context, and not by the prompt.
void TestGgufFile::factorsOfLongPrompts() {
    const auto noteWith = [&](int original, const char* long_factors) {
        const json longrope{{"rope_type", "longrope"},
                            {"rope_theta", 10000.0},
                            {"original_max_position_embeddings", original},
                            {"attention_factor", 1.0},
                            {"short_factor", json::parse("[1.0, 1.5, 2.0, 2.5]")},
                            {"long_factor", json::parse(long_factors)}};
        const ModelVariant model = scaledVariant("llama-gqa", longrope);
        return require(convertToGguf(model.write(), file("long.gguf"), GgufFormat::Float32)).note;
    };
    const std::string without = "There is no tokenizer; prompts will be token ids.";
    QCOMPARE(QString::fromStdString(noteWith(16, "[1.0, 2.0, 4.0, 8.0]")),
             QString::fromStdString(
                 without + " Started with a context of more than 16 tokens, llama.cpp takes the "
                           "rotary factors of long prompts for all prompts; the model takes those "
                           "of short ones up to that length."));
    QCOMPARE(QString::fromStdString(noteWith(16, "[1.0, 1.5, 2.0, 2.5]")),
             QString::fromStdString(without));
    QCOMPARE(QString::fromStdString(noteWith(4096, "[1.0, 2.0, 4.0, 8.0]")),
             QString::fromStdString(without));
}

/// llama.cpp opens no file that does not say which kind of tokenizer it has, be it none.
void TestGgufFile::withoutTokenizer() {
    const auto written = file("ids.gguf");
    require(convertToGguf(modelPath("llama-gqa"), written, GgufFormat::Float32));
    QCOMPARE(metadataOf(written)["tokenizer.ggml.model"].get<std::string>(), std::string("none"));
    const auto model = require(loadModel(written));
    QVERIFY(!model->tokenizer);
    QVERIFY(std::ranges::any_of(model->report.notes, [](const std::string& note) {
        return note.find("No tokenizer: prompts are token ids.") != std::string::npos;
    }));
}

void TestGgufFile::nothingIsLeftBehind() {
    const std::vector<GgufStreamedTensor> tensors{{"a", {1}, GgufFormat::Float16}};
    const float large = 1e6f;
    const auto written =
        writeGguf(file("large.gguf"), {}, tensors, [&](std::size_t, const AppendNumbers& append) {
            return append(std::span(&large, 1));
        });
    QVERIFY(!written);
    QVERIFY(written.error().message.find("tensor 'a' holds 1e+06, beyond what F16 can hold; choose "
                                         "another format") != std::string::npos);
    QVERIFY(!std::filesystem::exists(file("large.gguf")));
    const std::filesystem::directory_iterator all(folder_.path().toStdString());
    QVERIFY(std::none_of(begin(all), end(all), [](const auto& entry) {
        return entry.path().filename().string().starts_with('.');
    }));
}

const headscope::test::TestRegistration<TestGgufFile> registration;

} // namespace test_gguf_file

#include "test_gguf_file.moc"
