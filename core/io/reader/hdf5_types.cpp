#include "core/io/reader/hdf5_types.h"

#include <bit>
#include <cstddef>
#include <string_view>

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

bool isWholeWord(hid_t type) {
    const std::size_t bytes = H5Tget_size(type);
    return bytes <= 8 && std::has_single_bit(bytes) && H5Tget_precision(type) == 8 * bytes;
}

} // namespace

std::optional<bool> saysBFloat16(const Texts& attributes) {
    for (const std::string_view name : {"dtype", "torch_dtype", "original_dtype"})
        if (const auto found = attributes.find(name); found != attributes.end())
            return found->second == "bfloat16" || found->second == "torch.bfloat16";
    return std::nullopt;
}

bool mayBeBFloat16(const Hdf5Dataset& dataset) {
    const H5T_class_t kind = H5Tget_class(dataset.type());
    return dataset.elementBytes() == 2 && (kind == H5T_INTEGER || kind == H5T_OPAQUE);
}

StoredType storedTypeOf(const Hdf5Dataset& dataset, bool is_bfloat16) {
    if (mayBeBFloat16(dataset) && is_bfloat16)
        return StoredType::BFloat16;
    switch (H5Tget_class(dataset.type())) {
    case H5T_FLOAT:
        return floatType(dataset.type());
    case H5T_INTEGER:
        return isWholeWord(dataset.type()) ? StoredType::Integer : StoredType::Other;
    default:
        return StoredType::Other;
    }
}

bool isBigEndian(hid_t type) {
    return H5Tget_class(type) != H5T_OPAQUE && H5Tget_order(type) == H5T_ORDER_BE;
}

bool isSigned(hid_t type) {
    return H5Tget_class(type) == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
}

} // namespace headscope
