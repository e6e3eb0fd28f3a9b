#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace test_cli_why {

using namespace headscope::test;

namespace {

CliResult why(const Arguments& more, const std::string& model = "induction-circuit.h5",
              const std::string& text = "a b c d a b c") {
    return runCli(Arguments{"why", sampleModel(model), "--text", text} + more);
}

bool near(const nlohmann::json& found, double expected) {
    return std::abs(found.get<double>() - expected) < 1e-2;
}

} // namespace

class TestCliWhy : public QObject {
    Q_OBJECT

private slots:
    void partsAddUpToTheDifference() {
        const CliResult result = why({"--head", "1.0", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(json["query"].get<int>(), 7); // the last
        QCOMPARE(json["key"].get<int>(), 4);   // the strongest
        QVERIFY(near(json["difference"], 112.0));
        double sum = 0.0;
        for (const nlohmann::json& part : json["parts"])
            sum += part["value"].get<double>();
        QVERIFY(near(sum, 112.0));
        QVERIFY(json["key_parts"][0]["part"] == "head 0.0");
        QVERIFY(near(json["key_parts"][0]["value"], 448.0));
        QVERIFY(json["provenance"]["model_name"] == "induction-circuit");
    }

    void saysItInWords() {
        const CliResult result = why({"--head", "1.0"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY2(result.out.find("112.00 above the other keys") != std::string::npos,
                 result.out.c_str());
        QVERIFY(result.out.find("head 0.0 (400 %) wrote where the key is") != std::string::npos);
    }

    void takesADirectionAway() {
        const CliResult result = why({"--head", "1.0", "--remove", "key:direction 1", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QVERIFY(json["part"] == "direction 1");
        QVERIFY(json["readings"][0]["score"] != json["readings"][2]["score"]);
        QVERIFY(near(json["readings"][1]["score"], json["readings"][2]["score"].get<double>()));
        QCOMPARE(why({"--head", "1.0", "--remove", "key:direction 9"}).exit_code, 1);
    }

    void writesTheGraph() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("why.graphml")).toStdString();
        const CliResult result = why({"--head", "1.0", "--trace", "--graphml", path});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY(text.contains(">head 0.0 at 4 d</data>"));
        QCOMPARE(text.count("<edge "), 7);
        QCOMPARE(why({"--head", "1.0", "--graphml", path}).exit_code, 2);
    }

    void tracesBack() {
        const CliResult result = why({"--head", "1.0", "--trace", "--csv"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.out.starts_with("from,from_position,to,to_position,side,value,share,"));
        QVERIFY2(result.out.find("head 0.0,4,head 1.0,7,key,448") != std::string::npos,
                 result.out.c_str());
        QVERIFY(result.out.find("embedding,3,head 0.0,4,value,") != std::string::npos);
        const CliResult logit =
            why({"--token", " Mary", "--against-token", " John", "--trace", "--json"},
                "gpt2-mini-6l.h5", "When Mary and John went to the store, John gave a drink to");
        QVERIFY2(logit.exit_code == 0, logit.err.c_str());
        QVERIFY(near(logit.json()["root"], 7.802748));
        QVERIFY(logit.json()["edges"][0]["from"] == "head 4.1");
    }

    /// Heads are followed from a share on of their own, and in any case those that are named.
    void followsWhatIsAsked() {
        const Arguments trace{"--head", "1.0", "--trace", "--json"};
        const auto followed = [](const CliResult& result) {
            const nlohmann::json json = result.json();
            return std::ranges::count_if(json["nodes"],
                                         [](const auto& node) { return node["followed"]; });
        };
        QCOMPARE(followed(why(trace)), 2);
        QCOMPARE(followed(why(trace + Arguments{"--follow-from", "2"})), 1);
        const CliResult named =
            why(trace + Arguments{"--follow-from", "2", "--follow", "0.0:-4,0.3:0"});
        QVERIFY2(named.exit_code == 0, named.err.c_str());
        QCOMPARE(followed(named), 2);
        QVERIFY(failedWithOneSentence(why(trace + Arguments{"--follow", "0.0"}), 1));
        QVERIFY(failedWithOneSentence(why(trace + Arguments{"--follow", "0.0:99"}), 1));
        QCOMPARE(why({"--head", "1.0", "--follow", "0.0:4"}).exit_code, 2);
    }

    void otherReadings() {
        const CliResult directions = why({"--head", "1.0", "--signals", "2", "--json"});
        QVERIFY2(directions.exit_code == 0, directions.err.c_str());
        QCOMPARE(directions.json()["signals"][1]["key_words"].size(), 3u);
        const CliResult dimensions =
            why({"--head", "1.0", "--dimensions", "--json", "--against", "none"});
        QCOMPARE(dimensions.json()["dimensions"].size(), 8u);
        const CliResult all_keys = why({"--head", "1.0", "--dimensions", "--all-keys", "--json"});
        QCOMPARE(all_keys.json()["dimensions"].size(), 64u); // eight keys of eight dimensions
        QVERIFY(all_keys.json()["turned"] == false);
        QCOMPARE(why({"--head", "1.0", "--all-keys"}).exit_code, 2);
        const CliResult removed = why({"--head", "1.0", "--remove", "key:0.0", "--json"});
        QVERIFY2(removed.exit_code == 0, removed.err.c_str());
        QCOMPARE(removed.json()["readings"].size(), 14u);
        QVERIFY(near(removed.json()["readings"][1]["weight"], 0.0));
        QVERIFY(near(removed.json()["readings"][3]["weight"], 0.0));
        const CliResult ablated = why({"--head", "1.0", "--ablate", "0.0", "--key", "4", "--json"});
        QVERIFY2(ablated.exit_code == 0, ablated.err.c_str());
        QVERIFY(near(ablated.json()["weight"], 0.0));
    }

    void refusals() {
        QCOMPARE(why({}).exit_code, 2);
        QCOMPARE(why({"--head", "1.0", "--token", "a"}).exit_code, 2);
        QCOMPARE(why({"--head", "1.0", "--trace", "--dimensions"}).exit_code, 2);
        QCOMPARE(why({"--token", "a"}).exit_code, 2);
        const auto refusal = [](const Arguments& more) {
            const CliResult result = why(more);
            return result.exit_code == 1 ? result.err : std::string();
        };
        QVERIFY(
            refusal({"--head", "1.0", "--query", "3", "--key", "5"}).find("does not see key 5") !=
            std::string::npos);
        QVERIFY(refusal({"--head", "1.0", "--query", "-9"}).find("no position -9") !=
                std::string::npos);
        QVERIFY(refusal({"--head", "1.0", "--against", "x"}).find("not with \"x\"") !=
                std::string::npos);
        QVERIFY(refusal({"--head", "1.0", "--query", "0"}).find("sees one key alone") !=
                std::string::npos);
        QVERIFY(refusal({"--head", "1.0", "--remove", "value:0.0"}).find("names no part") !=
                std::string::npos);
    }
};

const headscope::test::TestRegistration<TestCliWhy> registration;

} // namespace test_cli_why

#include "test_cli_why.moc"
