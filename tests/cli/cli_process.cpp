#include "tests/cli/cli_process.h"

#include <QProcess>

#include <algorithm>

namespace headscope::test {

namespace {

constexpr int kTimeoutMs = 120'000;

CliResult run(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    CliResult result;
    if (process.waitForFinished(kTimeoutMs) && process.exitStatus() == QProcess::NormalExit)
        result.exit_code = process.exitCode();
    result.out = process.readAllStandardOutput().toStdString();
    result.err = process.readAllStandardError().toStdString();
    return result;
}

QStringList toQt(const Arguments& arguments) {
    QStringList list;
    for (const std::string& argument : arguments)
        list.append(QString::fromStdString(argument));
    return list;
}

} // namespace

Arguments operator+(Arguments first, const Arguments& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

CliResult runCli(const Arguments& arguments) {
    return run(QStringLiteral(HEADSCOPE_CLI), toQt(arguments));
}

CliResult runShell(const std::string& script, const Arguments& arguments) {
    return run(QStringLiteral("/bin/sh"), toQt(Arguments{"-c", script, HEADSCOPE_CLI} + arguments));
}

std::string fixture(const std::string& name) {
    return HEADSCOPE_TEST_DATA "/fixtures/" + name;
}

std::string sampleModel(const std::string& name) {
    return HEADSCOPE_SAMPLE_MODELS "/" + name;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string idsText(const std::vector<std::int32_t>& ids) {
    std::string text;
    for (const std::int32_t id : ids)
        text += (text.empty() ? "" : ",") + std::to_string(id);
    return text;
}

bool failedWithOneSentence(const CliResult& result, int exit_code) {
    const std::string sentence = result.err.substr(0, result.err.find('\n'));
    const auto lines = std::ranges::count(result.err, '\n');
    // Wrong usage is followed by a line that points to --help.
    return result.exit_code == exit_code && result.out.empty() &&
           sentence.starts_with("headscope-cli: ") && sentence.size() > 30 &&
           lines == (exit_code == 2 ? 2 : 1);
}

} // namespace headscope::test
