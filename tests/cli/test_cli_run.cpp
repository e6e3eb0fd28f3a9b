#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

namespace test_cli_run {

using namespace headscope;
using namespace headscope::test;

namespace {

Tensor tensorOf(const NpyArray& array) {
    Tensor tensor(array.shape);
    std::ranges::copy(array.floats(), tensor.data());
    return tensor;
}

/// Index `i` of the first axis.
Tensor slice(const Tensor& tensor, std::size_t i) {
    Tensor part(Shape(tensor.shape().begin() + 1, tensor.shape().end()));
    std::copy_n(tensor.data() + i * part.size(), part.size(), part.data());
    return part;
}

} // namespace

class TestCliRun : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string file(const std::string& name) const {
        return folder_.path().toStdString() + "/" + name;
    }

    CliResult run(const std::string& model, const TokenIds& ids, const Arguments& more) const {
        return runCli(Arguments{"run", model, "--ids", idsText(ids), "--bos", "no"} + more);
    }

private slots:
    void npzHoldsTheReferencesNumbers_data() {
        QTest::addColumn<std::string>("name");
        for (const char* name : {"gpt2", "llama-gqa", "llama-mqa-headdim", "bert"})
            QTest::newRow(name) << std::string(name);
    }
    void npzHoldsTheReferencesNumbers() {
        QFETCH(std::string, name);
        const ReferenceFile reference(fixture(name + ".reference.h5"));
        const TokenIds ids = reference.ids("input_ids");
        const CliResult result = run(fixture(name + ".h5"), ids, {"-o", file(name + ".npz")});
        QVERIFY2(result.exit_code == 0, result.err.c_str());

        const auto members = readNpz(file(name + ".npz"));
        QCOMPARE(members.at("input_ids").array.integers(), ids);
        const Tensor logits = tensorOf(members.at("logits").array);
        QVERIFY(difference(logits.view(), reference.floats("logits").view()).relative <= 1e-4);
        const Tensor attentions = reference.floats("attentions");
        for (std::size_t layer = 0; layer < attentions.dim(0); ++layer) {
            const std::string hook = "blocks." + std::to_string(layer) + ".attn.hook_pattern";
            const Tensor found = tensorOf(members.at(hook).array);
            const Tensor expected = slice(attentions, layer);
            QVERIFY(difference(found.view(), expected.view()).absolute <= 1e-5);
        }
        QVERIFY(members.contains("blocks.0.hook_resid_post") ||
                members.contains("blocks.0.hook_normalized_resid_post"));
        QVERIFY(members.contains("provenance"));
    }

    void hooksChooseWhatIsWritten() {
        const CliResult result = run(sampleModel("microgpt.h5"), {1, 2, 3},
                                     {"--hooks", "*hook_z,hook_embed", "-o", file("z.npz")});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        std::vector<std::string> names;
        for (const auto& [name, member] : readNpz(file("z.npz")))
            names.push_back(name);
        QCOMPARE(names, (std::vector<std::string>{"blocks.0.attn.hook_z", "hook_embed", "input_ids",
                                                  "logits", "provenance"}));
    }

    void logitsMayBeNamedAmongThem() {
        const CliResult result = run(sampleModel("microgpt.h5"), {1, 2, 3},
                                     {"--hooks", "logits", "-o", file("logits.npz")});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(readNpz(file("logits.npz")).contains("logits"));
        const CliResult none =
            runCli({"run", sampleModel("notebook.h5"), "--ids", "1,2", "--hooks", "logits"});
        QVERIFY2(failedWithOneSentence(none, 1), none.err.c_str());
        QVERIFY(contains(none.err, "has no unembedding"));
    }

    void ablationGivesTheReferencesLogits() {
        const ReferenceFile reference(fixture("gpt2.reference.h5"));
        const CliResult result = run(fixture("gpt2.h5"), reference.ids("input_ids"),
                                     {"--ablate", "1.2", "-o", file("ablated.npz"), "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const auto members = readNpz(file("ablated.npz"));
        const Tensor expected = slice(slice(reference.floats("ablated_logits"), 1), 2);
        const Tensor found = tensorOf(members.at("logits").array);
        QVERIFY(difference(found.view(), expected.view()).relative <= 1e-4);

        // The captured z is what went on: zero for the head that is off, [position, head, d_head].
        const Tensor z = tensorOf(members.at("blocks.1.attn.hook_z").array);
        QCOMPARE(z(5, 2, 3), 0.0f);
        QVERIFY(z(5, 1, 3) != 0.0f);

        const nlohmann::json summary = result.json();
        QVERIFY(summary["ablation"] == "zero: 1.2");
        QVERIFY(summary["audit"][0]["editor"] == true);
        QVERIFY(summary["audit"][0]["changed_elements"] > 0);
        QVERIFY(members.at("provenance").array.text().find(U"zero: 1.2") != std::u32string::npos);
    }

    void meanAblationIsNamed() {
        const CliResult result = run(sampleModel("microgpt.h5"), {1, 2, 3},
                                     {"--ablate", "0.0,0.1", "--ablation", "mean", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.json()["ablation"] == "mean: 0.0 0.1");
    }

    void summaryTellsLossAndPredictions() {
        const ReferenceFile reference(fixture("gpt2.reference.h5"));
        const CliResult result = run(fixture("gpt2.h5"), reference.ids("input_ids"), {"--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json summary = result.json();
        // transformers' own loss, kept as an attribute of the reference file
        QVERIFY(std::abs(summary["loss"].get<double>() - 6.8621506690979) < 1e-4);
        QCOMPARE(summary["tokens"].size(), 29u);

        const Tensor logits = reference.floats("logits");
        const float* last = &logits.matrix()(28, 0);
        QCOMPARE(summary["predictions"].size(), 5u);
        QCOMPARE(summary["predictions"][0]["id"].get<long>(),
                 std::max_element(last, last + 97) - last);
        QVERIFY(summary["predictions"][0]["position"] == 28);
    }

    void anEncoderHasNoNextTokenLoss() {
        const ReferenceFile reference(fixture("bert.reference.h5"));
        const CliResult result = run(fixture("bert.h5"), reference.ids("input_ids"), {"--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.json()["loss"].is_null());
    }

    void aNetworkWithoutVocabularyRuns() {
        const CliResult result =
            run(sampleModel("notebook.h5"), {0, 1, 2}, {"-o", file("n.npz"), "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.json()["predictions"].empty());
        QVERIFY(!readNpz(file("n.npz")).contains("logits"));
    }

    void sameRunGivesTheSameBytesEverywhere_data() {
        QTest::addColumn<std::string>("extension");
        for (const char* extension : {".npz", ".h5", ".csv", ".json"})
            QTest::newRow(extension) << std::string(extension);
    }
    void sameRunGivesTheSameBytesEverywhere() {
        QFETCH(std::string, extension);
        const std::string model = sampleModel("microgpt.h5");
        const CliResult first = run(model, {1, 2, 3}, {"-o", file("1" + extension), "--json"});
        const CliResult second = run(model, {1, 2, 3}, {"-o", file("2" + extension), "--json"});
        QVERIFY2(first.exit_code == 0, first.err.c_str());
        QCOMPARE(first.out, second.out);
        QCOMPARE(readFile(file("1" + extension)), readFile(file("2" + extension)));
    }

    void textNamesTheFile() {
        const CliResult result =
            runCli({"run", sampleModel("gpt2-mini-6l.h5"), "--text", "Once upon a time", "-o",
                    file("t.npz"), "--hooks", "*hook_pattern"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(contains(result.out, "·upon"));
        QVERIFY(contains(result.out, "loss"));
        QVERIFY(contains(result.out, "fired 6 ×"));
        QVERIFY(contains(result.out, "wrote " + file("t.npz")));
        QVERIFY(result.err.empty());
    }
};

const headscope::test::TestRegistration<TestCliRun> registration;

} // namespace test_cli_run

#include "test_cli_run.moc"
