#include "core/io/hdf5_numbers.h"

#include "core/io/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

namespace {

/// Where the parts of a two-byte float lie, in bits.
struct HalfFields {
    std::size_t sign = 0;
    std::size_t exponent = 0;
    std::size_t exponent_bits = 0;
    std::size_t mantissa = 0;
    std::size_t mantissa_bits = 0;
    std::size_t bias = 0;

    bool operator==(const HalfFields&) const = default;
};
constexpr HalfFields kFloat16Fields{15, 10, 5, 0, 10, 15};
constexpr HalfFields kBFloat16Fields{15, 7, 8, 0, 7, 127};

bool isEither(hid_t type, hid_t little_endian, hid_t big_endian) {
    return H5Tequal(type, little_endian) > 0 || H5Tequal(type, big_endian) > 0;
}

StoredType floatType(hid_t type) {
    if (isEither(type, H5T_IEEE_F32LE, H5T_IEEE_F32BE))
        return StoredType::Float32;
    if (isEither(type, H5T_IEEE_F64LE, H5T_IEEE_F64BE))
        return StoredType::Float64;
    HalfFields fields;
    if (H5Tget_size(type) != 2 || H5Tget_norm(type) != H5T_NORM_IMPLIED ||
        H5Tget_fields(type, &fields.sign, &fields.exponent, &fields.exponent_bits, &fields.mantissa,
                      &fields.mantissa_bits) < 0)
        return StoredType::Other;
    fields.bias = H5Tget_ebias(type);
    if (fields == kFloat16Fields)
        return StoredType::Float16;
    if (fields == kBFloat16Fields)
        return StoredType::BFloat16;
    return StoredType::Other;
}

/// Whether an attribute says that these two-byte words are bfloat16.
bool isNamedBFloat16(const Hdf5Dataset& dataset, const TextReader& reader) {
    if (dataset.elementBytes() != 2)
        return false;
    const auto texts = reader.attributesOf(dataset.id());
    if (!texts)
        return false;
    constexpr std::array<std::string_view, 3> names{"dtype", "torch_dtype", "original_dtype"};
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        const auto found = texts->find(name);
        return found != texts->end() &&
               (found->second == "bfloat16" || found->second == "torch.bfloat16");
    });
}

bool isWholeWord(hid_t type) {
    return H5Tget_size(type) <= 8 && H5Tget_precision(type) == 8 * H5Tget_size(type);
}

/// Opaque words have no byte order; they are taken as little-endian.
bool isBigEndian(hid_t type) {
    return H5Tget_class(type) != H5T_OPAQUE && H5Tget_order(type) == H5T_ORDER_BE;
}

Result<void> readHalves(const Hdf5Dataset& dataset, StoredType stored, std::span<float> target) {
    std::vector<std::uint16_t> words(target.size());
    if (auto read = dataset.read(std::as_writable_bytes(std::span(words))); !read)
        return read.error();
    if (isBigEndian(dataset.type()) != (std::endian::native == std::endian::big))
        for (std::uint16_t& word : words)
            word = static_cast<std::uint16_t>(word << 8 | word >> 8);
    if (stored == StoredType::Float16)
        widenFloat16(words, target);
    else
        widenBFloat16(words, target);
    return {};
}

Result<void> readAndConvert(const Hdf5Dataset& dataset, std::span<float> target) {
    // H5Tconvert works in place, from elements of one size to elements of the other.
    const std::size_t stored_bytes = target.size() * dataset.elementBytes();
    std::vector<std::byte> buffer(std::max(stored_bytes, target.size_bytes()));
    if (auto read = dataset.read(std::span(buffer).first(stored_bytes)); !read)
        return read.error();
    if (H5Tconvert(dataset.type(), H5T_NATIVE_FLOAT, target.size(), buffer.data(), nullptr,
                   H5P_DEFAULT) < 0)
        return Error{ErrorCode::Unsupported,
                     "its numbers cannot be converted to float32; save it as float32"};
    std::memcpy(target.data(), buffer.data(), target.size_bytes());
    return {};
}

} // namespace

StoredType storedTypeOf(const Hdf5Dataset& dataset, const TextReader& reader) {
    switch (H5Tget_class(dataset.type())) {
    case H5T_FLOAT:
        return floatType(dataset.type());
    case H5T_INTEGER:
        if (isNamedBFloat16(dataset, reader))
            return StoredType::BFloat16;
        return isWholeWord(dataset.type()) ? StoredType::Integer : StoredType::Other;
    case H5T_OPAQUE:
        return isNamedBFloat16(dataset, reader) ? StoredType::BFloat16 : StoredType::Other;
    default:
        return StoredType::Other;
    }
}

Result<void> readNumbers(const Hdf5Dataset& dataset, StoredType stored, std::span<float> target) {
    if (target.empty())
        return {};
    if (stored == StoredType::Other)
        return Error{ErrorCode::Unsupported,
                     "it holds no numbers that can be read, expected float16, bfloat16, float32 or "
                     "float64; save it as float32"};
    if (stored == StoredType::Float16 || stored == StoredType::BFloat16)
        return readHalves(dataset, stored, target);
    if (H5Tequal(dataset.type(), H5T_NATIVE_FLOAT) > 0)
        return dataset.read(std::as_writable_bytes(target));
    return readAndConvert(dataset, target);
}

} // namespace headscope
