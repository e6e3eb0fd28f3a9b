#include "tests/cli/cluster_runs.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

namespace headscope::test {

namespace fs = std::filesystem;

ClusterRuns::ClusterRuns(fs::path folder, ClusterQuestion question)
    : folder_(std::move(folder)), question_(std::move(question)) {
    fs::create_directories(folder_);
}

std::string ClusterRuns::path(const std::string& name) const {
    return (folder_ / name).string();
}

std::string ClusterRuns::plainBytes() const {
    const Arguments command = Arguments{question_.command} + question_.words;
    if (question_.command == "verify")
        return runCli(command + Arguments{"--json"}).out;
    const std::string file = path("plain" + question_.extension);
    return runCli(command + Arguments{"-o", file}).exit_code == 0 ? contentOf(file) : "";
}

CliResult ClusterRuns::makePlan() const {
    return runCli(Arguments{question_.command, "plan"} + question_.words + Arguments{"-o", plan()});
}

CliResult ClusterRuns::run(const std::string& shard) const {
    Arguments arguments{question_.command, "run", plan(), "-o", parts()};
    if (!shard.empty())
        arguments.insert(arguments.end(), {"--shard", shard});
    return runCli(arguments);
}

bool ClusterRuns::runAll(std::size_t count) const {
    std::vector<std::size_t> shards(count);
    for (std::size_t i = 0; i < count; ++i)
        shards[i] = i + 1;
    std::shuffle(shards.begin(), shards.end(), std::mt19937(7)); // NOLINT: the same each time
    return std::ranges::all_of(shards, [&](std::size_t shard) {
        return run(std::to_string(shard) + "/" + std::to_string(count)).exit_code == 0;
    });
}

CliResult ClusterRuns::merge() const {
    return runCli(
        {question_.command, "merge", plan(), parts(), "-o", path("merged" + question_.extension)});
}

std::string ClusterRuns::mergedBytes() const {
    return merge().exit_code == 0 ? contentOf(path("merged" + question_.extension)) : "";
}

nlohmann::json ClusterRuns::status() const {
    return runCli({question_.command, "status", plan(), parts(), "--json"}).json();
}

std::vector<std::string> ClusterRuns::unitNames() const {
    std::vector<std::string> names;
    const nlohmann::json written = nlohmann::json::parse(contentOf(plan()));
    for (const nlohmann::json& unit : written["units"])
        names.push_back(unit["name"].get<std::string>());
    return names;
}

std::vector<fs::path> ClusterRuns::partFiles() const {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(parts()))
        files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

void ClusterRuns::forgetParts() const {
    fs::remove_all(parts());
}

std::string contentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void writeText(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

} // namespace headscope::test
