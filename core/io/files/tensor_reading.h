#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

// What the readers of all formats have in common.

namespace headscope {

/// The whole number in up to 8 bytes, lowest first.
inline std::uint64_t littleEndian(std::span<const std::byte> bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    return value;
}

/// A number format of safetensors.
struct NumberFormat {
    using Widen = void (*)(std::span<const std::byte> words, std::span<float> target);

    std::string_view name; ///< "BF16"
    std::size_t bits = 0;
    StoredType type = StoredType::Other;
    /// Little-endian words to the nearest float32; null for StoredType::Other.
    Widen widen = nullptr;
};

/// Null for a name that safetensors does not know.
const NumberFormat* numberFormat(std::string_view name);

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
