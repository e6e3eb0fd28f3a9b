#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::test {

using Arguments = std::vector<std::string>;

/// Both lists in one.
Arguments operator+(Arguments first, const Arguments& second);

struct CliResult {
    int exit_code = -1; ///< -1: did not start, crashed or hung
    std::string out;
    std::string err;

    /// Throws when stdout is no JSON.
    nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Runs the headscope-cli that was built beside the tests.
CliResult runCli(const Arguments& arguments);

/// Runs a script of /bin/sh in which "$0" is headscope-cli and "$1" the first argument.
CliResult runShell(const std::string& script, const Arguments& arguments);

std::string fixture(const std::string& name);     ///< tests/data/fixtures/NAME
std::string sampleModel(const std::string& name); ///< sample_models/NAME

bool contains(const std::string& text, const std::string& part);

/// "1,2,3"
std::string idsText(const std::vector<std::int32_t>& ids);

/// One sentence on stderr and nothing on stdout.
bool failedWithOneSentence(const CliResult& result, int exit_code);

} // namespace headscope::test
