#include "core/engine/engine.h"
#include "core/export/convert_model.h"
#include "core/export/formats/model_file.h"
#include "core/loading/load_model.h"
#include "core/pruning/smaller_model.h"
#include "core/tensor/half.h"
#include "tests/support/hdf5_files.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>

namespace test_model_file {

using namespace headscope;
using namespace headscope::test;
namespace fs = std::filesystem;

namespace {

const fs::path kData = HEADSCOPE_TEST_DATA;

Tensor logitsOf(const fs::path& model, const TokenIds& ids) {
    return require(runModel(require(loadModel(model)), ids))->logits;
}

/// A source that keeps its tensors in memory.
class MemorySource final : public TensorSource {
public:
    struct Item {
        TensorInfo info;
        std::vector<float> values;
    };

    explicit MemorySource(std::vector<Item> items) : items_(std::move(items)) {
        for (const Item& item : items_)
            infos_.push_back(item.info);
    }

    const fs::path& path() const override { return path_; }
    std::span<const TensorInfo> tensors() const override { return infos_; }
    std::optional<std::string> text(std::string_view) const override { return std::nullopt; }
    Result<void> read(const TensorInfo& tensor, NumberTarget target,
                      std::stop_token) const override {
        const auto& values =
            items_[static_cast<std::size_t>(find(tensor.name) - infos_.data())].values;
        std::ranges::copy(values, target.floats.begin());
        return {};
    }

private:
    fs::path path_ = "memory.h5";
    std::vector<Item> items_;
    std::vector<TensorInfo> infos_;
};

std::vector<float> readAll(const TensorSource& source, std::string_view name) {
    const TensorInfo* const tensor = source.find(name);
    if (tensor == nullptr)
        throw std::runtime_error("no tensor " + std::string(name));
    std::vector<float> values(elementCount(tensor->shape));
    if (auto read = source.read(*tensor, values); !read)
        throw std::runtime_error(read.error().message);
    return values;
}

} // namespace

class TestModelFile : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    fs::path file(const char* name) const { return fs::path(folder_.path().toStdString()) / name; }

private slots:
    /// Whatever the weights come from, the logits are the same to the bit.
    void float32KeepsEveryBit_data() {
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QByteArray>("fixture");
        for (const char* name :
             {"gpt2", "llama", "llama-gqa", "llama3-rope", "bert", "mixtral", "qwen3_moe",
              "granitemoe", "gpt_oss", "glm4_moe", "ernie4_5_moe", "dbrx"})
            QTest::newRow(name) << "fixtures/" + QByteArray(name) + ".h5" << QByteArray(name);
        QTest::newRow("safetensors shards")
            << QByteArray("weight_files/gpt2-sharded") << QByteArray("gpt2");
        QTest::newRow("bfloat16 safetensors")
            << QByteArray("weight_files/llama-bf16/model.safetensors") << QByteArray("llama");
    }
    void float32KeepsEveryBit() {
        QFETCH(QByteArray, input);
        QFETCH(QByteArray, fixture);
        const fs::path original = kData / input.toStdString();
        const fs::path converted = file("converted.h5");
        QVERIFY(convertModel(original, converted, FloatFormat::Float32));
        const ReferenceFile reference(fixtureReference(fixture.toStdString()));
        const TokenIds ids = reference.ids("input_ids");
        const Tensor expected = logitsOf(original, ids);
        const Tensor found = logitsOf(converted, ids);
        QVERIFY(!expected.values().empty());
        QVERIFY(std::ranges::equal(found.values(), expected.values()));
    }

    /// Keras keeps the axes of heads apart, and the state of its optimizer in the same file.
    void kerasModelsBecomeMatrices_data() {
        QTest::addColumn<QByteArray>("input");
        for (const char* name : {"odd.keras", "pre.keras", "pre-legacy.h5", "bert", "gemma2"})
            QTest::newRow(name) << "keras/" + QByteArray(name);
    }
    void kerasModelsBecomeMatrices() {
        QFETCH(QByteArray, input);
        const auto original = require(loadModel(kData / input.toStdString()));
        require(convertModel(kData / input.toStdString(), file("keras.h5"), FloatFormat::Float32));
        const auto converted = require(loadModel(file("keras.h5")));
        QVERIFY(sameWeights(*converted, *original));
        QCOMPARE(converted->spec.cannot_run, original->spec.cannot_run);
        QVERIFY(converted->report.ignored.empty());
    }

    /// The safetensors shards hold the fixture itself.
    void safetensorsGiveTheLogitsOfTheFixture() {
        const ReferenceFile reference(fixtureReference("gpt2"));
        const TokenIds ids = reference.ids("input_ids");
        const Tensor expected = logitsOf(kData / "fixtures/gpt2.h5", ids);
        const Tensor found = logitsOf(kData / "weight_files/gpt2-sharded", ids);
        QVERIFY(std::ranges::equal(found.values(), expected.values()));
    }

    void halvesAreTheNearest_data() {
        QTest::addColumn<int>("format");
        QTest::newRow("float16") << static_cast<int>(FloatFormat::Float16);
        QTest::newRow("bfloat16") << static_cast<int>(FloatFormat::BFloat16);
    }
    void halvesAreTheNearest() {
        QFETCH(int, format);
        const auto half = static_cast<FloatFormat>(format);
        const fs::path original = kData / "fixtures/llama.h5";
        QVERIFY(convertModel(original, file("half.h5"), half));
        const auto before = require(openTensorSource(original));
        const auto after = require(openTensorSource(file("half.h5")));
        for (const TensorInfo& tensor : before->tensors()) {
            QVERIFY(formatFor(after->find(tensor.name)->type) == half);
            std::vector<float> expected = readAll(*before, tensor.name);
            for (float& value : expected)
                value = widen(half, narrow(half, value));
            QCOMPARE(readAll(*after, tensor.name), expected);
        }
        QVERIFY(loadModel(file("half.h5")));
    }

    void textsComeAlong() {
        writeModelFile(file("in.h5"), {{"w", {1}, {1}}},
                       {{"config", R"({"model_type": "gpt2"})"}, {"description", "mine"}});
        const auto converted =
            require(convertModel(file("in.h5"), file("texts.h5"), FloatFormat::Float32));
        QCOMPARE(converted.config_source, "attribute 'config' of in.h5");
        const auto source = require(openTensorSource(file("texts.h5")));
        QCOMPARE(*source->text("config"), R"({"model_type": "gpt2"})");
        QCOMPARE(*source->text("description"), "mine");
        QCOMPARE(*source->text("format"), "headscope");
        QCOMPARE(*source->text("format_version"), "1");
        QCOMPARE(*source->text("converted_from"), "in.h5");
        QVERIFY(!source->text("tokenizer"));
    }

    void unusableTokenizerStaysOut() {
        writeModelFile(file("in.h5"), {{"w", {1}, {1}}}, {{"config", "{}"}, {"tokenizer", "no"}});
        const auto converted =
            require(convertModel(file("in.h5"), file("texts.h5"), FloatFormat::Float32));
        QVERIFY(
            converted.note.starts_with("The tokenizer is not inside, because it cannot be used: "));
        QVERIFY(!require(openTensorSource(file("texts.h5")))->text("tokenizer"));
    }

    void kernelsAreTurned() {
        const MemorySource source(
            {{{.name = "a.b", .shape = {2, 3}, .type = StoredType::Float32, .transposed = true},
              {1, 2, 3, 4, 5, 6}},
             {{.name = "a.c", .shape = {2, 3}, .type = StoredType::Float64}, {1, 2, 3, 4, 5, 6}},
             {{.name = "a.empty", .shape = {0}, .type = StoredType::Float32}, {}},
             {{.name = "a.ids", .shape = {1}, .type = StoredType::Integer}, {7}},
             {{.name = "a.one", .shape = {}, .type = StoredType::Float16}, {8}}});
        const auto written =
            require(writeModelFile(file("turned.h5"), source, {}, FloatFormat::Float32));
        QCOMPARE(written.tensors, 4u);
        QCOMPARE(written.left_out, std::vector<std::string>{"a.ids"});
        const auto back = require(openTensorSource(file("turned.h5")));
        QCOMPARE(back->find("a.b")->shape, (Shape{3, 2}));
        QCOMPARE(readAll(*back, "a.b"), (std::vector<float>{1, 4, 2, 5, 3, 6}));
        QCOMPARE(readAll(*back, "a.c"), (std::vector<float>{1, 2, 3, 4, 5, 6}));
        QCOMPARE(back->find("a.empty")->shape, Shape{0});
        QCOMPARE(readAll(*back, "a.one"), std::vector<float>{8});
        QVERIFY(back->find("a.ids") == nullptr);
    }

    void overflowIsRefusedByName() {
        const MemorySource source(
            {{{.name = "big", .shape = {2}, .type = StoredType::Float32}, {1, 70000}}});
        const auto written = writeModelFile(file("big.h5"), source, {}, FloatFormat::Float16);
        QVERIFY(!written);
        QCOMPARE(written.error().message,
                 "Cannot convert memory.h5: tensor 'big' holds 70000, beyond the largest float16, "
                 "65504; choose bfloat16 or float32.");
        QVERIFY(!fs::exists(file("big.h5")));
        QVERIFY(writeModelFile(file("big.h5"), source, {}, FloatFormat::BFloat16));
    }

    void nothingToConvert() {
        const MemorySource source(
            {{{.name = "ids", .shape = {1}, .type = StoredType::Integer}, {1}}});
        const auto written = writeModelFile(file("none.h5"), source, {}, FloatFormat::Float32);
        QVERIFY(!written);
        QVERIFY(written.error().message.starts_with("memory.h5 holds no floating-point numbers"));
    }

    void namesThatCannotBeTogether() {
        const MemorySource source(
            {{{.name = "a", .shape = {1}, .type = StoredType::Float32}, {1}},
             {{.name = "a.b", .shape = {1}, .type = StoredType::Float32}, {1}}});
        const auto written = writeModelFile(file("clash.h5"), source, {}, FloatFormat::Float32);
        QVERIFY(!written);
        QVERIFY(written.error().message.find("HDF5 refuses array 'a/b'") != std::string::npos);
    }

    /// What was read the other way is read the other way again, until it is flipped back.
    void flippedSquareMatricesStayFlipped() {
        const TokenIds ids{1, 5, 9, 2};
        const fs::path original = kData / "fixtures/llama-gqa.h5";
        const LoadOptions flip{.flip_square_matrices = true};
        const auto logits = [&](const fs::path& path, const LoadOptions& options) {
            return require(runModel(require(loadModel(path, options)), ids))->logits;
        };
        require(convertModel(original, file("flipped.h5"), FloatFormat::Float32, flip));
        const Tensor flipped = logits(file("flipped.h5"), {});
        QVERIFY(std::ranges::equal(flipped.values(), logits(original, flip).values()));
        const Tensor back = logits(file("flipped.h5"), flip);
        QVERIFY(std::ranges::equal(back.values(), logits(original, {}).values()));
        require(convertModel(file("flipped.h5"), file("again.h5"), FloatFormat::Float32));
        QVERIFY(std::ranges::equal(flipped.values(), logits(file("again.h5"), {}).values()));
    }

    /// Where no shape tells how the matrices of heads lie.
    void transposedHeadsStayTransposed() {
        const TokenIds ids{1, 5, 9, 2};
        const fs::path original = kData / "fixtures/hooked-wide.h5";
        const LoadOptions transpose{.transpose_heads = true};
        const auto logits = [&](const fs::path& path, const LoadOptions& options) {
            return require(runModel(require(loadModel(path, options)), ids))->logits;
        };
        const Tensor expected = logits(original, transpose);
        QVERIFY(!std::ranges::equal(expected.values(), logits(original, {}).values()));
        require(convertModel(original, file("heads.h5"), FloatFormat::Float32, transpose));
        QVERIFY(std::ranges::equal(logits(file("heads.h5"), {}).values(), expected.values()));
        require(convertModel(file("heads.h5"), file("twice.h5"), FloatFormat::Float32));
        QVERIFY(std::ranges::equal(logits(file("twice.h5"), {}).values(), expected.values()));
        const auto refused = convertModel(kData / "fixtures/hooked-lnpre.h5", file("refused.h5"),
                                          FloatFormat::Float32, transpose);
        QVERIFY(!refused && !fs::exists(file("refused.h5")));
    }

    /// What a file lacks must not become a network that was cut.
    void attentionThatIsNotInTheFile() {
        const ModelVariant variant = without("llama", "layers.1.self_attn.k_proj");
        const auto path = variant.write();
        const auto model = require(loadModel(path));
        Cut cut;
        cut.removed = {{0, 1}};
        QVERIFY(!smallerModel(*model, cut));
        const auto folder = path.parent_path();
        for (const char* name : {"folder", "twin.gguf"}) {
            const auto written = convertByName(path, folder / name, GgufFormat::Float32);
            QVERIFY(!written);
            QVERIFY2(written.error().message.find("the attention of layer 1") != std::string::npos,
                     written.error().message.c_str());
        }
        QVERIFY(convertByName(path, folder / "twin.h5", GgufFormat::Float32));
        const auto twin = require(loadModel(folder / "twin.h5"));
        QCOMPARE(twin->spec.absent.attention, model->spec.absent.attention);
        QVERIFY(!twin->spec.cannot_run.empty());
    }

    void stopLeavesNothing() {
        std::stop_source stop;
        std::vector<double> fractions;
        const auto progress = [&](double fraction, std::string_view) {
            fractions.push_back(fraction);
            if (fraction > 0.3)
                stop.request_stop();
        };
        const auto converted = convertModel(kData / "fixtures/gpt2.h5", file("stopped.h5"),
                                            FloatFormat::Float32, {}, progress, stop.get_token());
        QVERIFY(!converted);
        QCOMPARE(converted.error().code, ErrorCode::Cancelled);
        QVERIFY(std::ranges::is_sorted(fractions) && fractions.back() < 1.0);
        QVERIFY(!fs::exists(file("stopped.h5")));
    }

    void sameInputSameBytes() {
        const auto bytes = [&](const char* name) {
            require(
                convertModel(kData / "fixtures/microgpt.h5", file(name), FloatFormat::BFloat16));
            QFile written(QString::fromStdString(file(name).string()));
            return written.open(QIODevice::ReadOnly) ? written.readAll() : QByteArray();
        };
        QVERIFY(!bytes("one.h5").isEmpty());
        QCOMPARE(bytes("one.h5"), bytes("two.h5"));
    }
};

const headscope::test::TestRegistration<TestModelFile> registration;

} // namespace test_model_file

#include "test_model_file.moc"
