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
