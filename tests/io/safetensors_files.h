#pragma once

#include "tests/io/io_files.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace headscope::test {

/// The bytes of values as they lie in memory.
template <class T>
std::string bytesOf(std::initializer_list<T> values) {
    return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

/// A safetensors file of this header, whatever it says, and these bytes behind it.
inline std::string safetensorsBytes(std::string_view header, std::string_view data) {
    std::string bytes = bytesOf({std::uint64_t{header.size()}});
    return bytes.append(header).append(data);
}

inline void writeSafetensors(const std::filesystem::path& path, std::string_view header,
                             std::string_view data) {
    writeBytes(path, safetensorsBytes(header, data));
}

/// One float32 tensor of one element.
inline void writeOneTensor(const std::filesystem::path& path, const std::string& name,
                           float value) {
    std::string header = "{'name':{'dtype':'F32','shape':[1],'data_offsets':[0,4]}}";
    std::ranges::replace(header, '\'', '"');
    header.replace(header.find("name"), 4, name);
    writeSafetensors(path, header, bytesOf({value}));
}

} // namespace headscope::test
