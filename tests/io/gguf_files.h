#pragma once

#include "tests/io/safetensors_files.h"

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::test {

/// u64 length, then the bytes.
inline std::string ggufText(std::string_view text) {
    return bytesOf({std::uint64_t{text.size()}}).append(text);
}

/// Key, u32 type, value.
inline std::string ggufPair(std::string_view key, std::uint32_t type, std::string_view value) {
    return ggufText(key).append(bytesOf({type})).append(value);
}
inline std::string ggufNumber(std::string_view key, std::uint32_t value) {
    return ggufPair(key, 4, bytesOf({value}));
}
inline std::string ggufString(std::string_view key, std::string_view value) {
    return ggufPair(key, 8, ggufText(value));
}
/// An array: u32 type of its values, u64 count, the values.
inline std::string ggufArray(std::string_view key, std::uint32_t type, std::uint64_t count,
                             std::string_view values) {
    return ggufPair(key, 9, bytesOf({type}).append(bytesOf({count})).append(values));
}

/// Name, dimensions from the fastest on, type, offset.
inline std::string ggufTensor(std::string_view name, const std::vector<std::uint64_t>& dimensions,
                              std::uint32_t type, std::uint64_t offset) {
    std::string bytes = ggufText(name);
    bytes += bytesOf({static_cast<std::uint32_t>(dimensions.size())});
    for (const std::uint64_t size : dimensions)
        bytes += bytesOf({size});
    return bytes + bytesOf({type}) + bytesOf({offset});
}

/// A whole file of version 3: its counts are those of the lists.
inline std::string ggufBytes(const std::vector<std::string>& metadata,
                             const std::vector<std::string>& tensors, std::string_view data,
                             std::size_t alignment = 32, std::uint32_t version = 3) {
    std::string bytes = "GGUF" + bytesOf({version}) + bytesOf({std::uint64_t{tensors.size()}}) +
                        bytesOf({std::uint64_t{metadata.size()}});
    for (const std::string& pair : metadata)
        bytes += pair;
    for (const std::string& tensor : tensors)
        bytes += tensor;
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    return bytes.append(data);
}

/// One float32 tensor 'w' of four numbers.
inline std::string smallGguf() {
    return ggufBytes({ggufString("general.architecture", "llama")}, {ggufTensor("w", {4}, 0, 0)},
                     bytesOf({1.0f, 2.0f, 3.0f, 4.0f}));
}

} // namespace headscope::test
