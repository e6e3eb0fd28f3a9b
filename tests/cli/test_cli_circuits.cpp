#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_cli_circuits {

using namespace headscope::test;

namespace {

CliResult circuits(const std::string& model, const Arguments& more) {
    return runCli(Arguments{"circuits", sampleModel(model)} + more);
}

CliResult gpt2(const Arguments& more) {
    return circuits("gpt2-mini-6l.h5", more);
}

} // namespace

class TestCliCircuits : public QObject {
    Q_OBJECT

private slots:
    void compositionListsTheStrongestEdges() {
        const CliResult result = gpt2({"--composition", "--top", "3", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(json["edges"].size(), 3u);
        QVERIFY(json["edges"][0]["kind"] == "V");
        const nlohmann::json from = {{"head", 1}, {"layer", 2}};
        QVERIFY(json["edges"][0]["from"] == from);
        QVERIFY(std::abs(json["edges"][0]["score"].get<double>() - 0.5283524) < 1e-5);
        QVERIFY(json["provenance"]["model_name"] == "gpt2-mini-6l");
        QVERIFY(contains(json["provenance"]["note"].get<std::string>(), "Folded: LayerNorm"));
    }

    void oneKindAlone() {
        const CliResult result = gpt2({"--composition", "--kind", "k", "--top", "5", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json edges = result.json()["edges"];
        QCOMPARE(edges.size(), 5u);
        QVERIFY(std::ranges::all_of(edges, [](const auto& edge) { return edge["kind"] == "K"; }));
        QCOMPARE(gpt2({"--copying", "--kind", "k"}).exit_code, 2);
        QCOMPARE(gpt2({"--composition", "--kind", "x"}).exit_code, 2);
    }

    void rotaryModelsNeedAnOffset() {
        const CliResult without = circuits("llama-mini-gqa-4l.h5", {"--composition"});
        QVERIFY2(without.exit_code == 0, without.err.c_str());
        QVERIFY(contains(without.out, "not defined without an offset"));
        const CliResult with =
            circuits("llama-mini-gqa-4l.h5", {"--composition", "--offset", "1", "--csv"});
        QVERIFY2(with.exit_code == 0, with.err.c_str());
        QVERIFY(contains(with.out, "\nK,1.6,2.4,0.1899"));
        const CliResult beyond =
            circuits("llama-mini-gqa-4l.h5", {"--composition", "--offset", "256"});
        QVERIFY(failedWithOneSentence(beyond, 1));
    }

    void copyingListsTheHighestHeads() {
        const CliResult result = gpt2({"--copying", "--top", "48", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(json["heads"].size(), 48u);
        QVERIFY(json["heads"][0]["layer"] == 0 && json["heads"][0]["head"] == 6);
        QVERIFY(std::abs(json["heads"][0]["score"].get<double>() - 0.9210401) < 1e-4);
        QCOMPARE(json["heads"][0]["eigenvalues"].size(), 32u);
        QVERIFY(json["sample"]["rows"] == 1000);
        QVERIFY(std::ranges::is_sorted(json["heads"], std::greater<>(),
                                       [](const auto& head) { return head["score"]; }));
        const CliResult table = gpt2({"--copying"});
        for (const char* word : {"gpt2-mini-6l", "1000 tokens drawn with seed 0 of 4096", "0.921"})
            QVERIFY2(contains(table.out, word), word);
    }

    void directionsNameTokens() {
        const CliResult result = gpt2({"--ov", "4.1", "--top", "2", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(json["directions"].size(), 2u);
        QVERIFY(json["directions"][0]["reads"][0]["token"] == 2557);
        QVERIFY(json["directions"][0]["reads"][0]["piece"].is_string());
        const CliResult csv = gpt2({"--ov", "4.1", "--top", "2", "--csv"});
        QCOMPARE(std::ranges::count(csv.out, '\n'), 1 + 2 * 2 * 8);
    }

    void fileHoldsWhatWouldBePrinted() {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString() + "/edges.csv";
        const CliResult result = gpt2({"--composition", "-o", path});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QCOMPARE(readFile(path), gpt2({"--composition", "--csv"}).out);
    }

    void failures_data() {
        QTest::addColumn<std::string>("model");
        QTest::addColumn<Arguments>("arguments");
        QTest::addColumn<int>("exit_code");
        QTest::addColumn<std::string>("named");
        const std::string gpt2_file = "gpt2-mini-6l.h5";
        QTest::newRow("nothing asked") << gpt2_file << Arguments{} << 2 << std::string("--copying");
        QTest::newRow("two things") << gpt2_file << Arguments{"--copying", "--composition"} << 2
                                    << std::string("exactly one");
        QTest::newRow("offset of nothing") << gpt2_file << Arguments{"--copying", "--offset", "1"}
                                           << 2 << std::string("--offset belongs to --composition");
        QTest::newRow("no rows") << gpt2_file << Arguments{"--copying", "--top", "0"} << 2
                                 << std::string("--top");
        QTest::newRow("no such head")
            << gpt2_file << Arguments{"--ov", "9.9"} << 1 << std::string("9.9");
        QTest::newRow("no logits") << std::string("notebook.h5") << Arguments{"--copying"} << 1
                                   << std::string("no unembedding");
    }
    void failures() {
        QFETCH(std::string, model);
        QFETCH(Arguments, arguments);
        QFETCH(int, exit_code);
        QFETCH(std::string, named);
        const CliResult result = circuits(model, arguments);
        QVERIFY2(failedWithOneSentence(result, exit_code), result.err.c_str());
        QVERIFY2(contains(result.err, named), result.err.c_str());
    }
};

const headscope::test::TestRegistration<TestCliCircuits> registration;

} // namespace test_cli_circuits

#include "test_cli_circuits.moc"
