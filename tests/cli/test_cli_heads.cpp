#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>

namespace test_cli_heads {

using namespace headscope::test;

namespace {

CliResult heads(const Arguments& more) {
    return runCli(
        Arguments{"heads", sampleModel("attn-only-2l.h5"), "--sequences", "3", "--period", "20"} +
        more);
}

void writeFile(const std::string& path, const std::string& content) {
    std::ofstream(path) << content;
}

const char* const kTreebank = "# text = The cat sleeps.\n"
                              "1\tThe\t_\tDET\t_\t_\t2\tdet\t_\t_\n"
                              "2\tcat\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
                              "3\tsleeps\t_\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
                              "4\t.\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_\n"
                              "\n"
                              "# text = Run fast!\n"
                              "1\tRun\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
                              "2\tfast\t_\tADV\t_\t_\t1\tadvmod\t_\tSpaceAfter=No\n"
                              "3\t!\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_\n"
                              "\n";

} // namespace

class TestCliHeads : public QObject {
    Q_OBJECT

private slots:
    void jsonHoldsEveryHead() {
        const CliResult result = heads({"--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(json["heads"].size(), 16u);
        QVERIFY(json["measured_on"]["induction"]["sequences"] == 3);
        QVERIFY(json["provenance"]["model_name"] == "attn-only-2l");
        bool found_induction = false;
        for (const auto& head : json["heads"]) {
            QCOMPARE(head["scores"].size(), json["thresholds"].size());
            const auto& labels = head["labels"];
            found_induction |= std::ranges::find(labels, "induction") != labels.end();
        }
        QVERIFY(found_induction);
    }

    /// A type that cannot be measured is named, and an error where no other was asked for.
    void typesThatCannotBeMeasured_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* type, const char* model, const char* reason) {
            QTest::addRow("%s of %s", type, model)
                << QString::fromLatin1(type) << QString::fromLatin1(model)
                << QString::fromLatin1(reason);
        };
        row("copying-weights", "hooked-classifier.h5",
            "The logits of this model are of classes and not of its tokens");
        row("copying", "hooked-classifier.h5",
            "The logits of this model are of classes, so its heads copy no token.");
        row("copying", "bert.h5", "The masked-LM head of this model is not linear");
        row("previous-weights", "llama.h5", "learned positions");
        row("name-mover", "llama.h5", "llama");
        row("copying-weights", "llama.h5 --ids 1,5,9,1,5,9",
            "It is read from the weights, and not from sequences of your own.");
    }
    void typesThatCannotBeMeasured() {
        QFETCH(QString, type);
        QFETCH(QString, model);
        QFETCH(QString, reason);
        const std::string key = type.toStdString();
        const std::string expected = "headscope-cli: " + key + " cannot be measured: ";
        QStringList words = model.split(u' ');
        Arguments asked{"heads", fixture(words.takeFirst().toStdString()), "--csv"};
        for (const QString& word : words)
            asked.push_back(word.toStdString());
        const CliResult alone = runCli(asked + Arguments{"--types", key});
        QVERIFY(failedWithOneSentence(alone, 1));
        QVERIFY2(alone.err.starts_with(expected) && contains(alone.err, reason.toStdString()),
                 alone.err.c_str());
        const CliResult several = runCli(asked + Arguments{"--types", key + ",previous"});
        QCOMPARE(several.exit_code, 0);
        QCOMPARE(several.err, alone.err);
        QVERIFY(contains(several.out, ",previous,"));
    }

    void seedDecides() {
        QCOMPARE(heads({"--csv", "--seed", "1"}).out, heads({"--csv", "--seed", "1"}).out);
        QVERIFY(heads({"--csv", "--seed", "1"}).out != heads({"--csv", "--seed", "2"}).out);
    }

    void csvHasARowPerHeadAndType() {
        const CliResult result = heads({"--csv"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.out.starts_with("layer,head,detector,score,"));
        QCOMPARE(std::ranges::count(result.out, '\n'), 1 + 16 * 31);
    }

    void fileHoldsWhatWouldBePrinted() {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString() + "/scores.csv";
        const CliResult result = heads({"-o", path});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QCOMPARE(readFile(path), heads({"--csv"}).out);
    }

    void ownTextIsScored() {
        const CliResult result =
            heads({"--json", "--text", "the cat and the cat", "--text", "a dog and a dog"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json measured_on = result.json()["measured_on"]["previous"];
        QVERIFY(measured_on["sequences"] == 2);
        QVERIFY(measured_on["input"].get<std::string>().find("a dog and a dog") !=
                std::string::npos);
    }

    // A treebank of the user's own: two sentences, of which one has a subject.
    /// A text in brackets is one prompt, whatever it looks like to a reader of options.
    void aTextInBracketsIsOnePrompt() {
        const CliResult brackets = heads({"--json", "--text", "[the cat, the cat]"});
        QVERIFY2(brackets.exit_code == 0, brackets.err.c_str());
        QVERIFY(contains(brackets.out, "the text \\\"[the cat, the cat]\\\""));
    }

    /// A model without a tokenizer has no texts.
    void ownIdsAreScored() {
        const CliResult result =
            runCli({"heads", fixture("llama.h5"), "--ids", "1,5,9,13,5,9,13", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY2(contains(result.out, "the ids 1,5,9,13,5,9,13"), result.out.c_str());
    }

    void ownTreebankIsScored() {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString() + "/own.conllu";
        writeFile(path, kTreebank);
        const CliResult result = heads({"--json", "--conllu", path});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        for (const char* type : {"subject-verb", "previous"})
            QVERIFY(json["measured_on"][type]["input"] == path + ", 2 sentences");
        std::size_t scored = 0; // but for heads that rest on the first position
        for (const auto& head : json["heads"]) {
            scored += head["scores"]["subject-verb"]["score"].is_number() ? 1 : 0;
            QVERIFY(head["scores"]["coreference"]["score"].is_null()); // no such link in it
        }
        QVERIFY(scored > 8);
    }

    void brokenTreebankIsRefusedWithItsLine() {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString() + "/broken.conllu";
        std::string broken = kTreebank;
        broken.replace(broken.find("\t3\tnsubj"), 2, "\t9");
        writeFile(path, broken);
        const CliResult result = heads({"--conllu", path});
        QVERIFY(failedWithOneSentence(result, 1));
        QVERIFY2(contains(result.err, "broken.conllu, line 3"), result.err.c_str());
        writeFile(path, "# nothing\n");
        QVERIFY(contains(heads({"--conllu", path}).err, "holds no sentence"));
    }

    void inputsExcludeEachOther() {
        const std::string file = sampleModel("attn-only-2l.h5"); // any file that exists
        QCOMPARE(heads({"--conllu", file, "--text", "a"}).exit_code, 2);
        QCOMPARE(heads({"--conllu", file, "--corpus", file}).exit_code, 2);
    }

    void headvisFolderIsWritten() {
        const QTemporaryDir folder;
        const std::string out = folder.path().toStdString() + "/data";
        const CliResult result = heads({"--headvis", out});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QCOMPARE(result.out, "wrote " + out + ", 16 heads\n");
        const auto config = nlohmann::json::parse(readFile(out + "/config.json"));
        QCOMPARE(config["heads"].size(), 16u);
        const auto head = nlohmann::json::parse(readFile(out + "/heads/L1H4.json"));
        QCOMPARE(head["sequences"].size(), 50u);
        QVERIFY(head["types"][0]["token"] == "induction");
        // Scores are those that would be printed.
        const auto scores = nlohmann::json::parse(readFile(out + "/scores.json"));
        QVERIFY(scores == heads({"--json"}).json());

        const CliResult again = heads({"--headvis", out});
        QVERIFY(failedWithOneSentence(again, 1));
        QVERIFY2(contains(again.err, "exists already"), again.err.c_str());
        QCOMPARE(heads({"--headvis", out, "--csv"}).exit_code, 2);
    }

    void labelsAreTested() {
        const Arguments asked{"heads", sampleModel("induction-circuit.h5"), "--trust"};
        const CliResult shown = runCli(asked);
        QVERIFY2(shown.exit_code == 0, shown.err.c_str());
        for (const char* words :
             {" cause, 2 secondary, ", "are expected to be chance", "● 5/5 1.00",
              "1.0   Induction              secondary", "Writes nothing"})
            QVERIFY2(contains(shown.out, words), shown.out.c_str());
        for (const QString& line : QString::fromStdString(shown.out).split(u'\n'))
            QVERIFY2(line.toUcs4().size() <= 100, qPrintable(line));
        const nlohmann::json json = runCli(asked + Arguments{"--json"}).json();
        std::size_t labels = 0;
        const nlohmann::json scored =
            runCli({"heads", sampleModel("induction-circuit.h5"), "--json"}).json();
        for (const auto& head : scored["heads"])
            labels += head["labels"].size();
        QCOMPARE(json["labels"].size(), labels);
        QVERIFY(contains(shown.out, std::to_string(labels) + " labels\n"));
        QVERIFY(json["words"]["secondary"] == 2);
        QVERIFY(json["labels"][0]["needed"] == "passed");
        QVERIFY(json["labels"][0]["evidence"]["needed"].get<std::string>().starts_with("Needed: "));
        const CliResult all = runCli(asked + Arguments{"--all"});
        QVERIFY(contains(all.out, "passed") && contains(all.out, "least set"));
    }

    void someLabelsAreTestedWithoutAblation() {
        const CliResult csv =
            runCli({"heads", sampleModel("induction-circuit.h5"), "--trust", "--heads", "0.0,0.1",
                    "--types", "previous,duplicate", "--no-effects", "--csv"});
        QVERIFY2(csv.exit_code == 0, csv.err.c_str());
        QVERIFY2(contains(csv.out, "\n0.0,previous,untested,passed,") &&
                     contains(csv.out, "\n0.1,duplicate,correlate: pattern only,passed,"),
                 csv.out.c_str());
        QCOMPARE(std::ranges::count(csv.out, '\n'), 3);
    }

    void labelsAreReadOnOwnText() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("own.txt")).toStdString();
        std::string text;
        for (char first = 'a'; first <= 'z'; ++first)
            for (char second = 'a'; second <= 'z'; ++second)
                text += {' ', first, second};
        writeFile(path, text);
        // A head that is named twice has one row.
        const nlohmann::json json = heads({"--trust", "--types", "previous", "--heads", "0.7,0.7",
                                           "--no-effects", "--own-text", path, "--json"})
                                        .json();
        QCOMPARE(json["labels"].size(), std::size_t{1});
        QVERIFY2(contains(json["labels"][0].dump(), "tokens of your text"), json.dump().c_str());
        QVERIFY(failedWithOneSentence(
            heads({"--trust", "--own-text", "/nowhere/own.txt", "--no-effects"}), 1));
    }

    void whatIsTestedIsWhatTypesAreDefinedBy() {
        const CliResult own = heads({"--trust", "--text", "the cat and the cat"});
        QCOMPARE(own.exit_code, 2);
        QVERIFY2(contains(own.err, "--trust tests labels on what their types are defined by"),
                 own.err.c_str());
        QCOMPARE(heads({"--no-effects"}).exit_code, 2);
        QCOMPARE(heads({"--heads", "0.1"}).exit_code, 2);
        QCOMPARE(heads({"--own-text", "a.txt"}).exit_code, 2);
        QVERIFY(failedWithOneSentence(heads({"--trust", "--heads", "9.9"}), 1));
    }

    void tableNamesTypesAndBaseline() {
        const CliResult result = heads({});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        for (const char* word :
             {"attn-only-2l", "type", "baseline", "threshold", "induction", "1.7"})
            QVERIFY2(contains(result.out, word), word);
    }

    /// A row per head and type fits a terminal; --all has a column for every type.
    void theTableFitsATerminal() {
        for (const Arguments& input : {Arguments{}, Arguments{"--text", "the cat and the cat"}}) {
            const CliResult result = heads(input);
            QVERIFY2(result.exit_code == 0, result.err.c_str());
            for (const QString& line : QString::fromStdString(result.out).split(u'\n'))
                QVERIFY2(line.toUcs4().size() <= 100, qPrintable(line));
        }
        const nlohmann::json json = heads({"--json"}).json();
        const QString shown = QString::fromStdString(heads({}).out);
        for (const auto& head : json["heads"]) {
            const QString name = QStringLiteral("\n%1.%2 ")
                                     .arg(head["layer"].get<int>())
                                     .arg(head["head"].get<int>());
            QCOMPARE(shown.count(name),
                     static_cast<qsizetype>(std::max<std::size_t>(1, head["labels"].size())));
        }
        QVERIFY(contains(shown.toStdString(), "are expected to be chance"));
        QVERIFY(json["expected_false"]["tests"] > json["expected_false"]["labels"]);
        QVERIFY(contains(heads({"--all"}).out, "long-range"));
        QCOMPARE(heads({"--all", "--csv"}).out, heads({"--csv"}).out);
    }
};

const headscope::test::TestRegistration<TestCliHeads> registration;

} // namespace test_cli_heads

#include "test_cli_heads.moc"
