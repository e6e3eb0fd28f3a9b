#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace test_cli_narrow_weights {

using namespace headscope::test;

namespace {

const std::string kText = "When Mary and John went to the shop, John gave the bottle to";
const std::string kOther = "When Mary and John went to the shop, Mary gave the bottle to";

struct NarrowModel {
    std::string name;
    std::string type;
};
const std::vector<NarrowModel> kModels{{"llama-mini-gqa-4l", "bf16"}, {"gpt2-mini-6l", "f16"}};

/// Numbers with a fraction, one after another. Whole ones are left out: of two tokens that are
/// nearly as likely, rounding chooses which comes first.
void collect(const nlohmann::json& json, std::vector<double>& numbers) {
    if (json.is_number_float())
        numbers.push_back(json.get<double>());
    if (!json.is_structured())
        return;
    for (const auto& [key, value] : json.items())
        if (key != "provenance")
            collect(value, numbers);
}

std::vector<double> numbersOf(const nlohmann::json& json) {
    std::vector<double> numbers;
    collect(json, numbers);
    return numbers;
}

bool near(double a, double b) {
    return std::abs(a - b) <= 2e-4 * std::max({1.0, std::abs(a), std::abs(b)});
}

} // namespace

/// A file of 16-bit numbers stays narrow in memory, and everything that is computed from it is what
/// a float32 file of the same numbers gives.
class TestCliNarrowWeights : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        for (const auto& [name, type] : kModels) {
            const CliResult narrow = runCli(
                {"convert", sampleModel(name + ".h5"), "-o", file(name, type), "--dtype", type});
            QVERIFY2(narrow.exit_code == 0, narrow.err.c_str());
            const CliResult wide = runCli(
                {"convert", file(name, type), "-o", file(name, type + "-wide"), "--dtype", "f32"});
            QVERIFY2(wide.exit_code == 0, wide.err.c_str());
        }
    }

    void takesHalfTheMemory() {
        const auto bytes = [&](const std::string& type) {
            const CliResult result = runCli({"info", file("llama-mini-gqa-4l", type), "--json"});
            return result.json()["load_report"]["weight_bytes"].get<double>();
        };
        const double share = bytes("bf16") / bytes("bf16-wide");
        QVERIFY2(share > 0.5 && share < 0.501, qPrintable(QString::number(share)));
    }

    void computesTheSame_data() {
        QTest::addColumn<Arguments>("command");
        const auto row = [](const char* name, const Arguments& command) {
            QTest::newRow(name) << command;
        };
        row("run", {"run", "--text", kText});
        row("heads", {"heads", "--text", kText});
        row("attribute", {"attribute", "--text", kText, "--token", " Mary"});
        row("lens", {"lens", "--text", kText});
        row("sweep", {"sweep", "--text", kText, "--ablation", "mean"});
        row("gradient", {"sweep", "--text", kText, "--method", "gradient"});
        row("similarity", {"similarity", "--text", kText});
        row("composition", {"circuits", "--composition"});
        row("copying", {"circuits", "--copying"});
        row("directions", {"circuits", "--ov", "2.1"});
        row("patch", {"patch", "--clean", kText, "--corrupted", kOther, "--hook", "resid_pre",
                      "--method", "gradient"});
        row("edges", {"edges", "--clean", kText, "--corrupted", kOther});
        row("tokens", {"tokens", "--text", kText, "--methods", "gradient"});
        row("why", {"why", "--text", kText, "--head", "2.1"});
        row("removal", {"why", "--text", kText, "--head", "2.1", "--remove", "key:mlp 0"});
        row("pruning", {"prune", "--orders", "ahon", "--compensate", "ridge", "--points", "3",
                        "--domains", "novel", "--test-tokens", "300", "--calibrate-tokens", "300"});
        row("grouped queries",
            {"prune", "--group-queries", "--test-tokens", "300", "--calibrate-tokens", "300"});
    }

    void computesTheSame() {
        QFETCH(Arguments, command);
        for (const NarrowModel& model : kModels) {
            const auto of = [&](const std::string& kind) {
                Arguments whole = command;
                whole.insert(whole.begin() + 1, file(model.name, kind));
                return numbersOf(command.front() == "prune" ? written(whole) : printed(whole));
            };
            const std::vector<double> narrow = of(model.type);
            const std::vector<double> wide = of(model.type + "-wide");
            QVERIFY(narrow.size() > 3);
            QVERIFY2(std::ranges::equal(narrow, wide, near), model.name.c_str());
        }
    }

private:
    static nlohmann::json printed(const Arguments& command) {
        const CliResult result = runCli(command + Arguments{"--json"});
        if (result.exit_code != 0)
            throw std::runtime_error(result.err);
        return result.json();
    }

    nlohmann::json written(const Arguments& command) const {
        const std::string path = folder_.filePath(QStringLiteral("out.json")).toStdString();
        const CliResult result = runCli(command + Arguments{"-o", path});
        if (result.exit_code != 0)
            throw std::runtime_error(result.err);
        std::ifstream stream(path);
        return nlohmann::json::parse(stream);
    }

    std::string file(const std::string& name, const std::string& type) const {
        return folder_.filePath(QString::fromStdString(name + "-" + type + ".h5")).toStdString();
    }

    QTemporaryDir folder_;
};

const TestRegistration<TestCliNarrowWeights> registration;

} // namespace test_cli_narrow_weights

#include "test_cli_narrow_weights.moc"
