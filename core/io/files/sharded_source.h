#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <stop_token>

namespace headscope {

/// Opens a model in several files by its index. Tensors that a shard holds and the index does not
/// list there are left out with a note, and so are shards that are not there.
Result<std::unique_ptr<TensorSource>> openShardedSource(const std::filesystem::path& index,
                                                        std::size_t byte_budget,
                                                        const std::stop_token& stop);

/// Opens one of several shards by itself, with a note that the others and the index are missing.
Result<std::unique_ptr<TensorSource>> openLoneShard(const std::filesystem::path& shard,
                                                    const std::filesystem::path& index,
                                                    std::size_t byte_budget,
                                                    const std::stop_token& stop);

} // namespace headscope
