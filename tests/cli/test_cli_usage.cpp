#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace test_cli_usage {

using namespace headscope::test;
namespace fs = std::filesystem;

namespace {

std::string contentOf(const char* path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// What the group of the pattern matches, at each place.
std::set<std::string> allMatches(const std::string& text, const char* pattern) {
    const std::regex expression(pattern);
    std::set<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end;
         ++match)
        found.insert(match->str(1));
    return found;
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i)
        all += text;
    return all;
}

} // namespace

class TestCliUsage : public QObject {
    Q_OBJECT

private slots:
    void versionAndHelp() {
        const CliResult version = runCli({"--version"});
        QCOMPARE(version.exit_code, 0);
        QCOMPARE(version.out, std::string("headscope-cli " HEADSCOPE_VERSION "\n"));
        const CliResult help = runCli({"--help"});
        QCOMPARE(help.exit_code, 0);
        for (const char* command : {"info", "tokenize", "run", "heads", "effect", "similarity",
                                    "sweep", "patch", "edges", "attribute", "tokens", "why",
                                    "inside", "lens", "circuits", "prune", "export", "bench"})
            QVERIFY2(contains(help.out, command), command);
        QVERIFY(contains(runCli({"run", "--help"}).out, "--ablate"));
    }

    /// The manual lists the subcommands that the help lists, and no others.
    void theManualListsTheSubcommands() {
        const std::string help = runCli({"--help"}).out;
        const std::set<std::string> subcommands =
            allMatches(help.substr(help.find("Subcommands:")), "\n  ([a-z]+) ");
        QVERIFY(subcommands.contains("verify"));
        const std::string manual = contentOf(HEADSCOPE_MAN_PAGES "/headscope-cli.1");
        const auto begin = manual.find(".SH SUBCOMMANDS");
        const auto end = manual.find(".SH OPTIONS", begin);
        QVERIFY(begin != std::string::npos && end != std::string::npos);
        QCOMPARE(allMatches(manual.substr(begin, end - begin), "\n\\.TP\n\\.B ([a-z]+)\n"),
                 subcommands);
    }

    void wrongUsageExitsWith2_data() {
        QTest::addColumn<Arguments>("arguments");
        QTest::addColumn<std::string>("named");
        const std::string model = sampleModel("microgpt.h5");
        QTest::newRow("no command") << Arguments{} << std::string("subcommand");
        QTest::newRow("unknown command") << Arguments{"fly"} << std::string("fly");
        // Each command and option has one name.
        QTest::newRow("cause") << Arguments{"cause", model, "0.0", "--ids", "1,2"}
                               << std::string("cause");
        QTest::newRow("heads --detectors")
            << Arguments{"heads", model, "--ids", "1,2", "--detectors", "induction"}
            << std::string("--detectors");
        QTest::newRow("sweep --kind")
            << Arguments{"sweep", model, "--ids", "1,2", "--kind", "mean"} << std::string("--kind");
        QTest::newRow("prune --replace")
            << Arguments{"prune", model, "--replace", "mean"} << std::string("--replace");
        QTest::newRow("attribute --without")
            << Arguments{"attribute", model, "--ids", "1,2", "--token", "a", "--without", "0.1"}
            << std::string("--without");
        QTest::newRow("unknown option")
            << Arguments{"info", model, "--fast"} << std::string("--fast");
        QTest::newRow("no model") << Arguments{"info"} << std::string("MODEL");
        QTest::newRow("no prompt") << Arguments{"tokenize", model} << std::string("--text");
        QTest::newRow("two prompts")
            << Arguments{"tokenize", model, "--text", "a", "--ids", "1"} << std::string("found 2");
        QTest::newRow("bad BOS") << Arguments{"tokenize", model, "--text", "a", "--bos", "maybe"}
                                 << std::string("maybe");
        QTest::newRow("bad ablation")
            << Arguments{"run", model, "--text", "a", "--ablation", "half"} << std::string("half");
        QTest::newRow("unknown extension")
            << Arguments{"run", model, "--text", "a", "-o", "out.xyz"} << std::string("out.xyz");
        QTest::newRow("figure") << Arguments{"export", model, "--text", "a", "-o", "out.svg"}
                                << std::string("headscope MODEL --text S --head L.H --figure FILE");
        QTest::newRow("no output")
            << Arguments{"export", model, "--text", "a"} << std::string("--output");
        QTest::newRow("negative head")
            << Arguments{"export", model, "--text", "a", "--head", "-1", "-o", "a.npy"}
            << std::string("--head");
        QTest::newRow("two formats")
            << Arguments{"heads", model, "--csv", "--json"} << std::string("--csv");
        QTest::newRow("formats disagree")
            << Arguments{"heads", model, "--csv", "-o", "a.json"} << std::string("a.json");
        QTest::newRow("two formats of what a file holds")
            << Arguments{"info", model, "--csv", "--json"} << std::string("--csv");
        QTest::newRow("tokens in two formats")
            << Arguments{"tokenize", model, "--text", "a", "--json", "-o", "a.csv"}
            << std::string("a.csv");
        QTest::newRow("two tables")
            << Arguments{"sweep", model, "--text", "a", "--csv", "--json"} << std::string("--csv");
        QTest::newRow("unknown kind")
            << Arguments{"sweep", model, "--text", "a", "--ablation", "half"}
            << std::string("half");
        QTest::newRow("unknown metric")
            << Arguments{"sweep", model, "--text", "a", "--metric", "love"} << std::string("love");
        QTest::newRow("no tokens to compare")
            << Arguments{"sweep", model, "--text", "a", "--metric", "logit-diff"}
            << std::string("--tokens A B");
        QTest::newRow("one token to compare")
            << Arguments{"sweep", model, "--text", "a", "--metric", "logit-diff", "--tokens", "a"}
            << std::string("--tokens");
        QTest::newRow("tokens nobody reads")
            << Arguments{"sweep", model, "--text", "a", "--tokens", "a", "b"}
            << std::string("--tokens A B");
        QTest::newRow("no target")
            << Arguments{"sweep", model, "--text", "a", "--metric", "probability"}
            << std::string("--target TOKEN");
        QTest::newRow("target nobody reads")
            << Arguments{"sweep", model, "--text", "a", "--metric", "kl", "--target", "a"}
            << std::string("--target");
        QTest::newRow("nothing to resample")
            << Arguments{"sweep", model, "--text", "a", "--ablation", "resample"}
            << std::string("--with TEXT");
        QTest::newRow("prompt nobody reads")
            << Arguments{"sweep", model, "--text", "a", "--with", "b"} << std::string("--with");
        QTest::newRow("nothing to patch")
            << Arguments{"patch", model, "--clean", "a", "--corrupted", "b"}
            << std::string("--hook and --path");
        QTest::newRow("two ways to patch")
            << Arguments{"patch",  model, "--clean", "a",   "--corrupted", "b",
                         "--hook", "z",   "--path",  "0.0", "logits"}
            << std::string("--hook and --path");
        QTest::newRow("path by position")
            << Arguments{"patch",  model, "--clean", "a",    "--corrupted", "b",
                         "--path", "0.0", "logits",  "--by", "position"}
            << std::string("--by belongs to --hook");
        QTest::newRow("no corrupted prompt")
            << Arguments{"patch", model, "--clean", "a", "--hook", "z"}
            << std::string("--corrupted");
        QTest::newRow("no sequences")
            << Arguments{"heads", model, "--sequences", "0"} << std::string("--sequences");
    }
    void wrongUsageExitsWith2() {
        QFETCH(Arguments, arguments);
        QFETCH(std::string, named);
        const CliResult result = runCli(arguments);
        QVERIFY2(failedWithOneSentence(result, 2), result.err.c_str());
        QVERIFY2(contains(result.err, named), result.err.c_str());
    }

    void failuresExitWith1_data() {
        QTest::addColumn<Arguments>("arguments");
        QTest::addColumn<std::string>("named");
        const std::string model = sampleModel("microgpt.h5");
        QTest::newRow("missing file")
            << Arguments{"info", "/nowhere/m.h5"} << std::string("/nowhere/m.h5");
        QTest::newRow("folder") << Arguments{"info", "/"} << std::string("/");
        QTest::newRow("no folder for tensors")
            << Arguments{"info", model, "-o", "/nowhere/a.csv"} << std::string("/nowhere does not");
        QTest::newRow("no folder for tokens")
            << Arguments{"tokenize", model, "--text", "a", "-o", "/nowhere/a.csv"}
            << std::string("/nowhere does not");
        QTest::newRow("no weights")
            << Arguments{"info", fixture("gpt2.reference.h5")} << std::string("gpt2.reference.h5");
        QTest::newRow("id outside")
            << Arguments{"run", model, "--ids", "1,99999"} << std::string("99999");
        QTest::newRow("ids no numbers")
            << Arguments{"run", model, "--ids", "1,x"} << std::string("x");
        QTest::newRow("no such head")
            << Arguments{"run", model, "--ids", "1", "--ablate", "9.9"} << std::string("9.9");
        QTest::newRow("no such hook")
            << Arguments{"run", model, "--ids", "1", "--hooks", "blocks.9.*"}
            << std::string("blocks.9.*");
        QTest::newRow("no such layer")
            << Arguments{"export", model, "--ids", "1", "--layer", "9", "-o", "a.npy"}
            << std::string("layer 9");
        QTest::newRow("too long") << Arguments{"run", model, "--ids", repeated("1,", 5000) + "1"}
                                  << std::string("5001 tokens");
        QTest::newRow("missing text file")
            << Arguments{"run", model, "--text-file", "/nowhere/t"} << std::string("/nowhere/t");
        QTest::newRow("missing output folder")
            << Arguments{"run", model, "--ids", "1", "-o", "/nowhere/o.npz"}
            << std::string("/nowhere");
    }
    void failuresExitWith1() {
        QFETCH(Arguments, arguments);
        QFETCH(std::string, named);
        const CliResult result = runCli(arguments);
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY2(contains(result.err, named), result.err.c_str());
    }

    void anOutputThatIsAFolderIsRefused() {
        const QTemporaryDir folder;
        const std::string taken = folder.path().toStdString() + "/taken.npz";
        std::filesystem::create_directory(taken);
        const CliResult result =
            runCli({"export", sampleModel("microgpt.h5"), "--ids", "1", "-o", taken});
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY2(contains(result.err, taken + " is a folder"), result.err.c_str());
    }

    void noResultTakesThePlaceOfWhatIsRead() {
        const QTemporaryDir folder;
        const fs::path place = folder.path().toStdString();
        const fs::path model = place / "model";
        fs::copy(HEADSCOPE_TEST_DATA "/weight_files/llama-bf16", model);
        fs::copy(fixture("gpt2.h5"), place / "gpt2.h5");
        fs::create_symlink("gpt2.h5", place / "link.h5");
        fs::create_symlink("model/config.json", place / "link.json");
        std::ofstream(place / "prompt.txt") << "1 2";
        std::ofstream(place / "prompts.csv") << "prompt\na\n";
        const std::string weights = (place / "gpt2.h5").string();
        const std::vector<Arguments> calls{
            {"heads", weights, "--types", "previous", "-o", weights},
            {"run", weights, "--ids", "1,2", "-o", (place / "link.h5").string()},
            {"export", (place / "link.h5").string(), "--ids", "1,2", "-o", weights},
            {"info", model.string(), "-o", (model / "config.json").string()},
            {"info", (model / "model.safetensors").string(), "-o",
             (model / "config.json").string()},
            {"info", model.string(), "-o", (place / "link.json").string()},
            {"why", weights, "--text-file", (place / "prompt.txt").string(), "--head", "0.0",
             "--trace", "--graphml", (place / "prompt.txt").string()},
            {"prompts", weights, (place / "prompts.csv").string(), "-o",
             (place / "prompts.csv").string()}};
        for (const Arguments& call : calls) {
            const std::string before = contentOf(call.back().c_str());
            const CliResult result = runCli(call);
            QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
            QVERIFY2(contains(result.err, "it belongs to what this command reads"),
                     result.err.c_str());
            QVERIFY(contentOf(call.back().c_str()) == before);
        }
        // Another file, and one's own result once more, whatever its name.
        std::ofstream(place / "params.json") << "{}";
        for (int times = 0; times < 2; ++times)
            for (const fs::path& result_file : {model / "info.json", place / "params.json"}) {
                const CliResult result =
                    runCli({"info", model.string(), "-o", result_file.string()});
                QVERIFY2(result.exit_code == 0, result.err.c_str());
            }
    }

    /// The folder is looked at before the model is: the model's own error must not come first.
    void outputIsCheckedFirst() {
        const CliResult result =
            runCli({"run", "/nowhere/m.h5", "--ids", "1", "-o", "/missing/o.npz"});
        QVERIFY(failedWithOneSentence(result, 1));
        QVERIFY2(contains(result.err, "/missing"), result.err.c_str());
    }

    void invalidUtf8IsRefused() {
        const CliResult result =
            runShell(R"sh(exec "$0" tokenize "$1" --text "$(printf 'a\377b')")sh",
                     {sampleModel("gpt2-mini-6l.h5")});
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY2(contains(result.err, "UTF-8"), result.err.c_str());
    }

    void emptyPromptIsRefused() {
        const CliResult result =
            runCli({"run", sampleModel("gpt2-mini-6l.h5"), "--text", "", "--bos", "no"});
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
    }

    void fullStandardOutputIsAFailure() {
        const CliResult result =
            runShell(R"(exec "$0" info "$1" > /dev/full)", {sampleModel("microgpt.h5")});
        QCOMPARE(result.exit_code, 1);
        QVERIFY(result.err.starts_with("headscope-cli: "));
    }

    void whatMeansNothingIsRefused_data() {
        QTest::addColumn<Arguments>("asked");
        QTest::addColumn<std::string>("reason");
        const auto row = [](const Arguments& asked, const std::string& reason) {
            QTest::newRow(reason.c_str()) << asked << reason;
        };
        const Arguments why{"why", "--text", "a b c", "--head", "4.1"};
        const Arguments edges{"edges", "--clean", "a b", "--corrupted", "a c"};
        row({"attribute", "--text", "a b", "--token", ""}, "\"\" is 0 tokens, not one");
        row({"generate", "--text", "a", "--tokens", "0"}, "--tokens must be at least 1, not 0.");
        row({"generate", "--text", "a", "--temperature", "nan"}, "at least 0, not nan.");
        row({"generate", "--text", "a", "--temperature", "inf"}, "a finite number, not inf.");
        row({"examples", "--tokens", "-1"}, "--tokens must be at least 1, not -1.");
        row({"similarity", "--below", "nan"}, "--below must be at least 0, not nan.");
        row({"tokens", "--ids", "1,,2"}, "a comma without a token id");
        row({"tokens", "--ids", ",1,2"}, "a comma without a token id before it");
        row({"tokens", "--text", "a b", "--weight", "4.1:1:0", "--position", "1"},
            "leave --metric, --tokens, --target and --position out");
        row({"effect", "4.1", "--type", "induction"}, "leave one of them out");
        row(edges + Arguments{"--steps", "99999"}, "--steps must be at most 10000, not 99999.");
        row(edges + Arguments{"--steps", "7"}, "--steps belongs to --estimate integrated");
        row(edges + Arguments{"--circuits", "--top", "7"}, "leave --top out");
        row(why + Arguments{"--key", "1", "--against", "1"}, "cannot be compared with itself");
        row(why + Arguments{"--least", "0.5"}, "--least requires --trace");
        row(why + Arguments{"--nodes", "5"}, "--nodes requires --trace");
        row(why + Arguments{"--against-token", "x"}, "--against-token needs --token");
        row({"why", "--text", "a b", "--token", " b", "--trace", "--key", "1"},
            "--key and --against belong to --head");
    }

    void whatMeansNothingIsRefused() {
        QFETCH(Arguments, asked);
        QFETCH(std::string, reason);
        asked.insert(asked.begin() + 1, sampleModel("gpt2-mini-6l.h5"));
        const CliResult result = runCli(asked);
        QVERIFY2(result.exit_code == 1 || result.exit_code == 2, result.err.c_str());
        QVERIFY2(contains(result.err, reason), result.err.c_str());
        QVERIFY(result.out.empty());
    }

    void noTwoColumnsHaveOneName() {
        const std::string model = sampleModel("gpt2-mini-6l.h5");
        for (const Arguments& asked :
             {Arguments{"edges", model, "--clean", "a b", "--corrupted", "a c", "--circuits",
                        "--sizes", "1", "--csv"},
              Arguments{"why", model, "--text", "a b", "--head", "4.1", "--dimensions", "--csv"},
              Arguments{"why", model, "--text", "a b", "--head", "4.1", "--dimensions",
                        "--all-keys", "--csv"}}) {
            const CliResult result = runCli(asked);
            const std::string header = result.out.substr(0, result.out.find('\n'));
            QStringList names = QString::fromStdString(header).split(QLatin1Char(','));
            QVERIFY2(names.size() > 3, result.err.c_str());
            QVERIFY2(names.removeDuplicates() == 0, header.c_str());
        }
    }
};

const headscope::test::TestRegistration<TestCliUsage> registration;

} // namespace test_cli_usage

#include "test_cli_usage.moc"
