#pragma once

#include "core/base/result.h"
#include "core/io/hdf5_dataset.h"
#include "core/io/hdf5_text.h"
#include "core/io/tensor_source.h"

#include <span>

namespace headscope {

/// What kind of numbers a dataset holds. 16-bit floats are known by their bit fields. Words that
/// HDF5 calls opaque or integer are bfloat16 only where an attribute (dtype, torch_dtype,
/// original_dtype) says so.
StoredType storedTypeOf(const Hdf5Dataset& dataset, const TextReader& reader);

/// Reads all numbers, of the kind that storedTypeOf() gave, as float32. 16-bit floats are widened
/// here, which is far faster than HDF5's conversion. `target` must have elements() places. Error
/// messages are reasons.
Result<void> readNumbers(const Hdf5Dataset& dataset, StoredType stored, std::span<float> target);

} // namespace headscope
