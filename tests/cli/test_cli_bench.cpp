#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

namespace test_cli_bench {

using namespace headscope::test;

namespace {

/// A tiny model at two lengths, one run each.
CliResult bench(const Arguments& more) {
    return runCli(Arguments{"bench", fixture("llama-gqa.h5"), "--tokens", "3,7", "--repeats", "1"} +
                  more);
}

/// OpenBLAS's name for them.
std::string kernelsOfThisProcessor() {
    std::ifstream file("/proc/cpuinfo");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto hasAll = [&text](std::initializer_list<const char*> flags) {
        return std::ranges::all_of(flags, [&text](const char* flag) {
            return contains(text, std::string(" ") + flag + " ");
        });
    };
    if (!hasAll({"avx2", "fma", "f16c"}))
        return "Prescott";
    return hasAll({"avx512f", "avx512cd", "avx512dq", "avx512bw"}) ? "SkylakeX" : "Haswell";
}

/// What and how long, in the order of the output: "forward 3, forward 7".
std::string measured(const nlohmann::json& json) {
    std::string names;
    for (const auto& one : json["measurements"])
        names += (names.empty() ? "" : ", ") + one["what"].get<std::string>() + " " +
                 std::to_string(one["tokens"].get<int>());
    return names;
}

} // namespace

class TestCliBench : public QObject {
    Q_OBJECT

private slots:
    void jsonHoldsEveryMeasurement() {
        const CliResult result = bench({"--json", "--what", "patterns,forward,floor"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(measured(json), std::string("floor 3, forward 3, patterns 3, "
                                             "floor 7, forward 7, patterns 7"));
        QCOMPARE(json["model"].get<std::string>(), std::string("llama-gqa"));
        QVERIFY(json["kernels"].get<std::string>().starts_with("OpenBLAS, "));
        for (const auto& one : json["measurements"]) {
            QCOMPARE(one["seconds"].size(), 1u);
            QVERIFY(one["median_seconds"] == one["seconds"][0]);
            QVERIFY(one["median_seconds"] > 0.0);
            QVERIFY(one["peak_bytes"].is_null() || one["peak_bytes"] >= 0);
        }
        QVERIFY(json["provenance"]["app_version"] == json["version"]);
    }

    void csvHasARowPerMeasurement() {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString() + "/bench.csv";
        const CliResult result = bench({"--what", "forward,floor", "-o", path});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QCOMPARE(result.out, "wrote " + path + "\n");
        const std::string header =
            "tokens,what,median_seconds,seconds,times_floor,peak_bytes,weight_bytes,kernels,"
            "openblas_coretype,threads,model,model_sha256,app_version\n";
        const std::string csv = readFile(path);
        QVERIFY2(csv.starts_with(header + "3,floor,"), csv.c_str());
        for (const char* part : {"\n3,forward,", "\n7,floor,", "\n7,forward,", ",\"OpenBLAS, "})
            QVERIFY2(contains(csv, part), part);
        const CliResult printed = bench({"--what", "floor", "--csv"});
        QVERIFY2(printed.out.starts_with(header + "3,floor,"), printed.out.c_str());
    }

    /// Of the same length, and only where both were asked for.
    void timesFloorComparesWithTheMatrixProducts() {
        const CliResult result = bench({"--json", "--what", "patterns,forward,floor"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json all = result.json()["measurements"];
        const auto median = [&all](std::size_t i) {
            return all[i]["median_seconds"].get<double>();
        };
        for (const std::size_t floor : {0u, 3u}) {
            QVERIFY(all[floor]["times_floor"].is_null());
            QCOMPARE(all[floor + 1]["times_floor"].get<double>(),
                     median(floor + 1) / median(floor));
            QVERIFY(all[floor + 2]["times_floor"].is_null());
        }
    }

    void medianIsTheMiddleOfTheRepeats() {
        const CliResult result = runCli({"bench", fixture("gpt2.h5"), "--tokens", "5", "--what",
                                         "pattern", "--repeats", "3", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const auto one = result.json()["measurements"][0];
        QCOMPARE(one["seconds"].size(), 3u);
        QVERIFY(one["median_seconds"] == one["seconds"][1]);
        QVERIFY(one["seconds"][0] <= one["seconds"][1] && one["seconds"][1] <= one["seconds"][2]);
    }

    void threadsAreTaken() {
        for (const int threads : {1, 2}) {
            const CliResult result =
                bench({"--json", "--what", "floor", "--threads", std::to_string(threads)});
            QVERIFY2(result.exit_code == 0, result.err.c_str());
            QCOMPARE(result.json()["threads"].get<int>(), threads);
        }
    }

    void tableNamesKernelsAndLengths() {
        const CliResult result = bench({});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        for (const char* word : {"llama-gqa", "OpenBLAS, ", "1 after one to warm up", "median",
                                 "× floor", "memory beyond the weights", "patterns-floor", "ms"})
            QVERIFY2(contains(result.out, word), word);
    }

    void overruledKernelsAreToldAbout() {
        const std::string rest = R"("$0" bench "$1" --tokens 3 --repeats 1 --what floor)";
        const CliResult overruled =
            runShell("OPENBLAS_CORETYPE=Prescott " + rest, {fixture("gpt2.h5")});
        QVERIFY2(overruled.exit_code == 0, overruled.err.c_str());
        QVERIFY2(contains(overruled.out, "OPENBLAS_CORETYPE=Prescott overrules"),
                 overruled.out.c_str());
        const CliResult free = runShell("unset OPENBLAS_CORETYPE; " + rest, {fixture("gpt2.h5")});
        QVERIFY2(!contains(free.out, "overrules"), free.out.c_str());
    }

    void anOldBlasIsToldItsKernels() {
        const std::string start = "LD_PRELOAD=" HEADSCOPE_OLD_BLAS
                                  " ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 ";
        const std::string rest = R"("$0" bench "$1" --tokens 3 --repeats 1 --what floor --json)";
        const CliResult chosen =
            runShell("unset OPENBLAS_CORETYPE; " + start + rest, {fixture("gpt2.h5")});
        QVERIFY2(chosen.exit_code == 0, chosen.err.c_str());
        const auto kernels = chosen.json()["kernels"].get<std::string>();
        QVERIFY2(contains(kernels, "OpenBLAS, " + kernelsOfThisProcessor() + " kernels"),
                 kernels.c_str());
        QVERIFY(chosen.json()["openblas_coretype"].is_null());
        const CliResult told =
            runShell(start + "OPENBLAS_CORETYPE=Nehalem " + rest, {fixture("gpt2.h5")});
        QVERIFY2(told.exit_code == 0, told.err.c_str());
        QCOMPARE(told.json()["openblas_coretype"].get<std::string>(), std::string("Nehalem"));
        QVERIFY(contains(told.json()["kernels"].get<std::string>(), "Nehalem kernels"));
    }

    void everyKindOfNetworkIsMeasured_data() {
        QTest::addColumn<std::string>("model");
        for (const char* name : {"bert", "gemma2", "opt", "microgpt", "notebook"})
            QTest::newRow(name) << fixture(std::string(name) + ".h5");
    }
    void everyKindOfNetworkIsMeasured() {
        QFETCH(std::string, model);
        const CliResult result =
            runCli({"bench", model, "--tokens", "2", "--repeats", "1", "--what",
                    "floor,forward,patterns-floor,patterns,pattern,tile,pooled"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
    }

    void ablationsAreMeasured() {
        const CliResult result = runCli({"bench", fixture("gpt2.h5"), "--tokens", "5", "--repeats",
                                         "1", "--what", "sweep,sweep-last,importance", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QCOMPARE(measured(result.json()), std::string("sweep 5, sweep-last 5, importance 5"));
    }

    void shapesNeedNoFile() {
        const CliResult result = runCli({"bench", "--shape", "gpt2-small", "--tokens", "2",
                                         "--repeats", "1", "--what", "pattern", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QCOMPARE(measured(result.json()), std::string("pattern 2"));
        QVERIFY(result.json()["weight_bytes"] == 124'439'808 * 4);
    }

    void shapesMayBeNarrow() {
        const CliResult result =
            runCli({"bench", "--shape", "gpt2-small", "--dtype", "bf16", "--tokens", "2",
                    "--repeats", "1", "--what", "pattern", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const int vectors = 121'344; // gains and biases, which stay float32
        QVERIFY(result.json()["weight_bytes"] == (124'439'808 - vectors) * 2 + vectors * 4);
    }

    void wrongUsageExitsWith2_data() {
        QTest::addColumn<Arguments>("arguments");
        QTest::addColumn<std::string>("named");
        const std::string model = fixture("gpt2.h5");
        QTest::newRow("nothing to run") << Arguments{} << std::string("MODEL and --shape");
        QTest::newRow("two to run")
            << Arguments{model, "--shape", "gpt2-small"} << std::string("MODEL and --shape");
        QTest::newRow("unknown shape") << Arguments{"--shape", "gpt5"} << std::string("gpt5");
        QTest::newRow("a format of a file's numbers")
            << Arguments{model, "--dtype", "bf16"} << std::string("--shape");
        QTest::newRow("unknown benchmark")
            << Arguments{model, "--what", "floor,speed"} << std::string("speed");
        QTest::newRow("no tokens") << Arguments{model, "--tokens", "0"} << std::string("--tokens");
        QTest::newRow("tokens no number")
            << Arguments{model, "--tokens", "few"} << std::string("few");
        QTest::newRow("no threads")
            << Arguments{model, "--threads", "0"} << std::string("--threads");
        QTest::newRow("no repeats")
            << Arguments{model, "--repeats", "0"} << std::string("--repeats");
        QTest::newRow("two formats") << Arguments{model, "--csv", "--json"} << std::string("--csv");
    }
    void wrongUsageExitsWith2() {
        QFETCH(Arguments, arguments);
        QFETCH(std::string, named);
        const CliResult result = runCli(Arguments{"bench"} + arguments);
        QVERIFY2(failedWithOneSentence(result, 2), result.err.c_str());
        QVERIFY2(contains(result.err, named), result.err.c_str());
    }

    /// Before anything is measured.
    void noFolderToWriteInIsRefused() {
        const CliResult result = bench({"-o", "/nowhere/bench.csv"});
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY2(contains(result.err, "/nowhere does not exist"), result.err.c_str());
    }

    /// Before anything is measured, whatever the order of the lengths.
    void tooLongAPromptIsRefused() {
        const CliResult result =
            runCli({"bench", fixture("gpt2.h5"), "--tokens", "100000,2", "--what", "floor"});
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY2(contains(result.err, "100000 tokens"), result.err.c_str());
    }
};

const headscope::test::TestRegistration<TestCliBench> registration;

} // namespace test_cli_bench

#include "test_cli_bench.moc"
