// Smaller models as folders for transformers and as GGUF, read back by Headscope. tests/interop has
// them opened by transformers and llama.cpp.

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/export/save_smaller_model.h"
#include "core/export/table_files.h"
#include "core/io/atomic_file.h"
#include "core/loading/load_model.h"
#include "core/pruning/smaller_model.h"
#include "tests/pruning/pruning_cases.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <filesystem>

namespace test_smaller_model_forms {

using namespace headscope;
using namespace headscope::test;

namespace {

namespace fs = std::filesystem;

/// The last KV head of each layer, with its queries; with a single one its last query head.
HeadSet lastGroups(const ModelSpec& spec) {
    HeadSet removed;
    for (const LayerHead head : spec.allHeads())
        if (spec.n_kv_heads == 1 ? head.head + 1 == spec.n_heads
                                 : spec.kvHeadOf(head) + 1 == spec.n_kv_heads)
            removed.push_back(head);
    return removed;
}

/// The first layer, and the last group of the others.
HeadSet firstLayerAndGroups(const ModelSpec& spec) {
    HeadSet removed;
    for (const LayerHead head : spec.allHeads())
        if (head.layer == 0 || spec.kvHeadOf(head) + 1 == spec.n_kv_heads)
            removed.push_back(head);
    return removed;
}

/// A mean bias for each layer that loses heads, and W_O as it was.
OutputRepairs someBiases(const Model& model, const HeadSet& removed) {
    OutputRepairs repairs;
    for (const LayerHead head : removed) {
        auto repair = std::make_shared<OutputRepair>();
        repair->b_O = Tensor({model.spec.d_model});
        for (std::size_t i = 0; i < model.spec.d_model; ++i)
            repair->b_O.values()[i] = 0.01f * static_cast<float>(i % 7);
        repairs[head.layer] = std::move(repair);
    }
    return repairs;
}

std::vector<TokenIds> textsFor(const Model& model) {
    std::vector<TokenIds> texts{{kPruningIds.begin(), kPruningIds.begin() + 5}};
    for (TokenId& id : texts.front())
        id %= static_cast<TokenId>(model.spec.d_vocab);
    return texts;
}

std::string textAt(const fs::path& path) {
    return require(readTextFile(path, 10'000'000));
}

class Workplace {
public:
    /// HEADSCOPE_INTEROP_FOLDER keeps what is written, for tests/interop/run.
    fs::path operator/(const std::string& name) const {
        const QString kept = qEnvironmentVariable("HEADSCOPE_INTEROP_FOLDER");
        const fs::path path =
            fs::path((kept.isEmpty() ? folder_.path() : kept).toStdString()) / name;
        fs::remove_all(path);
        return path;
    }
    bool isEmpty() const { return fs::is_empty(folder_.path().toStdString()); }

private:
    QTemporaryDir folder_;
};

} // namespace

class TestSmallerModelForms : public QObject {
    Q_OBJECT

private slots:
    void folderWithLoader_data();
    void folderWithLoader();
    void evenFolderWithLoader_data();
    void evenFolderWithLoader();
    void plainFolder_data();
    void plainFolder();
    void plainFolderIsCutAgain();
    void numbersHaveOneFormat();
    void gguf_data();
    void gguf();
    void sizesArePredicted_data();
    void sizesArePredicted();
    void formsByName();
    void refusals_data();
    void refusals();
    void existingFolderStays();
    void deciWithoutOurKeys();

private:
    Workplace place_;
};

void TestSmallerModelForms::folderWithLoader_data() {
    QTest::addColumn<QString>("fixture");
    for (const char* name : {"gpt2",
                             "gpt_neo",
                             "gpt_neox",
                             "gptj",
                             "opt",
                             "openai-gpt",
                             "stablelm",
                             "helium",
                             "bert",
                             "distilbert",
                             "electra",
                             "roberta",
                             "camembert",
                             "llama-gqa",
                             "mistral-window",
                             "qwen3",
                             "phi3",
                             "cohere2",
                             "exaone4",
                             "cohere-qk-norm",
                             "stablelm-qk-norm"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

/// Layers that differ, one without heads, groups that differ.
void TestSmallerModelForms::folderWithLoader() {
    QFETCH(QString, fixture);
    const auto whole = loadFixture(fixture.toStdString());
    const HeadSet removed = firstLayerAndOneMore(whole->spec);
    const Cut cut{removed, someBiases(*whole, removed)};
    const fs::path folder = place_ / (fixture.toStdString() + "-uneven");
    const SavedModel saved = require(saveSmallerModel(whole, cut, folder, textsFor(*whole)));
    QCOMPARE(saved.loader_reason, std::string("Its layers differ in heads"));
    QVERIFY(textAt(folder / "load_model.py").starts_with("\"\"\"Opens this folder"));
    QVERIFY(textAt(folder / "config.json").find("per_layer_config") != std::string::npos);
    const auto loaded = require(loadModel(folder));
    const auto smaller = require(smallerModel(*whole, cut));
    QCOMPARE(loaded->spec.kept_heads, smaller->spec.kept_heads);
    QCOMPARE(loaded->spec.headsIn(0), 0u);
    if (whole->spec.n_ctx >= kPruningIds.size())
        QVERIFY(difference(outputs(loaded).view(), outputs(smaller).view()).relative < 1e-6);
}

void TestSmallerModelForms::evenFolderWithLoader_data() {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<bool>("with_biases");
    QTest::addColumn<QString>("reason");
    for (const char* name : {"gpt2", "gpt_neox", "opt", "bert"})
        QTest::newRow(name) << QString::fromLatin1(name) << false
                            << QStringLiteral("A config of '%1' cannot say how wide its heads are")
                                   .arg(QLatin1String(name));
    QTest::newRow("llama-gqa, biases")
        << QStringLiteral("llama-gqa") << true
        << QStringLiteral(
               "A config of 'llama' cannot say that only the output of attention has a bias");
}

/// Layers that lost equally many, of which no config can tell transformers, either.
void TestSmallerModelForms::evenFolderWithLoader() {
    QFETCH(QString, fixture);
    QFETCH(bool, with_biases);
    QFETCH(QString, reason);
    const auto whole = loadFixture(fixture.toStdString());
    const HeadSet removed = lastGroups(whole->spec);
    const Cut cut{removed, with_biases ? someBiases(*whole, removed) : OutputRepairs()};
    const fs::path folder = place_ / (fixture.toStdString() + "-even-loader");
    const SavedModel saved = require(saveSmallerModel(whole, cut, folder, textsFor(*whole)));
    QCOMPARE(QString::fromStdString(saved.loader_reason), reason);
    QVERIFY(fs::exists(folder / "load_model.py"));
    QVERIFY(textAt(folder / "config.json").find("per_layer_config") != std::string::npos);
    const auto smaller = require(smallerModel(*whole, cut));
    QCOMPARE(require(loadModel(folder))->spec.kept_heads, smaller->spec.kept_heads);
}

void TestSmallerModelForms::plainFolder_data() {
    QTest::addColumn<QString>("fixture");
    for (const char* name : {"llama-gqa", "mistral-window", "qwen2",      "qwen3",
                             "gemma",     "gemma2",         "gemma3",     "phi",
                             "phi3",      "granite",        "cohere",     "glm",
                             "glm4",      "seed_oss",       "starcoder2", "olmo",
                             "arcee",     "smollm3",        "exaone4",    "ministral",
                             "nemotron",  "ernie4_5",       "vaultgemma", "cohere-qk-norm",
                             "olmo-clip"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

/// Layers that lost the same groups need nothing but the config of their family.
void TestSmallerModelForms::plainFolder() {
    QFETCH(QString, fixture);
    const auto whole = loadFixture(fixture.toStdString());
    const Cut cut{lastGroups(whole->spec), {}};
    const auto smaller = require(smallerModel(*whole, cut));
    const fs::path folder = place_ / (fixture.toStdString() + "-even");
    const SavedModel saved = require(saveSmallerModel(whole, cut, folder, textsFor(*whole)));
    QCOMPARE(saved.loader_reason, std::string());
    QVERIFY(!fs::exists(folder / "load_model.py"));
    const auto config = require(JsonDocument::parse(textAt(folder / "config.json")));
    QCOMPARE(config.root().member("num_attention_heads").whole(), smaller->spec.headsIn(0));
    QCOMPARE(config.root().member("num_key_value_heads").whole(), smaller->spec.kvHeadsIn(0));
    QCOMPARE(config.root().member("head_dim").whole(), whole->spec.d_head);
    QVERIFY(!config.root().find("per_layer_config"));
    const auto loaded = require(loadModel(folder));
    QCOMPARE(loaded->spec.n_heads, whole->spec.n_heads);
    QCOMPARE(loaded->spec.n_kv_heads, whole->spec.n_kv_heads);
    QCOMPARE(loaded->spec.kept_heads, smaller->spec.kept_heads);
    QVERIFY(difference(outputs(loaded).view(), outputs(smaller).view()).relative < 1e-6);
}

/// Heads keep the numbers that they had in the whole model.
void TestSmallerModelForms::plainFolderIsCutAgain() {
    const auto whole = loadFixture("llama-gqa");
    const fs::path first = place_ / "once";
    const HeadSet last = lastGroups(whole->spec);
    require(saveSmallerModel(whole, {last, {}}, first, textsFor(*whole)));
    const auto once = require(loadModel(first));
    HeadSet both = last;
    both.insert(both.begin(), {0, 0});
    for (const char* name : {"twice", "twice.h5"}) {
        const fs::path second = place_ / name;
        require(saveSmallerModel(once, {{{0, 0}}, {}}, second, textsFor(*whole)));
        const auto twice = require(loadModel(second));
        QCOMPARE(twice->spec.n_heads, whole->spec.n_heads);
        QCOMPARE(outputs(twice).values().size(), outputs(whole).values().size());
        QVERIFY(difference(outputs(twice).view(), outputs(whole, both).view()).relative < 5e-6);
    }
}

/// The sample is stored in two formats, and transformers gives a network one.
void TestSmallerModelForms::numbersHaveOneFormat() {
    const auto whole = loadSample("gpt2-mini-6l");
    const HeadSet removed{{1, 2}, {3, 0}};
    const fs::path narrow = place_ / "narrow";
    const fs::path wide = place_ / "wide";
    const auto plain = require(saveSmallerModel(whole, {removed, {}}, narrow, textsFor(*whole)));
    const auto repaired = require(
        saveSmallerModel(whole, {removed, someBiases(*whole, removed)}, wide, textsFor(*whole)));
    QVERIFY(textAt(narrow / "config.json").find("\"float16\"") != std::string::npos);
    QVERIFY(textAt(wide / "config.json").find("\"float32\"") != std::string::npos);
    QVERIFY(static_cast<double>(repaired.bytes) > 1.7 * static_cast<double>(plain.bytes));
}

void TestSmallerModelForms::gguf_data() {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<bool>("with_biases");
    for (const char* name : {"llama-gqa", "llama-mqa-headdim", "llama3-rope"})
        for (const bool with_biases : {false, true})
            QTest::addRow("%s%s", name, with_biases ? ", biases" : "")
                << QString::fromLatin1(name) << with_biases;
}

void TestSmallerModelForms::gguf() {
    QFETCH(QString, fixture);
    QFETCH(bool, with_biases);
    const auto whole = loadFixture(fixture.toStdString());
    const HeadSet removed =
        whole->spec.n_kv_heads > 1 ? firstLayerAndGroups(whole->spec) : HeadSet{{0, 0}, {1, 1}};
    const Cut cut{removed, with_biases ? someBiases(*whole, removed) : OutputRepairs()};
    const fs::path file = place_ / (fixture.toStdString() + (with_biases ? "-b" : "") + ".gguf");
    const SavedModel saved = require(saveSmallerModel(whole, cut, file, textsFor(*whole)));
    QCOMPARE(saved.loader_reason, std::string());
    const auto loaded = require(loadModel(file));
    const auto smaller = require(smallerModel(*whole, cut));
    QCOMPARE(loaded->spec.kept_heads, smaller->spec.kept_heads);
    QCOMPARE(loaded->spec.n_kv_heads, whole->spec.n_kv_heads);
    QVERIFY(difference(outputs(loaded).view(), outputs(smaller).view()).relative < 1e-6);
}

void TestSmallerModelForms::sizesArePredicted_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("name");
    QTest::newRow("folder") << "gpt2-mini-6l"
                            << "smaller";
    QTest::newRow("GGUF") << "llama-mini-gqa-4l"
                          << "smaller.gguf";
}

void TestSmallerModelForms::sizesArePredicted() {
    QFETCH(QString, sample);
    QFETCH(QString, name);
    const auto whole = loadSample(sample.toStdString());
    const auto saved = require(saveSmallerModel(whole, {firstLayerAndGroups(whole->spec), {}},
                                                place_ / name.toStdString(), textsFor(*whole)));
    const double share =
        static_cast<double>(saved.predicted_bytes) / static_cast<double>(saved.bytes);
    QVERIFY2(std::abs(share - 1.0) < 0.01, qPrintable(QString::number(share)));
}

void TestSmallerModelForms::formsByName() {
    QCOMPARE(require(smallerModelForm("a/b.h5")), ModelForm::Hdf5);
    QCOMPARE(require(smallerModelForm("b.hdf5")), ModelForm::Hdf5);
    QCOMPARE(require(smallerModelForm("b.gguf")), ModelForm::Gguf);
    QCOMPARE(require(smallerModelForm("a.d/b")), ModelForm::HuggingFace);
    QCOMPARE(smallerModelForm("x/b.safetensors").error().message,
             std::string("A smaller model is written as .h5, as .gguf, or as a folder for "
                         "transformers, whose name has no extension, not as b.safetensors."));
}

void TestSmallerModelForms::refusals_data() {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("says");
    QTest::newRow("slopes by the number of heads")
        << "bloom"
        << "out"
        << "where the family 'bloom' does not compute the same";
    QTest::newRow("no form in transformers") << "hooked-grouped"
                                             << "out"
                                             << "where the family 'hooked_transformer' does not";
    QTest::newRow("no GGUF for its layers") << "gpt2"
                                            << "out.gguf"
                                            << "for Llama's network only, not for 'gpt2'";
    QTest::newRow("never written as GGUF") << "gptj"
                                           << "out.gguf"
                                           << "no models of the family";
    QTest::newRow("groups that differ") << "llama-gqa"
                                        << "out.gguf"
                                        << "key-value heads are read by different numbers";
}

void TestSmallerModelForms::refusals() {
    QFETCH(QString, fixture);
    QFETCH(QString, name);
    QFETCH(QString, says);
    const Workplace place;
    const auto whole = loadFixture(fixture.toStdString());
    const auto saved = saveSmallerModel(whole, {firstLayerAndOneMore(whole->spec), {}},
                                        place / name.toStdString(), textsFor(*whole));
    QVERIFY(!saved);
    QVERIFY2(QString::fromStdString(saved.error().message).contains(says),
             saved.error().message.c_str());
    QVERIFY(place.isEmpty());
}

void TestSmallerModelForms::existingFolderStays() {
    const auto whole = loadFixture("gpt2");
    const fs::path folder = place_ / "mine";
    fs::create_directories(folder);
    QVERIFY(writeFileAtomically(folder / "notes", "mine"));
    const auto saved = saveSmallerModel(whole, {{{0, 0}}, {}}, folder, textsFor(*whole));
    QVERIFY(!saved);
    QCOMPARE(textAt(folder / "notes"), std::string("mine"));
}

/// Other programs that write this architecture do not say which heads are left.
/// What llama.cpp reads of a smaller model says how many heads there are, but not which.
void TestSmallerModelForms::deciWithoutOurKeys() {
    const auto whole = loadFixture("llama-gqa");
    const Cut cut{lastGroups(whole->spec), {}};
    const fs::path file = place_ / "stranger.gguf";
    require(saveSmallerModel(whole, cut, file, textsFor(*whole)));
    const std::string bytes = replaceAll(textAt(file), "deci.headscope.", "deci.otherscope");
    QVERIFY(writeFileAtomically(file, bytes));
    const auto loaded = require(loadModel(file));
    const auto smaller = require(smallerModel(*whole, cut));
    QCOMPARE(loaded->spec.n_heads, smaller->spec.headsIn(0));
    QVERIFY(loaded->spec.kept_heads.empty());
    QVERIFY(difference(outputs(loaded).view(), outputs(smaller).view()).relative < 1e-6);
}

const headscope::test::TestRegistration<TestSmallerModelForms> registration;

} // namespace test_smaller_model_forms

#include "test_smaller_model_forms.moc"
