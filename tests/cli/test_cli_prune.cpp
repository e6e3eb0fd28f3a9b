#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace test_cli_prune {

using namespace headscope::test;

namespace {

const Arguments kFew{"--domains",          "novel", "--test-tokens", "512",
                     "--calibrate-tokens", "512",   "--length",      "64"};

} // namespace

class TestCliPrune : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string model_ = sampleModel("attn-only-2l.h5");

    std::string file(const std::string& name) const {
        return folder_.path().toStdString() + "/" + name;
    }
    std::string content(const std::string& name) const {
        std::stringstream text;
        text << std::ifstream(file(name)).rdbuf();
        return text.str();
    }

private slots:
    void curvesAreWrittenAndStated();
    void resumedCurvesAreTheSame();
    void csvAndHdf5HoldTheSameNumbers();
    void smallerModelRunsEverywhere();
    void layersThatDifferAreCounted();
    void aPackedModelStaysPacked();
    void smallerModelsForOthers();
    void recipeMakesTheSameModel();
    void sameTextTwiceIsRefused();
    void groupsQueries();
    void wrongUsage_data();
    void wrongUsage();
    void failures_data();
    void failures();
};

void TestCliPrune::curvesAreWrittenAndStated() {
    const auto result = runCli(Arguments{"prune", model_, "--orders", "random:2,gradient,flap",
                                         "--points", "4", "-o", file("curve.json")} +
                               kFew);
    QVERIFY2(result.exit_code == 0, result.err.c_str());
    QVERIFY2(contains(result.out, " % of the heads ["), result.out.c_str());
    QVERIFY(contains(result.out, "; random orders: "));
    QVERIFY(contains(result.out, "calibration  the bundled novel (calibration): "));
    QVERIFY(!std::filesystem::exists(file("curve.json.parts")));
    const auto json = nlohmann::json::parse(content("curve.json"));
    QVERIFY(json["cuts"].size() >= 1u + 4 * 4); // and what narrows them down
    QCOMPARE(json["texts"].size(), 1u);
    QCOMPARE(json["texts"][0]["text"].get<std::string>(), "novel");
    QVERIFY(json["texts"][0]["outside"].get<bool>()); // a novel, to a model of manuals
    QVERIFY2(contains(result.out, "This text is outside of the model's domain: its loss of "),
             result.out.c_str());
    QVERIFY(contains(result.out, json["verdict"].get<std::string>()));
    const auto& whole = json["cuts"][0];
    QCOMPARE(whole["order"].get<std::string>(), "whole");
    for (const auto& cut : json["cuts"]) {
        QCOMPARE(cut["heads"].size(), cut["removed"].get<std::size_t>());
        QVERIFY(std::abs(cut["perplexity"].get<double>() - std::exp(cut["loss"].get<double>())) <
                1e-6);
        if (cut["removed"] == 16) // nothing of attention is left, whatever the order
            QVERIFY(std::abs(cut["loss"].get<double>() -
                             json["cuts"].back()["loss"].get<double>()) < 1e-4);
    }
    QCOMPARE(json["verdicts"].size(), 3u);
}

void TestCliPrune::resumedCurvesAreTheSame() {
    const Arguments arguments =
        Arguments{"prune", model_, "--orders", "ablation,random:1", "--points", "4"} + kFew;
    QCOMPARE(runCli(arguments + Arguments{"-o", file("whole.json")}).exit_code, 0);
    const auto stopped =
        runShell("\"$0\" \"$@\" & pid=$!; while ! grep -q point \"" + file("again.json.parts") +
                     "\" 2>/dev/null; do sleep 0.05; done; kill -9 $pid; wait "
                     "$pid; true",
                 arguments + Arguments{"-o", file("again.json")});
    QVERIFY(stopped.exit_code == 0 || std::filesystem::exists(file("again.json")));
    const auto resumed = runCli(arguments + Arguments{"-o", file("again.json"), "--resume"});
    QVERIFY2(resumed.exit_code == 0, resumed.err.c_str());
    QCOMPARE(content("again.json"), content("whole.json"));
}

void TestCliPrune::csvAndHdf5HoldTheSameNumbers() {
    for (const char* name : {"curve.csv", "curve.h5"}) {
        const auto result = runCli(Arguments{"prune", model_, "--orders", "weight", "--points", "2",
                                             "--compensate", "ridge", "-o", file(name)} +
                                   kFew);
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(std::filesystem::file_size(file(name)) > 100);
    }
    QVERIFY(content("curve.csv").starts_with("text,order,units,removed,share,loss,low,high"));
    QVERIFY(contains(content("curve.csv"), ",ridge,"));
    QVERIFY(
        contains(content("curve.csv"), "agreement,indirect_object,indirect_object_difference,"));
    const auto without = runCli(Arguments{"prune", model_, "--orders", "weight", "--points", "1",
                                          "--tasks", "none", "-o", file("none.csv")} +
                                kFew);
    QVERIFY2(without.exit_code == 0, without.err.c_str());
    QVERIFY(!contains(content("none.csv"), "indirect_object"));
}

void TestCliPrune::smallerModelRunsEverywhere() {
    const auto made =
        runCli(Arguments{"prune", sampleModel("llama-mini-gqa-4l.h5"), "--order", "gradient",
                         "--remove", "50%", "--compensate", "bias", "-o", file("smaller.h5")} +
               kFew);
    QVERIFY2(made.exit_code == 0, made.err.c_str());
    QVERIFY2(contains(made.out, "removed        16 of 32 heads"), made.out.c_str());
    QVERIFY2(contains(made.out, " B per token, as float16 ("), made.out.c_str());
    QVERIFY2(contains(made.out, " %, 95 % interval "), made.out.c_str());
    const auto recipe = nlohmann::json::parse(content("smaller.recipe.json"));
    QCOMPARE(recipe["heads"].size(), 16u);
    const std::string smaller = file("smaller.h5");
    for (const Arguments& arguments : std::vector<Arguments>{
             {"info", smaller},
             {"run", smaller, "--text", "Once upon a time"},
             {"heads", smaller, "--sequences", "2", "--period", "20"},
             {"sweep", smaller, "--text", "Once upon a time"},
             {"sweep", smaller, "--text", "Once upon", "--heads", "kv-groups"},
             {"lens", smaller, "--text", "Once upon a time"},
             {"circuits", smaller, "--composition"},
             {"similarity", smaller},
             {"verify", smaller},
             {"export", smaller, "--text", "Once upon a time", "-o", file("patterns.npz")},
             {"convert", smaller, "-o", file("converted.h5")},
             {"info", file("converted.h5")}}) {
        const auto result = runCli(arguments);
        QVERIFY2(result.exit_code == 0, (arguments[0] + ": " + result.err + result.out).c_str());
    }
}

/// Prompts begin with BOS in all of them.
/// What is said of the smaller model is not that of its first layer alone.
void TestCliPrune::layersThatDifferAreCounted() {
    const std::string smaller = file("counted.h5");
    const auto made = runCli(Arguments{"prune", sampleModel("llama-mini-gqa-4l.h5"), "--order",
                                       "gradient", "--remove", "50%", "-o", smaller} +
                             kFew);
    QVERIFY2(made.exit_code == 0, made.err.c_str());
    const auto card = runCli({"info", smaller, "--json"}).json()["card"];
    QVERIFY(card["parameters_per_layer"].is_null());
    QVERIFY(card["attention_parameters_per_layer"].is_null());
    std::size_t heads = 0;
    std::vector<std::size_t> counts;
    for (const auto& layer : card["layers"]) {
        heads += layer["n_heads"].get<std::size_t>();
        counts.push_back(layer["parameters"].get<std::size_t>());
    }
    QCOMPARE(heads, 16u);
    const auto [least, most] = std::ranges::minmax(counts);
    QVERIFY(least < most);
    const auto text = runCli({"info", smaller}).out;
    QVERIFY2(contains(text, ", per layer " + std::to_string(least) + " to " + std::to_string(most) +
                                ", of these attention "),
             text.c_str());
    QVERIFY2(contains(text, " per token as float32, "), text.c_str());
    QVERIFY2(contains(text, "up to 4 queries per KV head"), text.c_str());
    const auto whole = runCli({"info", sampleModel("llama-mini-gqa-4l.h5"), "--json"}).json();
    QVERIFY(whole["card"]["parameters_per_layer"] == whole["card"]["layers"][3]["parameters"]);
}

/// The sample's numbers are packed, which saves more than one head does.
void TestCliPrune::aPackedModelStaysPacked() {
    const std::string whole = sampleModel("gpt2-mini-6l.h5");
    const auto prune = [&](const std::string& output) {
        return runCli(
            Arguments{"prune", whole, "--order", "random", "--remove", "1", "-o", output} + kFew);
    };
    const auto packed = prune(file("packed.h5"));
    QVERIFY2(!contains(packed.out, "\nlarger "), packed.out.c_str());
    QVERIFY(std::filesystem::file_size(file("packed.h5")) < std::filesystem::file_size(whole));
    const auto larger = prune(file("plain"));
    QVERIFY2(contains(larger.out, "\nlarger         than gpt2-mini-6l.h5, "), larger.out.c_str());
    QVERIFY2(contains(larger.out, ", whose numbers are packed\n"), larger.out.c_str());
}

void TestCliPrune::smallerModelsForOthers() {
    const Arguments few = kFew;
    const auto prune = [&](const std::string& output) {
        return runCli(Arguments{"prune", sampleModel("llama-mini-gqa-4l.h5"), "--order", "gradient",
                                "--remove", "50%", "--unit", "group", "-o", output} +
                      few);
    };
    const auto folder = prune(file("smaller"));
    QVERIFY2(folder.exit_code == 0, folder.err.c_str());
    QVERIFY(contains(folder.out, "Its layers differ in heads: with transformers, open it by the "
                                 "load_model.py inside."));
    QVERIFY(std::filesystem::exists(file("smaller/load_model.py")));
    QVERIFY(std::filesystem::exists(file("smaller.recipe.json")));
    const auto again = prune(file("smaller"));
    QVERIFY(failedWithOneSentence(again, 1));
    const auto gguf = prune(file("smaller.gguf"));
    QVERIFY2(gguf.exit_code == 0, gguf.err.c_str());
    QVERIFY(!contains(gguf.out, "load_model.py"));
    const auto converted =
        runCli({"convert", file("smaller"), "-o", file("converted.gguf"), "--dtype", "f16"});
    QVERIFY2(converted.exit_code == 0, converted.err.c_str());
    std::string first;
    for (const std::string name : {"smaller", "smaller.gguf", "converted.gguf"}) {
        const auto tokens = runCli({"tokenize", file(name), "--text", "Once upon a time"});
        QVERIFY2(tokens.exit_code == 0, tokens.err.c_str());
        const std::string table = tokens.out.substr(tokens.out.find("\n\n"));
        if (first.empty())
            first = table;
        QVERIFY(contains(table, "<|endoftext|>"));
        QVERIFY2(table == first, (name + tokens.out).c_str());
    }
}

void TestCliPrune::recipeMakesTheSameModel() {
    const Arguments few = kFew;
    QCOMPARE(runCli(Arguments{"prune", model_, "--order", "random", "--remove", "5", "--compensate",
                              "ridge", "-o", file("one.h5")} +
                    few)
                 .exit_code,
             0);
    const auto again = runCli(Arguments{"prune", model_, "--recipe", file("one.recipe.json"), "-o",
                                        file("two.h5"), "--test-tokens", "512"});
    QVERIFY2(again.exit_code == 0, again.err.c_str());
    QVERIFY(content("one.h5") == content("two.h5"));
    QCOMPARE(content("one.recipe.json"), content("two.recipe.json"));
    // The recipe of a result has the result's name.
    const auto over = runCli(
        Arguments{"prune", model_, "--recipe", file("one.recipe.json"), "-o", file("one.h5")});
    QVERIFY(failedWithOneSentence(over, 1));
    QVERIFY(contains(over.err, "one.recipe.json': it belongs to what this command reads"));
    QCOMPARE(content("one.recipe.json"), content("two.recipe.json"));
    const auto other = runCli(Arguments{"prune", sampleModel("gpt2-mini-6l.h5"), "--recipe",
                                        file("one.recipe.json"), "-o", file("three.h5")});
    QVERIFY(failedWithOneSentence(other, 1));
    QVERIFY(contains(other.err, "The recipe was made for another model"));
    QVERIFY(!std::filesystem::exists(file("three.h5")));
}

void TestCliPrune::sameTextTwiceIsRefused() {
    std::string text;
    for (int i = 0; i < 200; ++i)
        text += "Line " + std::to_string(i * i) + " of a text. ";
    std::ofstream(file("same.txt")) << text;
    const auto result = runCli(Arguments{"prune", model_, "--calibrate", file("same.txt"), "--test",
                                         file("same.txt"), "--orders", "weight"});
    QVERIFY(failedWithOneSentence(result, 1));
    QVERIFY(contains(result.err, "give two different texts"));
}

void TestCliPrune::groupsQueries() {
    const auto shown = runCli(Arguments{"prune", model_, "--group-queries"} + kFew);
    QVERIFY2(shown.exit_code == 0, shown.err.c_str());
    QVERIFY2(contains(shown.out, "Keys and values of 8 heads in 4: "), shown.out.c_str());
    const auto written =
        runCli(Arguments{"prune", model_, "--group-queries", "-o", file("shared.json")} + kFew);
    QVERIFY2(written.exit_code == 0, written.err.c_str());
    const auto json = nlohmann::json::parse(content("shared.json"));
    QCOMPARE(json["groupings"].size(), 7u); // the whole, and 4, 2 and 1 by mean and least squares
    const double whole = json["groupings"][0]["loss"].get<double>();
    for (std::size_t i = 1; i < json["groupings"].size(); i += 2) {
        const double by_mean = json["groupings"][i]["loss"].get<double>();
        const double by_least_squares = json["groupings"][i + 1]["loss"].get<double>();
        QVERIFY(whole < by_least_squares && by_least_squares < by_mean);
    }
    QVERIFY(contains(shown.out, json["summary"].get<std::string>()));
}

void TestCliPrune::wrongUsage_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("message");
    QTest::newRow("no order") << "--remove 3 -o x.h5"
                              << "--remove needs --order ORDER.";
    QTest::newRow("no output") << "--remove 3 --order weight"
                               << "needs -o FILE.h5";
    QTest::newRow("format") << "--remove 3 --order weight -o x.json"
                            << "is written as .h5";
    QTest::newRow("curve format") << "-o x.png"
                                  << "use .json, .csv or .h5.";
    QTest::newRow("resume what") << "--resume"
                                 << "--resume needs the -o FILE";
    QTest::newRow("groups written") << "--group-queries --remove 3 --order weight -o x.h5"
                                    << "--group-queries measures and writes no model";
    QTest::newRow("groups resumed") << "--group-queries --resume -o x.csv"
                                    << "--resume belongs to curves.";
    QTest::newRow("order alone") << "--order weight"
                                 << "--order belongs to --remove";
}

void TestCliPrune::wrongUsage() {
    QFETCH(QString, arguments);
    QFETCH(QString, message);
    Arguments all{"prune", model_};
    for (const QString& argument : arguments.split(QLatin1Char(' ')))
        all.push_back(argument.toStdString());
    const auto result = runCli(all);
    QCOMPARE(result.exit_code, 2);
    QVERIFY2(contains(result.err, message.toStdString()), result.err.c_str());
}

void TestCliPrune::failures_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("message");
    QTest::newRow("unknown order") << "--orders size"
                                   << "\"size\" is no order; use some of random";
    QTest::newRow("head that is not there") << "--protect 7.0 --orders weight"
                                            << "There is no head 7.0";
    QTest::newRow("too much") << "--order weight --remove 90 -o x.h5"
                              << "\"90\" is no share of the heads";
    QTest::newRow("floors") << "--order weight --remove 50% --least 8 -o x.h5"
                            << "Only 0 heads can go";
    QTest::newRow("no folder") << "--orders weight -o /nowhere/x.json"
                               << "does not exist";
}

void TestCliPrune::failures() {
    QFETCH(QString, arguments);
    QFETCH(QString, message);
    Arguments all{"prune", model_};
    for (const QString& argument : arguments.split(QLatin1Char(' ')))
        all.push_back(argument.toStdString());
    const auto result = runCli(all);
    QVERIFY(failedWithOneSentence(result, 1));
    QVERIFY2(contains(result.err, message.toStdString()), result.err.c_str());
}

const TestRegistration<TestCliPrune> registration;

} // namespace test_cli_prune

#include "test_cli_prune.moc"
