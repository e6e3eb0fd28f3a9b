#include "core/io/hdf5/hdf5_numbers.h"

#include "core/io/files/tensor_reading.h"
#include "core/io/hdf5/hdf5_chunks.h"
#include "core/io/slabs.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

namespace {

/// The name of the same format in safetensors, whose words have their lowest byte first.
std::string_view formatName(const DatasetDescription& dataset) {
    switch (dataset.type) {
    case StoredType::Float64:
        return "F64";
    case StoredType::Float32:
        return "F32";
    case StoredType::Float16:
        return "F16";
    case StoredType::BFloat16:
        return "BF16";
    case StoredType::Integer:
        switch (dataset.element_bytes) {
        case 1:
            return dataset.is_signed ? "I8" : "U8";
        case 2:
            return dataset.is_signed ? "I16" : "U16";
        case 4:
            return dataset.is_signed ? "I32" : "U32";
        default:
            return dataset.is_signed ? "I64" : "U64";
        }
    case StoredType::Quantized:
    case StoredType::Other:
        break;
    }
    return "";
}

Error unreadableNumbers() {
    return {ErrorCode::Malformed, "its numbers cannot be read; the file is damaged or cut short, "
                                  "download or copy it again"};
}

/// Reads the elements of one dataset, slab by slab.
class NumberReader {
public:
    NumberReader(const InputFile& file, const DatasetDescription& dataset,
                 const NumberFormat& format, const std::stop_token& stop)
        : file_(file), dataset_(dataset), format_(format), stop_(stop) {}

    Result<void> read(const NumberTarget& target) const {
        if (target.isWords())
            return readAsStored(std::as_writable_bytes(target.words));
        if (dataset_.type == StoredType::Float32)
            return readAsStored(std::as_writable_bytes(target.floats));
        return std::visit([&](const auto& storage) { return convert(storage, target.floats); },
                          dataset_.storage);
    }

private:
    Result<void> readAsStored(std::span<std::byte> target) const {
        auto done = std::visit([&](const auto& storage) { return copy(storage, target); },
                               dataset_.storage);
        if (done)
            sortBytes(target);
        return done;
    }

    Result<void> copy(const ContiguousStorage& storage, std::span<std::byte> target) const {
        return forEachSlab(target.size(), 1, stop_, [&](std::size_t first, std::size_t count) {
            return readStored(storage.offset + first, target.subspan(first, count));
        });
    }
    Result<void> copy(const ChunkedStorage& storage, std::span<std::byte> target) const {
        return readChunks(file_, dataset_, storage, target, stop_);
    }
    Result<void> copy(const CompactStorage& storage, std::span<std::byte> target) const {
        std::ranges::copy(storage, target.begin());
        return {};
    }

    Result<void> convert(const ContiguousStorage& storage, std::span<float> target) const {
        const std::size_t word_bytes = dataset_.element_bytes;
        Bytes words;
        return forEachSlab(target.size(), word_bytes, stop_,
                           [&](std::size_t first, std::size_t count) -> Result<void> {
                               words.resize(count * word_bytes);
                               const std::size_t offset = storage.offset + first * word_bytes;
                               if (auto done = readStored(offset, words); !done)
                                   return done;
                               widen(words, target.subspan(first, count));
                               return {};
                           });
    }
    /// Chunks come in any order: all of them are read before the first element is converted.
    template <class Storage>
    Result<void> convert(const Storage& storage, std::span<float> target) const {
        const std::size_t word_bytes = dataset_.element_bytes;
        Bytes words(target.size() * word_bytes);
        if (auto done = copy(storage, words); !done)
            return done;
        return forEachSlab(target.size(), word_bytes, stop_,
                           [&](std::size_t first, std::size_t count) -> Result<void> {
                               widen(
                                   std::span(words).subspan(first * word_bytes, count * word_bytes),
                                   target.subspan(first, count));
                               return {};
                           });
    }

    Result<void> readStored(std::size_t offset, std::span<std::byte> target) const {
        const auto count = file_.readAt(offset, target);
        if (!count || *count < target.size())
            return unreadableNumbers();
        return {};
    }

    void widen(std::span<std::byte> words, std::span<float> target) const {
        sortBytes(words);
        format_.widen(words, target);
    }

    /// Lowest byte first.
    void sortBytes(std::span<std::byte> words) const {
        const std::size_t word_bytes = dataset_.element_bytes;
        if (dataset_.big_endian)
            for (std::size_t first = 0; first < words.size(); first += word_bytes)
                std::ranges::reverse(words.subspan(first, word_bytes));
    }

    const InputFile& file_;
    const DatasetDescription& dataset_;
    const NumberFormat& format_;
    const std::stop_token& stop_;
};

} // namespace

Result<void> readNumbers(const InputFile& file, const DatasetDescription& dataset,
                         const NumberTarget& target, const std::stop_token& stop) {
    const NumberFormat* const format = numberFormat(formatName(dataset));
    if (format == nullptr)
        return Error{ErrorCode::Unsupported,
                     "it holds no numbers that can be read, expected float16, bfloat16, float32 or "
                     "float64; save it as float32"};
    if (target.size() == 0)
        return {};
    return NumberReader(file, dataset, *format, stop).read(target);
}

} // namespace headscope
