#include "core/engine/engine.h"
#include "core/export/conversions/other_forms.h"
#include "tests/export/gguf_tensors.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace test_gguf_rotary {

using namespace headscope;
using namespace headscope::test;
using nlohmann::json;

namespace {

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

} // namespace

/// Rotations of other kinds than Llama's, as llama.cpp computes them.
class TestGgufRotary : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::filesystem::path file(const std::string& name) const {
        return std::filesystem::path(folder_.path().toStdString()) / name;
    }

private slots:
    /// What llama.cpp (0.3.36 of llama-cpp-python) does with each: it rounds the ends of YaRN's
    /// ramp, and what a file calls attn_factor is multiplied with 1 + 0.1 · ln(factor).
    void rotaryScaling_data() {
        QTest::addColumn<QString>("fixture");
        QTest::addColumn<QString>("scaling");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        const auto row = [](const char* name, const char* fixture, const char* scaling,
                            const char* key, const char* value) {
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
        row("GPT-OSS with YaRN's default", "gpt_oss", usual.c_str(),
            "gpt-oss.headscope.yarn_truncates", "true");
        row("YaRN", "llama-gqa", usual.c_str(), "llama.rope.scaling.attn_factor", "1");
        row("YaRN with another factor of attention", "llama-gqa", half.c_str(),
            "llama.rope.scaling.attn_factor", "0.43912");
        row("LongRoPE of Llama", "llama-gqa", longrope, "llama.rope.scaling.type", "\"longrope\"");
        row("LongRoPE of Phi-3", "longrope-short", longrope, "phi3.rope.scaling.type",
            "\"longrope\"");
    }

    void rotaryScaling() {
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

    void rotationsOfOthers_data() {
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
            << QStringLiteral(
                   "llama.cpp ignores the windows of its 'phi3'; write HDF5, or say "
                   "\"sliding_window\": null in its config.json to write the other network "
                   "that llama.cpp computes.");
        QTest::newRow("LongRoPE of Qwen 2")
            << QStringLiteral("qwen2")
            << QStringLiteral(R"({"rope_type": "longrope", "rope_theta": 10000.0,
                                  "original_max_position_embeddings": 16, "attention_factor": 1.0,
                                  "short_factor": [1.0, 1.5, 2.0, 2.5, 3.0, 3.5],
                                  "long_factor": [1.0, 2.0, 4.0, 8.0, 8.0, 8.0]})")
            << QStringLiteral(
                   "llama.cpp reads no factors of rotary frequencies in its 'qwen2'; write "
                   "HDF5.");
        QTest::newRow("Llama 3's rotation of Qwen 2")
            << QStringLiteral("qwen2")
            << QStringLiteral(R"({"rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0,
                                  "original_max_position_embeddings": 16, "low_freq_factor": 1.0,
                                  "high_freq_factor": 4.0})")
            << QStringLiteral(
                   "llama.cpp reads no factors of rotary frequencies in its 'qwen2'; write "
                   "HDF5.");
    }

    /// llama.cpp would compute another network, or not open the file.
    void rotationsOfOthers() {
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
    void factorsOfLongPrompts() {
        const auto noteWith = [&](int original, const char* long_factors) {
            const json longrope{{"rope_type", "longrope"},
                                {"rope_theta", 10000.0},
                                {"original_max_position_embeddings", original},
                                {"attention_factor", 1.0},
                                {"short_factor", json::parse("[1.0, 1.5, 2.0, 2.5]")},
                                {"long_factor", json::parse(long_factors)}};
            const ModelVariant model = scaledVariant("llama-gqa", longrope);
            return require(convertToGguf(model.write(), file("long.gguf"), GgufFormat::Float32))
                .note;
        };
        const std::string without = "There is no tokenizer; prompts will be token ids.";
        QCOMPARE(QString::fromStdString(noteWith(16, "[1.0, 2.0, 4.0, 8.0]")),
                 QString::fromStdString(
                     without +
                     " Started with a context of more than 16 tokens, llama.cpp takes the "
                     "rotary factors of long prompts for all prompts; the model takes those "
                     "of short ones up to that length."));
        QCOMPARE(QString::fromStdString(noteWith(16, "[1.0, 1.5, 2.0, 2.5]")),
                 QString::fromStdString(without));
        QCOMPARE(QString::fromStdString(noteWith(4096, "[1.0, 2.0, 4.0, 8.0]")),
                 QString::fromStdString(without));
    }
};

const TestRegistration<TestGgufRotary> registration;

} // namespace test_gguf_rotary

#include "test_gguf_rotary.moc"
