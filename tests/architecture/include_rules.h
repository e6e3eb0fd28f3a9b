#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// What the files of one place may include, besides the standard library and the place itself.
struct IncludeRule {
    /// Prefix of the file's path from the repository root: a folder ("core/io/") or the files of
    /// one part ("ui/widgets/heatmap"). The longest prefix that fits a file governs it.
    std::string place;
    /// Globs over what stands between the quotes or brackets ("core/base/*", "hdf5.h").
    std::vector<std::string> allowed;
};

/// The rules of this repository, in the direction of the data: what is above is included below.
std::span<const IncludeRule> includeRules();

/// Checks every C++ file below core/, ui/ and app/ of `root`: against the rules, and that it enters
/// another room (a folder such as core/engine or ui/views/grid) only by a door, a header at the top
/// of that folder.
/// One sentence per breach, each starting with "file:line" or the place; empty when all is well. A
/// folder without a rule, a rule without files and a missing or empty tree are breaches too.
std::vector<std::string> includeBreaches(const std::filesystem::path& root,
                                         std::span<const IncludeRule> rules);

/// Checks that no rule allows what a later one governs, so that no two places include each other.
/// Parts of one room that is no view, such as that of the heatmap, may. One sentence for each that
/// does; empty when all is well.
std::vector<std::string> orderBreaches(std::span<const IncludeRule> rules);

/// Checks every header at the top of a room below core/ and ui/: a file of another room or of app/
/// includes it, or a door of its room does, which then speaks of its types. One sentence for each
/// that is no such door; empty when all is well.
std::vector<std::string> doorBreaches(const std::filesystem::path& root);

/// Checks the names of classes, structs and enumerations that headers below core/, ui/ and app/
/// define at the level of a namespace: two of one name in one namespace are one type to the linker,
/// which keeps the destructor of either for both. One sentence for each name that is taken; empty
/// when all is well.
std::vector<std::string> nameBreaches(const std::filesystem::path& root);

} // namespace headscope
