#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_cli_info {

using namespace headscope::test;

class TestCliInfo : public QObject {
    Q_OBJECT

private slots:
    void jsonTellsShapeMemoryAndSources() {
        const CliResult result = runCli({"info", sampleModel("llama-mini-gqa-4l.h5"), "--json"});
        QCOMPARE(result.exit_code, 0);
        QVERIFY(result.err.empty());
        const nlohmann::json info = result.json();
        QVERIFY(info["name"] == "llama-mini-gqa-4l");
        QCOMPARE(info["sha256"].get<std::string>().size(), 64u);
        QVERIFY(info["spec"]["family"] == "llama");
        QVERIFY(info["spec"]["n_layers"] == 4);
        QVERIFY(info["spec"]["causal"] == true);
        QVERIFY(info["card"]["kv_bytes_per_token"] < info["card"]["mha_kv_bytes_per_token"]);
        QVERIFY(info["card"]["matrices"].size() >= 6);
        QVERIFY(info["load_report"]["used"].size() > 20);
        QVERIFY(info["load_report"]["weight_bytes"].get<std::size_t>() >=
                2 * info["card"]["parameters"].get<std::size_t>());
        QVERIFY(!info["load_report"]["tokenizer_source"].get<std::string>().empty());
        QVERIFY(info["bos"]["added"].is_boolean());
        QVERIFY(!info["bos"]["reason"].get<std::string>().empty());
    }

    void jsonIsTheSameEveryTime() {
        const Arguments arguments{"info", sampleModel("microgpt.h5"), "--json"};
        QCOMPARE(runCli(arguments).out, runCli(arguments).out);
    }

    void textNamesTheEssentials() {
        const CliResult result = runCli({"info", sampleModel("bert-mini-4l.h5")});
        QCOMPARE(result.exit_code, 0);
        for (const char* word : {"bert-mini-4l", "architecture", "parameters", "KV cache", "BOS",
                                 "tokenizer", "sha256", "matrix", "tensors used"})
            QVERIFY2(contains(result.out, word), word);
    }

    /// A network without positions that cannot be run has no longest prompt.
    void weightsAlone() {
        const std::string odd = HEADSCOPE_TEST_DATA "/keras/odd.keras";
        const CliResult text = runCli({"info", odd});
        QVERIFY2(text.exit_code == 0, text.err.c_str());
        QVERIFY2(contains(text.out, "cannot be run"), text.out.c_str());
        QVERIFY2(!contains(text.out, "full context"), text.out.c_str());
        const nlohmann::json info = runCli({"info", odd, "--json"}).json();
        QVERIFY(info["spec"]["n_ctx"].is_null());
        QVERIFY(info["card"]["run_bytes_full_context"].is_null());
        QVERIFY(info["card"]["kv_bytes_full_context"].is_null());
    }
};

const headscope::test::TestRegistration<TestCliInfo> registration;

} // namespace test_cli_info

#include "test_cli_info.moc"
