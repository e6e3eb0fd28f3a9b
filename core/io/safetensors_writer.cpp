#include "core/io/safetensors_writer.h"

#include "core/io/atomic_file.h"
#include "core/io/file_error.h"
#include "core/io/files/open_file.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace headscope {

namespace {

/// As the format spells it.
const char* safetensorsName(FloatFormat format) {
    switch (format) {
    case FloatFormat::Float16:
        return "F16";
    case FloatFormat::BFloat16:
        return "BF16";
    case FloatFormat::Float32:
        break;
    }
    return "F32";
}

std::size_t tensorBytes(const StreamedArray& array) {
    return elementCount(array.shape) * bytesPerNumber(array.format);
}

/// The length of the description, and the description, filled up to whole words.
std::string safetensorsHeader(std::span<const StreamedArray> arrays) {
    nlohmann::ordered_json description{{"__metadata__", {{"format", "pt"}}}};
    std::size_t offset = 0;
    for (const StreamedArray& array : arrays) {
        const std::size_t end = offset + tensorBytes(array);
        description[array.name] = {{"dtype", safetensorsName(array.format)},
                                   {"shape", array.shape},
                                   {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = description.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t size = text.size();
    return std::string(reinterpret_cast<const char*>(&size), sizeof size) + text;
}

Result<void> appendTensorBytes(const StreamedArray& array, std::size_t index,
                               const ProduceArray& produce, OutputFile& file,
                               const std::filesystem::path& shown) {
    std::size_t written = 0;
    const auto append = [&](std::span<const std::byte> bytes) {
        written += bytes.size();
        return file.append(bytes);
    };
    if (auto done = produce(index, append); !done)
        return done;
    if (written != tensorBytes(array))
        return cannotWrite(shown,
                           "tensor '" + array.name + "' has not as many numbers as its shape says");
    return {};
}

} // namespace

Result<void> writeSafetensors(const std::filesystem::path& path,
                              std::span<const StreamedArray> arrays, const ProduceArray& produce) {
    const std::string header = safetensorsHeader(arrays);
    return writeFileAtomically(path, [&](const std::filesystem::path& temporary) -> Result<void> {
        auto file = OutputFile::open(temporary, path);
        if (!file)
            return file.error();
        if (auto begun = file->append(std::as_bytes(std::span(header))); !begun)
            return begun;
        for (std::size_t i = 0; i < arrays.size(); ++i)
            if (auto done = appendTensorBytes(arrays[i], i, produce, *file, path); !done)
                return done;
        return file->close();
    });
}

} // namespace headscope
