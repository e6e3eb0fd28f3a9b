#include "tests/architecture/include_rules.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kTrees{"core", "ui", "app"};
constexpr std::string_view kViews = "ui/views/";
constexpr std::array<std::string_view, 8> kExtensions{".h",   ".hpp", ".hh",  ".inl",
                                                      ".cpp", ".cc",  ".cxx", ".c"};

struct Include {
    std::size_t line = 0;
    bool quoted = false;
    std::string path; ///< empty when the line could not be read
};

bool isSource(const fs::path& file) {
    return std::ranges::find(kExtensions, file.extension().string()) != kExtensions.end();
}

bool isStandardHeader(const Include& include) {
    static const std::regex kName("[a-z_0-9]+");
    return !include.quoted && std::regex_match(include.path, kName);
}

std::vector<Include> includesOf(const fs::path& file) {
    static const std::regex kDirective(R"(\s*#\s*include\b.*)");
    static const std::regex kReadable(R"(\s*#\s*include\s*(?:"([^"]+)\"|<([^>]+)>).*)");
    std::vector<Include> includes;
    std::ifstream stream(file);
    std::string text;
    for (std::size_t line = 1; std::getline(stream, text); ++line) {
        std::smatch match;
        if (std::regex_match(text, match, kReadable))
            includes.push_back({line, match[1].matched, match[1].str() + match[2].str()});
        else if (std::regex_match(text, kDirective))
            includes.push_back({line, false, {}});
    }
    return includes;
}

/// Paths from `root` of all C++ files of one tree, sorted.
std::vector<std::string> sourcesOf(const fs::path& root, std::string_view tree) {
    std::vector<std::string> sources;
    std::error_code missing;
    for (const auto& entry : fs::recursive_directory_iterator(root / tree, missing))
        if (entry.is_regular_file() && isSource(entry.path()))
            sources.push_back(entry.path().lexically_relative(root).generic_string());
    std::ranges::sort(sources);
    return sources;
}

std::vector<std::string> allSources(const fs::path& root) {
    std::vector<std::string> all;
    for (const std::string_view tree : kTrees)
        std::ranges::move(sourcesOf(root, tree), std::back_inserter(all));
    return all;
}

const IncludeRule* ruleOf(std::string_view file, std::span<const IncludeRule> rules) {
    const IncludeRule* longest = nullptr;
    for (const IncludeRule& rule : rules)
        if (file.starts_with(rule.place) && (!longest || rule.place.size() > longest->place.size()))
            longest = &rule;
    return longest;
}

/// "core/engine/" of "core/engine/forward/forward.h" in "core/"; empty for what is in no room.
std::string_view roomIn(std::string_view tree, std::string_view path) {
    const auto end = path.starts_with(tree) ? path.find('/', tree.size()) : std::string_view::npos;
    return end == std::string_view::npos ? std::string_view() : path.substr(0, end + 1);
}

std::string_view roomOf(std::string_view path) {
    const std::string_view room = roomIn("core/", path);
    return room.empty() ? roomIn("ui/", path) : room;
}

/// The room that `include` is inside of and `file` is not; empty where it enters none, or by a
/// door. The folders of the views are rooms, too.
std::string_view roomBrokenInto(std::string_view file, std::string_view include) {
    for (const std::string_view tree :
         {std::string_view("core/"), std::string_view("ui/"), kViews}) {
        const std::string_view room = roomIn(tree, include);
        if (!room.empty() && room != roomIn(tree, file) &&
            include.find('/', room.size()) != std::string_view::npos)
            return room;
    }
    return {};
}

/// Whether a file of another room may include `path`: a room's doors are the headers at its top.
bool isDoor(std::string_view path) {
    return path.find('/', roomOf(path).size()) == std::string_view::npos;
}

/// Whether a file is a header at the top of a room.
bool isAtTop(std::string_view file) {
    return !roomOf(file).empty() && isDoor(file) &&
           !fs::path(file).extension().string().starts_with(".c");
}

std::string_view folderOf(std::string_view place) {
    return place.substr(0, place.rfind('/') + 1);
}

/// Whether what a rule governs may include this without being told: it is of the same place, or
/// both are of one folder, and one of them is no part with a rule of its own.
bool isOwn(const IncludeRule& rule, std::string_view include, std::span<const IncludeRule> rules) {
    const IncludeRule* const other = ruleOf(include, rules);
    if (other == nullptr || other == &rule)
        return other == &rule;
    const std::string_view folder = folderOf(rule.place);
    return folderOf(other->place) == folder && (rule.place == folder || other->place == folder);
}

/// Why the include is wrong, or nothing.
std::optional<std::string> breach(const std::string& file, const Include& include,
                                  const IncludeRule& rule, const fs::path& root,
                                  std::span<const IncludeRule> rules) {
    if (include.path.empty())
        return "has an include that names no file";
    if (isStandardHeader(include))
        return std::nullopt;
    const bool steps_up = include.path.find("..") != std::string::npos;
    if (steps_up || (include.quoted && !fs::exists(root / include.path)))
        return "includes " + include.path + ", which is no path from the repository root";
    const std::string_view room = roomBrokenInto(file, include.path);
    if (include.quoted && !room.empty())
        return "includes " + include.path + ", which is inside " + std::string(room) +
               "; a room is entered by the headers at its top";
    const bool allowed = std::ranges::any_of(
        rule.allowed, [&](std::string_view glob) { return globMatches(glob, include.path); });
    if (allowed || (include.quoted && isOwn(rule, include.path, rules)))
        return std::nullopt;
    return "includes " + include.path + ", which the rule for " + std::string(rule.place) +
           " does not allow";
}

} // namespace

std::vector<std::string> includeBreaches(const fs::path& root, std::span<const IncludeRule> rules) {
    std::vector<std::string> breaches;
    std::vector<const IncludeRule*> used;
    for (const std::string_view tree : kTrees) {
        const std::vector<std::string> sources = sourcesOf(root, tree);
        if (sources.empty())
            breaches.push_back(std::string(tree) + "/ holds no source file");
        for (const std::string& file : sources) {
            const IncludeRule* rule = ruleOf(file, rules);
            if (!rule) {
                breaches.push_back(file + " is in a folder without a rule");
                continue;
            }
            used.push_back(rule);
            for (const Include& include : includesOf(root / file))
                if (const auto reason = breach(file, include, *rule, root, rules))
                    breaches.push_back(file + ":" + std::to_string(include.line) + " " + *reason);
        }
    }
    for (const IncludeRule& rule : rules)
        if (std::ranges::find(used, &rule) == used.end())
            breaches.push_back("the rule for " + std::string(rule.place) + " governs no file");
    return breaches;
}

std::vector<std::string> orderBreaches(std::span<const IncludeRule> rules) {
    std::vector<std::string> breaches;
    for (std::size_t i = 0; i < rules.size(); ++i)
        for (const IncludeRule& later : rules.subspan(i + 1)) {
            const bool is_part = later.place.starts_with(folderOf(rules[i].place)) &&
                                 folderOf(rules[i].place) != kViews;
            const std::string some_file = std::string(later.place) + "a.h";
            for (const std::string_view glob : rules[i].allowed)
                if (!is_part && globMatches(glob, some_file))
                    breaches.push_back("the rule for " + std::string(rules[i].place) + " allows " +
                                       std::string(glob) + ", and that for " +
                                       std::string(later.place) + " stands below it");
        }
    return breaches;
}

std::vector<std::string> doorBreaches(const fs::path& root) {
    std::vector<std::string> shut;  ///< headers at the top of a room, less the doors that are found
    std::vector<std::string> doors; ///< whose own includes are still to be followed
    const auto use = [&](const std::string& header) {
        if (std::erase(shut, header) > 0)
            doors.push_back(header);
    };
    const std::vector<std::string> sources = allSources(root);
    std::ranges::copy_if(sources, std::back_inserter(shut), isAtTop);
    for (const std::string& file : sources)
        for (const Include& include : includesOf(root / file))
            if (roomOf(include.path) != roomOf(file))
                use(include.path);
    while (!doors.empty()) {
        const std::string door = std::move(doors.back());
        doors.pop_back();
        for (const Include& include : includesOf(root / door))
            use(include.path);
    }
    for (std::string& header : shut)
        header += " is at the top of " + std::string(roomOf(header)) +
                  ", but no other room uses it; it belongs in one of the folders there";
    return shut;
}

std::vector<std::string> nameBreaches(const fs::path& root) {
    static const std::regex kNamespace(R"(namespace ([a-z_:]+) \{)");
    static const std::regex kDefinition(
        R"((?:template .*)?(?:class|struct|enum|enum class|union) (\w+)(?: final)?(?: :[^:].*)? \{.*)");
    std::map<std::string, std::string> taken; ///< full name -> where
    std::vector<std::string> breaches;
    for (const std::string& file : allSources(root)) {
        if (!file.ends_with(".h"))
            continue;
        std::ifstream stream(root / file);
        std::string space;
        std::string text;
        for (std::size_t line = 1; std::getline(stream, text); ++line) {
            std::smatch match;
            if (std::regex_match(text, match, kNamespace))
                space = match[1];
            if (!std::regex_match(text, match, kDefinition))
                continue;
            const std::string place = file + ":" + std::to_string(line);
            const auto [first, is_new] = taken.try_emplace(space + "::" + match[1].str(), place);
            if (!is_new)
                breaches.push_back(place + " defines " + first->first + ", and so does " +
                                   first->second);
        }
    }
    return breaches;
}

namespace {

/// Of a part of the window, which may include all rooms below the views and these of their parts.
IncludeRule view(std::string_view part, const std::vector<std::string_view>& parts,
                 std::string_view other = "Q*") {
    IncludeRule rule{std::string(kViews).append(part),
                     {"core/*", "ui/document/*", "ui/markup/*", "ui/tables/*", "ui/widgets/*",
                      "ui/workers/*", "Q*", std::string(other)}};
    for (const std::string_view each : parts)
        rule.allowed.push_back(std::string(kViews).append(each));
    return rule;
}

} // namespace

std::span<const IncludeRule> includeRules() {
    static const std::vector<IncludeRule> rules{
        {"core/base/", {"malloc.h", "nlohmann/*", "pthread.h", "sys/*", "utf8proc.h", "zlib.h"}},
        {"core/tensor/",
         {"core/base/*", "cblas.h", "cpuid.h", "sys/*", "tbb/*", "unistd.h", "xsimd/*"}},
        {"core/io/",
         {"core/base/*", "core/tensor/*", "nettle/*", "zlib.h", "nlohmann/*", "dlfcn.h", "fcntl.h",
          "poll.h", "spawn.h", "unistd.h", "sys/*"}},
        {"core/io/reader/",
         {"core/base/*", "core/tensor/*", "core/io/*", "minizip/unzip.h", "seccomp.h", "fcntl.h",
          "linux/*", "unistd.h", "sys/*"}},
        {"core/io/reader/hdf5/", {"core/base/*", "core/tensor/*", "core/io/*", "hdf5.h"}},
        {"core/tokenizer/",
         {"core/base/*", "core/io/*", "nlohmann/*", "nettle/*", "pcre2.h",
          "sentencepiece_processor.h", "utf8proc.h"}},
        {"core/model/", {"core/base/*", "core/tensor/*", "core/tokenizer/*", "utf8proc.h"}},
        {"core/loading/",
         {"core/base/*", "core/tensor/*", "core/io/*", "core/tokenizer/*", "core/model/*",
          "nlohmann/*"}},
        {"core/datasets/", {"core/base/*", "core/tokenizer/*", "core/model/*"}},
        {"core/engine/", {"core/base/*", "core/tensor/*", "core/model/*"}},
        {"core/circuits/", {"core/base/*", "core/tensor/*", "core/model/*", "core/engine/*"}},
        {"core/heads/",
         {"core/base/*", "core/tensor/*", "core/model/*", "core/tokenizer/*", "core/datasets/*",
          "core/engine/*", "core/circuits/*"}},
        {"core/attribution/", {"core/base/*", "core/tensor/*", "core/model/*", "core/engine/*"}},
        {"core/similarity/",
         {"core/base/*", "core/tensor/*", "core/model/*", "core/engine/*", "core/heads/*"}},
        {"core/interventions/",
         {"core/base/*", "core/tensor/*", "core/io/*", "core/model/*", "core/tokenizer/*",
          "core/datasets/*", "core/engine/*", "core/heads/*", "core/attribution/*"}},
        {"core/trust/",
         {"core/base/*", "core/tensor/*", "core/model/*", "core/tokenizer/*", "core/datasets/*",
          "core/heads/*", "core/interventions/*"}},
        {"core/pruning/",
         {"core/base/*", "core/tensor/*", "core/io/*", "core/model/*", "core/tokenizer/*",
          "core/datasets/*", "core/engine/*", "core/heads/*", "core/interventions/*"}},
        {"core/verify/",
         {"core/base/*", "core/tensor/*", "core/io/*", "core/model/*", "core/loading/*",
          "core/tokenizer/*", "core/datasets/*", "core/engine/*", "core/heads/*",
          "core/interventions/*", "core/pruning/*", "nlohmann/*"}},
        {"core/export/",
         {"core/base/*", "core/tensor/*", "core/io/*", "core/model/*", "core/loading/*",
          "core/tokenizer/*", "core/datasets/*", "core/engine/*", "core/circuits/*", "core/heads/*",
          "core/attribution/*", "core/similarity/*", "core/interventions/*", "core/trust/*",
          "core/pruning/*", "core/verify/*", "nlohmann/*", "utf8proc.h", "zlib.h"}},
        {"core/ask/",
         {"core/base/*", "core/model/*", "core/engine/*", "core/circuits/*", "core/heads/*",
          "core/attribution/*", "core/similarity/*", "core/interventions/*", "core/export/*"}},
        {"ui/workers/", {"core/*", "Q*"}},
        {"ui/markup/", {"Q*"}},
        {"ui/tables/", {"core/*", "ui/markup/*", "Q*"}},
        {"ui/document/", {"core/*", "ui/markup/*", "ui/tables/*", "ui/workers/*", "Q*"}},
        {"ui/widgets/",
         {"core/base/*", "core/tensor/*", "ui/markup/*", "ui/widgets/figure/*", "Q*"}},
        {"ui/widgets/heatmap",
         {"core/base/*", "core/tensor/*", "core/io/*", "ui/markup/*", "ui/workers/*",
          "ui/widgets/figure/*", "Q*", "qcustomplot.h"}},
        {"ui/widgets/scatter", {"ui/markup/*", "ui/widgets/plot/*", "Q*", "qcustomplot.h"}},
        {"ui/widgets/curve",
         {"core/base/*", "ui/markup/*", "ui/widgets/plot/*", "ui/widgets/figure/*", "Q*",
          "qcustomplot.h"}},
        {"ui/widgets/plot", {"core/base/*", "Q*", "qcustomplot.h"}},
        {"ui/widgets/figure/", {"core/base/*", "core/io/*", "Q*", "qcustomplot.h"}},
        view("dialogs", {}),
        view("theme", {}),
        view("language", {}),
        view("pages/", {"dialogs.h"}),
        view("prompt/", {"dialogs.h", "pages/*"}),
        view("ablation/", {"pages/*", "prompt/*"}),
        view("grid/", {"pages/*", "ablation/*"}),
        view("maps/", {}),
        view("figure", {"maps/*"}),
        view("tokens/", {"prompt/*", "maps/*"}),
        view("why/", {"pages/*"}),
        view("inside/", {"pages/*"}),
        view("pattern/", {"pages/*", "grid/*", "maps/*", "tokens/*", "why/*", "inside/*"}),
        view("export/", {"dialogs.h", "pages/*", "prompt/*", "ablation/*", "grid/*", "maps/*",
                         "tokens/*", "pattern/*"}),
        view("scores/",
             {"dialogs.h", "pages/*", "ablation/*", "grid/*", "maps/*", "tokens/*", "export/*"}),
        view("attribution/", {"pages/*", "prompt/*"}),
        view("circuits/", {"pages/*", "grid/*"}),
        view("patching/", {"pages/*", "prompt/*", "maps/*"}),
        view("similarity/", {"pages/*"}),
        view("model/", {"pages/*"}),
        view("prompts/", {"dialogs.h", "pages/*", "grid/*"}),
        view("examples/", {"dialogs.h", "pages/*", "prompts/*"}),
        view("pruning/", {"dialogs.h", "pages/*", "prompts/*"}),
        view("help/", {"dialogs.h", "pages/*", "maps/*", "pattern/*"}),
        view("window/", {"dialogs.h", "pages/*", "pattern/*"}),
        view("window/recovery_copy", {}, "sys/file.h"), // flock()
        view("main_window", {"dialogs.h", "pages/*", "prompt/*", "ablation/*", "grid/*",
                             "pattern/*", "scores/*", "help/*", "window/*"}),
        view("running_window", {"main_window.h"}),
        view("commands/",
             {"dialogs.h", "theme.h", "pages/*", "prompt/*", "grid/*", "pattern/*", "export/*",
              "scores/*", "attribution/*", "circuits/*", "patching/*", "similarity/*", "model/*",
              "prompts/*", "examples/*", "pruning/*", "help/*", "window/*", "main_window.h"}),
        view("window_commands", {"window/*", "commands/*"}),
        {"app/", {"core/*", "ui/*", "Q*"}},
        {"app/cli/", {"core/*", "CLI/*", "malloc.h", "unistd.h"}},
        {"app/cli/mcp/",
         {"core/*", "app/cli/*", "CLI/*", "nettle/*", "nlohmann/*", "fcntl.h", "poll.h", "spawn.h",
          "sys/*", "unistd.h"}},
        {"app/python/", {"core/*", "pybind11/*", "unistd.h"}},
    };
    return rules;
}

} // namespace headscope
