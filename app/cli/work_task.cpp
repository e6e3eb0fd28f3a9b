#include "app/cli/work_task.h"

#include "core/base/text.h"

namespace headscope::cli {

std::optional<Shard> shardOf(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos)
        return std::nullopt;
    const auto number = parseNumber<std::size_t>(text.substr(0, slash));
    const auto count = parseNumber<std::size_t>(text.substr(slash + 1));
    if (!number || !count || *number < 1 || *number > *count)
        return std::nullopt;
    return Shard{*number - 1, *count};
}

Result<Shard> shardOfArray(const Environment& environment) {
    const auto read = [&](const char* name) -> std::optional<std::size_t> {
        const char* const value = environment(name);
        return value != nullptr ? parseNumber<std::size_t>(value) : std::nullopt;
    };
    if (environment("SLURM_ARRAY_TASK_ID") == nullptr)
        return Shard{};
    const auto id = read("SLURM_ARRAY_TASK_ID");
    const auto count = read("SLURM_ARRAY_TASK_COUNT");
    const std::size_t first = read("SLURM_ARRAY_TASK_MIN").value_or(0);
    const std::size_t last = read("SLURM_ARRAY_TASK_MAX").value_or(0);
    // The step is said for ranges alone, and an array may be a list.
    const bool known = id && count && *count > 0 && *id >= first && *id <= last;
    const std::size_t step = !known || *count == 1 ? 1 : (last - first) / (*count - 1);
    if (!known || step == 0 || last != first + step * (*count - 1) || (*id - first) % step != 0)
        return Error{ErrorCode::InvalidArgument,
                     "The numbers of this Slurm array have gaps, so that a task cannot know which "
                     "one it is; submit a range such as --array=0-6, or give --shard."};
    return Shard{(*id - first) / step, *count};
}

} // namespace headscope::cli
