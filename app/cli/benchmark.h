#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/model/model.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace headscope::cli {

/// What is timed, as often as asked.
using Work = std::function<Result<void>()>;

/// Something `headscope-cli bench` can measure.
struct Benchmark {
    std::string_view name;
    std::string_view meaning; ///< one line for --help and the table
    std::string_view floor;   ///< the benchmark its time is compared with; empty: none
    /// Does what comes before and is not timed.
    Result<Work> (*prepare)(const std::shared_ptr<const Model>& model, const TokenIds& ids);
};

/// All of them in the order in which they are done.
std::span<const Benchmark> benchmarks();

} // namespace headscope::cli
