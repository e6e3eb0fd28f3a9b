#pragma once

#include "core/base/result.h"
#include "core/heads/head_score.h"
#include "core/trust/label_trust.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// How many a file holds: those of the latest thresholds.
inline constexpr std::size_t kMostLabelTests = 4;

/// What was measured of the labels of a network, whose weights are known by their hash, at some
/// thresholds. Of each label's score only the head, the type and the number are kept.
struct LabelTests {
    bool square_flipped = false; ///< LoadOptions
    Thresholds thresholds = {};
    std::vector<LabelTrust> labels = {}; ///< as they are read: by head and type, none twice
    std::vector<std::string> notes = {}; ///< ModelTrust
};

/// Writes the last kMostLabelTests, fewer where those have more than 50,000 labels:
/// {"headscope_labels": 1, "app_version", "tests": [{"square_matrices", "thresholds", "notes",
/// "labels": [{"head", "type", "score", "effect", "beside", "sets", "stable_share",
/// "resamples"}]}]}, whole or not at all.
Result<void> writeLabelTests(const std::filesystem::path& path, std::span<const LabelTests> tests);

/// May take seconds for a large file. None where there is no file, and where another version of
/// Headscope wrote it, which may measure otherwise. Fails with one sentence for a file of another
/// form, and with ErrorCode::Unsupported for one of a later form.
Result<std::vector<LabelTests>> readLabelTests(const std::filesystem::path& path);

} // namespace headscope
