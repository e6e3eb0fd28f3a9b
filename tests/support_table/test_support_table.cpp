#include "core/engine/engine.h"
#include "core/export/convert_model.h"
#include "core/loading/load_model.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"
#include "tests/support_table/file_kinds.h"

#include <QFile>
#include <QTest>

#include <array>
#include <set>

namespace test_support_table {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr double kLogitTolerance = 1e-4; ///< relative to the largest logit

/// Absolute. GPT-Neo does not scale its scores by 1/sqrt(d_head), and rounding in scores that large
/// puts two float32 implementations further apart (Hugging Face's is 7e-6 from float64).
double patternTolerance(const ModelSpec& spec) {
    return spec.family == "gpt_neo" ? 2e-5 : 1e-5;
}

/// The fixtures of tests/data/fixtures whose references Hugging Face computed, by name.
std::vector<std::string> fixtures() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(HEADSCOPE_TEST_DATA "/fixtures")) {
        const std::string file = entry.path().filename().string();
        const std::size_t end = file.find(".reference.h5");
        if (end == std::string::npos)
            continue;
        const std::string name = file.substr(0, end);
        const ReferenceFile reference(entry.path());
        if (reference.has("logits") && reference.has("attentions"))
            names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

bool patternsDiffer(const Run& run, LayerHead head, const Tensor& expected) {
    const double tolerance = patternTolerance(run.model->spec);
    const Tensor pattern = run.pattern(head);
    for (std::size_t q = 0; q < run.positions(); ++q)
        for (std::size_t k = 0; k < run.positions(); ++k)
            if (std::abs(pattern(q, k) - expected(head.layer, head.head, q, k)) > tolerance)
                return true;
    return false;
}

/// Empty when the model computes the logits and patterns of a reference; else what differs.
std::string deviation(const std::shared_ptr<const Model>& model,
                      const std::filesystem::path& path) {
    const ReferenceFile reference(path);
    const auto run = require(runModel(model, reference.ids("input_ids")));
    if (!reference.has("logits") && !reference.has("attentions"))
        return "there is nothing to compare with";
    if (reference.has("logits")) {
        const Difference logits = difference(run->logits.view(), reference.floats("logits").view());
        if (logits.relative > kLogitTolerance)
            return "logits differ by " + std::to_string(logits.relative);
    }
    if (!reference.has("attentions"))
        return "";
    const Tensor expected = reference.floats("attentions");
    for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer)
        for (std::size_t head = 0; head < model->spec.n_heads; ++head)
            if (patternsDiffer(*run, {layer, head}, expected))
                return "the pattern of head " + std::to_string(layer) + "." + std::to_string(head) +
                       " differs";
    return "";
}

} // namespace

const std::string kWrittenGguf = "GGUF (written)";

/// Opens every family from every kind of file in every precision, and compares what passed with the
/// table of resources/models.md. HEADSCOPE_UPDATE_MODELS=1 writes the table instead.
class TestSupportTable : public QObject {
    Q_OBJECT

private slots:
    void writtenFiles_data();
    void writtenFiles();
    void recordedFiles_data();
    void recordedFiles();
    void modelsPageSaysWhatPassed();

private:
    /// Family, kind of file and precision.
    using Cell = std::array<std::string, 3>;

    void note(const Cell& cell, const std::string& failure) {
        (failure.empty() ? passed_ : failed_).insert(cell);
    }
    /// Writes a model as GGUF, unless that is refused, and reads it again.
    void noteAsGguf(const std::filesystem::path& model, const std::string& family,
                    const std::filesystem::path& reference);
    /// The precisions that passed, with a space before each.
    std::string cell(const std::string& family, const std::string& kind) const;
    std::string sentence() const;
    std::string table() const;

    std::set<Cell> passed_; ///< by at least one fixture of the family
    std::set<Cell> failed_;
    std::set<std::string> families_;
};

void TestSupportTable::writtenFiles_data() {
    QTest::addColumn<QString>("fixture");
    for (const std::string& fixture : fixtures())
        QTest::newRow(fixture.c_str()) << QString::fromStdString(fixture);
}

void TestSupportTable::writtenFiles() {
    QFETCH(QString, fixture);
    const std::string name = fixture.toStdString();
    ModelVariant original(name);
    ModelVariant exact(name);
    makeExact(exact);
    const auto expected = exact.loaded();
    const std::string family = expected->spec.family;
    families_.insert(family);
    for (const FileKind& kind : writtenKinds())
        for (const Precision precision : kPrecisions) {
            const bool full = precision == Precision::Float32;
            const QTemporaryDir folder;
            const auto path =
                kind.write(folder.path().toStdString(), full ? original : exact, precision);
            const auto model = loadModel(path);
            std::string failure = model ? "" : model.error().message;
            if (model && full)
                failure = deviation(*model, fixtureReference(name));
            else if (model && !sameWeights(**model, *expected))
                failure = "the weights are not those that were written";
            note({family, kind.name, precisionName(precision)}, failure);
            QVERIFY2(failure.empty(),
                     (kind.name + ", " + precisionName(precision) + ": " + failure).c_str());
        }
    noteAsGguf(original.write(), family, fixtureReference(name));
}

void TestSupportTable::noteAsGguf(const std::filesystem::path& model, const std::string& family,
                                  const std::filesystem::path& reference) {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath(QStringLiteral("w.gguf")).toStdString();
    const auto converted = convertByName(model, path, GgufFormat::Float32);
    if (!converted && converted.error().code == ErrorCode::Unsupported)
        return;
    std::string failure = converted ? "" : converted.error().message;
    if (converted)
        failure = deviation(require(loadModel(path)), reference);
    note({family, kWrittenGguf, precisionName(Precision::Float32)}, failure);
    QVERIFY2(failure.empty(), (kWrittenGguf + ": " + failure).c_str());
}

void TestSupportTable::recordedFiles_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("precision");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("reference");
    for (const RecordedKind& kind : recordedKinds())
        for (const RecordedModel& model : recordedModels(kind))
            QTest::addRow("%s %s", kind.name.c_str(), model.path.filename().c_str())
                << QString::fromStdString(kind.name)
                << QString::fromStdString(precisionName(kind.precision))
                << QString::fromStdString(model.path.string())
                << QString::fromStdString(model.reference.string());
}

void TestSupportTable::recordedFiles() {
    QFETCH(QString, kind);
    QFETCH(QString, precision);
    QFETCH(QString, path);
    QFETCH(QString, reference);
    const auto model = require(loadModel(path.toStdString()));
    const std::string failure = deviation(model, reference.toStdString());
    families_.insert(model->spec.family);
    note({model->spec.family, kind.toStdString(), precision.toStdString()}, failure);
    QVERIFY2(failure.empty(), failure.c_str());
    noteAsGguf(path.toStdString(), model->spec.family, reference.toStdString());
}

std::string TestSupportTable::cell(const std::string& family, const std::string& kind) const {
    std::string text;
    for (const Precision precision : kPrecisions) {
        const Cell asked{family, kind, precisionName(precision)};
        if (passed_.contains(asked) && !failed_.contains(asked))
            text += " " + precisionName(precision);
    }
    return text;
}

/// Says once what passed for nearly every family: that it opens from each kind of file that any
/// model can be written as. Names the families of which that is not true, with what passed.
std::string TestSupportTable::sentence() const {
    std::string kinds;
    std::string exceptions;
    const std::vector<FileKind> written = writtenKinds();
    for (const FileKind& kind : written) {
        const bool last = kind.name == written.back().name;
        kinds += kinds.empty() ? kind.name : (last ? " and " : ", ") + kind.name;
        for (const std::string& family : families_)
            if (const std::string passed = cell(family, kind.name); passed != " f32 f16 bf16")
                exceptions += "\n" + family + " from " + kind.name + ":" + passed;
    }
    return "Every family of the table opens from " + kinds + ", each in f32, f16 and bf16" +
           (exceptions.empty() ? "." : ", except:" + exceptions) + "\n\n";
}

std::string TestSupportTable::table() const {
    std::vector<std::string> kinds;
    for (const RecordedKind& kind : recordedKinds())
        kinds.push_back(kind.name);
    kinds.push_back(kWrittenGguf);
    std::string text = sentence() + "| family |";
    std::string rule = "|---|";
    for (const std::string& kind : kinds) {
        text += " " + kind + " |";
        rule += "---|";
    }
    text += "\n" + rule + "\n";
    for (const std::string& family : families_) {
        text += "| " + family + " |";
        for (const std::string& kind : kinds)
            text += cell(family, kind) + " |";
        text += "\n";
    }
    return text;
}

void TestSupportTable::modelsPageSaysWhatPassed() {
    const QByteArray begin = "<!-- support table: written by test_support_table -->\n";
    const QByteArray end = "<!-- end of the support table -->\n";
    QFile page(QStringLiteral(HEADSCOPE_MODELS_PAGE));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QByteArray text = page.readAll();
    page.close();
    const qsizetype first = text.indexOf(begin) + begin.size();
    const qsizetype last = text.indexOf(end);
    QVERIFY2(first >= begin.size() && last >= first,
             "resources/models.md lacks the marks of the table");
    const QByteArray current = QByteArray::fromStdString(table());
    if (qEnvironmentVariableIsSet("HEADSCOPE_UPDATE_MODELS")) {
        QVERIFY(page.open(QIODevice::WriteOnly));
        page.write(text.first(first) + current + text.sliced(last));
        return;
    }
    QVERIFY2(text.sliced(first, last - first) == current,
             "the table of resources/models.md is not what passed; write it again with "
             "HEADSCOPE_UPDATE_MODELS=1");
}

const headscope::test::TestRegistration<TestSupportTable> registration;

} // namespace test_support_table

#include "test_support_table.moc"
