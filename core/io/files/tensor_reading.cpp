#include "core/io/files/tensor_reading.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/tensor/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

namespace headscope {

namespace {

static_assert(std::endian::native == std::endian::little, "words are taken as they lie in files");

template <class Word>
void widenAs(std::span<const std::byte> words, std::span<float> target) {
    for (std::size_t i = 0; i < target.size(); ++i) {
        Word word;
        std::memcpy(&word, words.data() + i * sizeof(Word), sizeof(Word));
        target[i] = static_cast<float>(word);
    }
}

/// Buffers begin where memory was allocated, and so on a multiple of two.
std::span<const std::uint16_t> halvesOf(std::span<const std::byte> words) {
    return {reinterpret_cast<const std::uint16_t*>(words.data()), words.size() / 2};
}

void widenF16(std::span<const std::byte> words, std::span<float> target) {
    headscope::widen(FloatFormat::Float16, halvesOf(words), target);
}

void widenBF16(std::span<const std::byte> words, std::span<float> target) {
    headscope::widen(FloatFormat::BFloat16, halvesOf(words), target);
}

constexpr StoredType kInteger = StoredType::Integer;
constexpr StoredType kOther = StoredType::Other;

constexpr std::array<NumberFormat, 22> kFormats{{
    {"F64", 64, StoredType::Float64, widenAs<double>},
    {"F32", 32, StoredType::Float32, widenAs<float>},
    {"F16", 16, StoredType::Float16, widenF16},
    {"BF16", 16, StoredType::BFloat16, widenBF16},
    {"BOOL", 8, kInteger, widenAs<std::uint8_t>},
    {"I8", 8, kInteger, widenAs<std::int8_t>},
    {"U8", 8, kInteger, widenAs<std::uint8_t>},
    {"I16", 16, kInteger, widenAs<std::int16_t>},
    {"U16", 16, kInteger, widenAs<std::uint16_t>},
    {"I32", 32, kInteger, widenAs<std::int32_t>},
    {"U32", 32, kInteger, widenAs<std::uint32_t>},
    {"I64", 64, kInteger, widenAs<std::int64_t>},
    {"U64", 64, kInteger, widenAs<std::uint64_t>},
    {"C64", 64, kOther},
    {"F8_E5M2", 8, kOther},
    {"F8_E4M3", 8, kOther},
    {"F8_E8M0", 8, kOther},
    {"F8_E5M2FNUZ", 8, kOther},
    {"F8_E4M3FNUZ", 8, kOther},
    {"F6_E2M3", 6, kOther},
    {"F6_E3M2", 6, kOther},
    {"F4", 4, kOther},
}};

} // namespace

const NumberFormat* numberFormat(std::string_view name) {
    const auto found = std::ranges::find(kFormats, name, &NumberFormat::name);
    return found == kFormats.end() ? nullptr : &*found;
}

Error cannotRead(const std::filesystem::path& path, std::string_view tensor, const Error& reason) {
    return {reason.code, "Cannot read tensor '" + std::string(tensor) + "' of '" + path.string() +
                             "': " + reason.message + "."};
}

Result<std::size_t> indexForReading(const TensorSource& source, const TensorInfo& tensor,
                                    const NumberTarget& target) {
    const TensorInfo* const known = source.find(tensor.name);
    if (known == nullptr)
        return cannotRead(source.path(), tensor.name,
                          {ErrorCode::NotFound, "there is no such tensor"});
    if (target.size() != elementCount(known->shape))
        return cannotRead(
            source.path(), tensor.name,
            {ErrorCode::InvalidArgument, "it has shape " + shapeText(known->shape) + ", not " +
                                             std::to_string(target.size()) + " values"});
    if (target.isWords() && formatFor(known->type) == FloatFormat::Float32)
        return cannotRead(source.path(), tensor.name,
                          {ErrorCode::InvalidArgument, "it is not stored in words of 16 bits"});
    return static_cast<std::size_t>(known - source.tensors().data());
}

Result<void> TensorBudget::take(const TensorInfo& tensor) {
    const auto bytes =
        checkedMultiply(elementCount(tensor.shape), bytesPerNumber(formatFor(tensor.type)));
    const auto sum = bytes ? checkedAdd(taken_, *bytes) : std::nullopt;
    if (!sum || *sum > bytes_)
        return Error{ErrorCode::TooLarge, "its tensors need more than the " + byteText(bytes_) +
                                              " of memory there are (tensor '" + tensor.name +
                                              "' of shape " + shapeText(tensor.shape) +
                                              " no longer fits); choose a smaller model"};
    taken_ = *sum;
    return {};
}

} // namespace headscope
