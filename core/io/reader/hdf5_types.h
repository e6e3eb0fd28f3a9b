#pragma once

#include "core/io/reader/hdf5_dataset.h"
#include "core/io/sealed/file_description.h"

#include <hdf5.h>

#include <optional>

namespace headscope {

/// Whether words of 16 bits are bfloat16, as far as attributes say so (dtype, torch_dtype,
/// original_dtype); nothing when they say nothing.
std::optional<bool> saysBFloat16(const Texts& attributes);

/// Two bytes of which HDF5 only knows that they are opaque or an integer: writers without a type
/// for bfloat16 store it like that.
bool mayBeBFloat16(const Hdf5Dataset& dataset);

/// What kind of numbers a dataset holds. 16-bit floats are known by their bit fields; where
/// mayBeBFloat16(), `is_bfloat16` decides.
StoredType storedTypeOf(const Hdf5Dataset& dataset, bool is_bfloat16);

/// Whether the first byte of a word is its highest. Opaque words have no byte order; they are taken
/// as little-endian.
bool isBigEndian(hid_t type);

/// Whether it is an integer with a sign.
bool isSigned(hid_t type);

} // namespace headscope
