#pragma once

#include "core/base/json.h"
#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/heads/head_score.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace headscope {

// JSON files that hold what a user did. A value in another form than it was written in counts as
// missing.

using KeptJson = nlohmann::ordered_json;

/// What the file is: {"headscope_notes": 1, …}, called "file of notes".
struct KeptKind {
    std::string_view key;
    std::string_view name;
    std::uint64_t version = 1;
    std::size_t largest = std::size_t{16} << 20; ///< bytes
    /// Eight times what a project of 10,000 heads holds, each of them chosen, ablated and
    /// bookmarked.
    std::size_t values = 1'000'000;
};

/// Indented, under the key and version of its kind. Fails where readKept() would refuse the length.
Result<std::string> keptText(const KeptKind& kind, KeptJson members);
/// Whole or not at all.
Result<void> writeKept(const std::filesystem::path& path, const KeptKind& kind, KeptJson members);
/// "PATH cannot be written: " and the reason.
Error cannotKeep(const std::filesystem::path& path, const Error& reason);
/// Fails with one sentence for a file of another kind, and with ErrorCode::Unsupported for one of a
/// later version.
Result<JsonDocument> readKept(const std::filesystem::path& path, const KeptKind& kind);

KeptJson headJson(LayerHead head);
std::optional<LayerHead> headFrom(const JsonValue& pair);
KeptJson headListJson(const std::vector<LayerHead>& heads);
std::optional<std::vector<LayerHead>> headListFrom(const JsonValue& list);

/// {type: number}, those that were moved.
KeptJson thresholdsJson(const Thresholds& thresholds);
/// Types that this version does not know are left out.
Thresholds thresholdsFrom(const JsonValue& moved);

/// How a file says that square matrices are read the other way round.
KeptJson squaresJson(bool flipped);
bool squaresFrom(const JsonValue& value);

} // namespace headscope
