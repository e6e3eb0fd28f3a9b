#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <string>

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
        QVERIFY(info["provenance"]["model_sha256"] == info["sha256"]);
    }

    void csvHasARowPerTensor() {
        const std::string model = fixture("hooked-grouped.h5");
        const CliResult result = runCli({"info", model, "--csv"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.out.starts_with(
            "role,tensor,shape,type,transform,ignored,model,model_sha256,app_version\n"
            "embed.W_E,embed.W_E,"));
        QVERIFY2(contains(result.out, "\n,blocks.0.attn.IGNORE,,,,a constant of the causal mask,"),
                 result.out.c_str());
        const nlohmann::json report = runCli({"info", model, "--json"}).json()["load_report"];
        QCOMPARE(static_cast<std::size_t>(std::ranges::count(result.out, '\n')),
                 1 + report["used"].size() + report["ignored"].size());
        const nlohmann::json first = report["used"][0];
        QVERIFY2(contains(result.out, "\nembed.W_E,embed.W_E," +
                                          std::to_string(first["shape"][0].get<int>()) + " " +
                                          std::to_string(first["shape"][1].get<int>()) + "," +
                                          first["type"].get<std::string>() + "," +
                                          first["transform"].get<std::string>() + ",,hooked-"),
                 result.out.c_str());
    }

    void fileHoldsWhatWouldBePrinted() {
        const QTemporaryDir folder;
        for (const std::string format : {"csv", "json"}) {
            const std::string path = folder.path().toStdString() + "/info." + format;
            const Arguments info{"info", sampleModel("microgpt.h5")};
            const CliResult result = runCli(info + Arguments{"-o", path});
            QVERIFY2(result.exit_code == 0, result.err.c_str());
            QCOMPARE(result.out, "wrote " + path + "\n");
            QCOMPARE(readFile(path), runCli(info + Arguments{"--" + format}).out);
        }
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

    /// Layers that are alike are one row; what was not read is a table of its own.
    void textCountsTensors() {
        const CliResult all = runCli({"info", sampleModel("gpt2-mini-6l.h5")});
        for (const char* part :
             {"\n\nmatrix              shape        parameters  count\n",
              "\nblocks.*.mlp.W_in   [256, 1024]  262144      6\n",
              "\n\n76 tensors used, none ignored:\n\nrole  ",
              "\nblocks.*.attn.b_O    transformer.h.*.attn.c_proj.bias    [256]        float16  "
              "as stored  6\n",
              "\n\nnote: 6 weight matrices are square"})
            QVERIFY2(contains(all.out, part), part);
        QVERIFY(!contains(all.out, "reason"));
        const CliResult some = runCli({"info", HEADSCOPE_TEST_DATA "/keras/odd.keras"});
        for (const char* part : {"\n\n16 tensors used:\n\nrole  ",
                                 "\n\n5 tensors ignored:\n\ntensor                   reason\n"
                                 "layers.dense.vars.0      no part of this network\n"})
            QVERIFY2(contains(some.out, part), part);
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
        const std::string reason = info["spec"]["cannot_run"];
        const std::size_t first = text.out.find(reason);
        QVERIFY(first != std::string::npos);
        QCOMPARE(text.out.find(reason, first + 1), std::string::npos); // not as a note, too
    }

    /// The same reason wherever the model would have to run.
    void commandsThatRun_data() {
        QTest::addColumn<QString>("command");
        for (const char* command : {"run --ids 1,2", "bench", "prune"})
            QTest::newRow(command) << QString::fromLatin1(command);
    }
    void commandsThatRun() {
        QFETCH(QString, command);
        const std::string odd = HEADSCOPE_TEST_DATA "/keras/odd.keras";
        QStringList words = command.split(u' ');
        Arguments asked{words.takeFirst().toStdString(), odd};
        for (const QString& word : words)
            asked.push_back(word.toStdString());
        const CliResult result = runCli(asked);
        QVERIFY(failedWithOneSentence(result, 1));
        const nlohmann::json info = runCli({"info", odd, "--json"}).json();
        QCOMPARE(result.err,
                 "headscope-cli: " + info["spec"]["cannot_run"].get<std::string>() + "\n");
    }
};

const headscope::test::TestRegistration<TestCliInfo> registration;

} // namespace test_cli_info

#include "test_cli_info.moc"
