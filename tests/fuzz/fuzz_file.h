#pragma once

#include "core/io/tensor_source.h"

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace headscope::fuzz {

using Input = std::span<const std::uint8_t>;

/// A folder of this process alone, which stays when it ends: a finding's last input is in it.
inline std::filesystem::path folder() {
    static const auto path = [] {
        const auto made = std::filesystem::temp_directory_path() /
                          ("headscope-fuzz-" + std::to_string(::getpid()));
        std::filesystem::create_directories(made);
        return made;
    }();
    return path;
}

inline std::filesystem::path write(const std::string& name, Input bytes) {
    const auto path = folder() / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path;
}

/// Opens a file and reads every tensor in it; both may fail, in good order.
inline void openAndReadAll(const std::filesystem::path& path) {
    constexpr std::size_t budget = std::size_t{1} << 24;
    const auto source = openTensorSource(path, budget);
    if (!source)
        return;
    for (const TensorInfo& tensor : (*source)->tensors()) {
        std::vector<float> values(elementCount(tensor.shape));
        static_cast<void>((*source)->read(tensor, values));
    }
}

} // namespace headscope::fuzz
