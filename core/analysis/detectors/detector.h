#pragma once

#include "core/analysis/head_score.h"
#include "core/base/token_id.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace headscope {

/// A token sequence that heads are probed with. `period` is set for BOS + X + X (or X + X): the
/// length of X, whose tokens are all different.
struct ProbeSequence {
    TokenIds ids;
    bool has_bos = false; ///< position 0 is BOS, which is no content
    std::optional<std::size_t> period;

    /// The first position that holds content.
    std::size_t firstContent() const { return has_bos ? 1 : 0; }
};

/// A head type that is recognised by where its attention goes. For each query it names the keys a
/// perfect head of this type would attend to; the score is the mean over queries of the attention
/// on them.
struct Detector {
    DetectorId id;
    std::string_view key;     ///< "induction": in files and on the command line
    std::string_view name;    ///< "Induction"
    char letter;              ///< in the grid
    std::string_view summary; ///< one sentence for people
    std::string_view formula; ///< with its source
    /// Keys that count for query q; empty: this query is not scored.
    std::vector<std::size_t> (*targets)(const ProbeSequence& sequence, std::size_t q);
};

/// All detectors in display order.
std::span<const Detector> detectors();
const Detector& detector(DetectorId id);
/// Nothing for an unknown key.
std::optional<DetectorId> detectorByKey(std::string_view key);

} // namespace headscope
