#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/model/model.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace headscope::cli {

/// Bytes of this process that are in memory now; nothing where /proc does not say.
std::optional<std::size_t> residentMemory();

/// Gives memory that was freed back to the system, then watches how much comes to be in use.
class PeakMemory {
public:
    PeakMemory();

    /// The most bytes in memory at any time since; nothing where the system cannot tell.
    std::optional<std::size_t> bytes() const;

private:
    bool watched_;
};

/// What is timed, as often as asked.
using TimedWork = std::function<Result<void>()>;

/// Something `headscope-cli bench` can measure.
struct Benchmark {
    std::string_view name;
    std::string_view meaning; ///< one line for --help and the table
    std::string_view floor;   ///< the benchmark its time is compared with; empty: none
    /// Does what comes before and is not timed.
    Result<TimedWork> (*prepare)(const std::shared_ptr<const Model>& model, const TokenIds& ids);
};

/// All of them in the order in which they are done.
std::span<const Benchmark> benchmarks();

} // namespace headscope::cli
