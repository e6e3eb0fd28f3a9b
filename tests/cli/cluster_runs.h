#pragma once

#include "tests/cli/cli_process.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope::test {

/// A question that a command answers by itself and by a plan.
struct ClusterQuestion {
    std::string command;
    Arguments words;       ///< MODEL and what is asked of it
    std::string extension; ///< of the result: ".json"
};

/// One question in a folder of its own: "plan.json", "parts" and results.
class ClusterRuns {
public:
    ClusterRuns(std::filesystem::path folder, ClusterQuestion question);

    std::string plan() const { return path("plan.json"); }
    std::string parts() const { return path("parts"); }
    std::string path(const std::string& name) const;

    /// What the command gives by itself; empty when it failed.
    std::string plainBytes() const;

    CliResult makePlan() const;
    /// "3/7"; empty: all of it
    CliResult run(const std::string& shard) const;
    /// All shards of N, in an order that is not theirs; whether all ended well.
    bool runAll(std::size_t count) const;
    CliResult merge() const;
    /// merge()'s file; empty when it failed.
    std::string mergedBytes() const;
    /// "status --json"
    nlohmann::json status() const;

    std::vector<std::string> unitNames() const;
    /// The files of the parts, sorted.
    std::vector<std::filesystem::path> partFiles() const;
    /// So that everything is computed again.
    void forgetParts() const;

private:
    std::filesystem::path folder_;
    ClusterQuestion question_;
};

std::string contentOf(const std::filesystem::path& path);
void writeText(const std::filesystem::path& path, const std::string& text);

} // namespace headscope::test
