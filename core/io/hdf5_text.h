#pragma once

#include "core/base/result.h"
#include "core/io/hdf5_dataset.h"

#include <hdf5.h>

#include <map>
#include <optional>
#include <string>

namespace headscope {

/// The texts among the attributes of an object, by name: single strings of fixed or variable
/// length. Attributes of any other kind are left out. Error messages are reasons.
Result<std::map<std::string, std::string, std::less<>>> textAttributesOf(hid_t object);

/// The text of a dataset that holds a single string, or nothing for any other dataset.
Result<std::optional<std::string>> textOf(const Hdf5Dataset& dataset);

} // namespace headscope
