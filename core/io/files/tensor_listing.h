#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

// What the readers of all formats have in common.

namespace headscope {

/// "Cannot read tensor 'h.0.w' of 'gpt2.h5': <reason>."
Error cannotRead(const std::filesystem::path& path, std::string_view tensor, const Error& reason);

/// The place in tensors() of the tensor that read() was asked for. Fails when there is none of that
/// name, or `target` has not its size or is for words that it does not hold.
Result<std::size_t> indexForReading(const TensorSource& source, const TensorInfo& tensor,
                                    const NumberTarget& target);

/// Counts what tensors need in memory.
class TensorBudget {
public:
    explicit TensorBudget(std::size_t bytes) : bytes_(bytes) {}

    /// Fails when this tensor no longer fits beside those before it. Error messages are reasons.
    Result<void> take(const TensorInfo& tensor);

private:
    std::size_t bytes_;
    std::size_t taken_ = 0;
};

} // namespace headscope
