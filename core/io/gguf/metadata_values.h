#pragma once

#include "core/io/gguf/header_bytes.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace headscope {

/// Reads the values of GGUF's metadata, and no more of them than a model has.
class MetadataReader {
public:
    explicit MetadataReader(HeaderBytes& bytes) : bytes_(bytes) {}

    /// u32 type, then the value: a number, a bool, a text, or an array of one of these. Failures
    /// are left in the bytes; `key` is for their messages.
    nlohmann::json value(const std::string& key);

private:
    nlohmann::json single(std::uint32_t type, const std::string& key);
    nlohmann::json array(const std::string& key);
    /// The fewest bytes that a value of this type takes; 0 for what may not be in an array.
    static std::size_t leastBytes(std::uint32_t type);

    HeaderBytes& bytes_;
    std::size_t n_values_ = 0;
};

} // namespace headscope
