#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace test_cli_terminal {

using namespace headscope::test;
namespace fs = std::filesystem;

namespace {

/// Clears the screen, begins a control sequence (C1), deletes, turns the direction, and forges a
/// line.
const std::string kHostile = "evil\x1b[2J\u009b\x7f\u202e\u2066\nwrote out.h5";
const std::string kShown = R"(evil\u{1b}[2J\u{9b}\u{7f}\u{202e}\u{2066}\u{a}wrote out.h5)";

/// The llama of the tests with one empty tensor more, of that name.
fs::path hostileModel(const fs::path& folder) {
    const fs::path source = HEADSCOPE_TEST_DATA "/weight_files/llama-bf16";
    std::ifstream in(source / "model.safetensors", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::uint64_t size = 0;
    bytes.copy(reinterpret_cast<char*>(&size), sizeof(size));
    auto header = nlohmann::json::parse(bytes.substr(8, size));
    const std::size_t end = bytes.size() - 8 - size;
    header[kHostile] = {{"dtype", "F32"}, {"shape", {0}}, {"data_offsets", {end, end}}};
    const std::string text = header.dump();
    size = text.size();
    fs::copy(source / "config.json", folder / "config.json");
    std::ofstream out(folder / "model.safetensors", std::ios::binary);
    out.write(reinterpret_cast<const char*>(&size), sizeof(size));
    out << text << bytes.substr(bytes.size() - end);
    return folder / "model.safetensors";
}

} // namespace

/// Text of a file does not command the terminal.
class TestCliTerminal : public QObject {
    Q_OBJECT

private slots:
    void namesInTables() {
        const QTemporaryDir folder;
        const fs::path model = hostileModel(folder.path().toStdString());
        const CliResult result = runCli({"info", model.string()});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY2(contains(result.out, kShown), result.out.c_str());
        QVERIFY(!contains(result.out, "\x1b"));
    }

    void jsonStaysWhatItIs() {
        const QTemporaryDir folder;
        const fs::path model = hostileModel(folder.path().toStdString());
        const auto json = runCli({"info", model.string(), "--json"}).json();
        QCOMPARE(json["load_report"]["ignored"][0]["tensor"].get<std::string>(), kHostile);
    }

    void errors() {
        const CliResult result = runCli({"info", "/no/such/" + kHostile});
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY2(contains(result.err, kShown), result.err.c_str());
    }

    void wrongUsage() {
        const CliResult result = runCli({kHostile});
        QVERIFY2(failedWithOneSentence(result, 2), result.err.c_str());
        QVERIFY(!contains(result.err, "\x1b"));
    }
};

const headscope::test::TestRegistration<TestCliTerminal> registration;

} // namespace test_cli_terminal

#include "test_cli_terminal.moc"
