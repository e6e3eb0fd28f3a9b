#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"
#include "core/loading/architectures/architecture.h"
#include "core/loading/config/config_reader.h"

namespace headscope {

/// What the config of a file says of its network, with the record of what was read.
struct DescribedModel {
    ConfigReader config;
    Architecture architecture;
};

/// Finds the config inside the file or beside it and describes the network by it. Fails where there
/// is none, where its family is unknown, or where its sizes contradict each other.
Result<DescribedModel> describeModel(const TensorSource& file);

} // namespace headscope
