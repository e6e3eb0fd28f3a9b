#pragma once

#include "app/cli/benchmark.h"
#include "core/base/table.h"
#include "core/model/model.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace headscope::cli {

/// One benchmark at one length.
struct Measurement {
    const Benchmark* benchmark = nullptr;
    std::size_t tokens = 0;
    std::vector<double> seconds; ///< ascending
    /// At any time of the runs, weights and program not counted.
    std::optional<std::size_t> peak_bytes;

    double median() const { return seconds[seconds.size() / 2]; }
};

/// One row per measurement: tokens, what, median_seconds, seconds, times_floor (nothing when the
/// floor was not measured) and peak_bytes. Fields: weight_bytes, kernels, openblas_coretype,
/// threads, in JSON also model and version. The rows are "measurements".
Table benchTable(const Model& model, int repeats, std::span<const Measurement> measured);

} // namespace headscope::cli
