#include "core/io/sealed/file_description.h"

#include "core/base/memory.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

namespace headscope {

namespace {

constexpr std::size_t kMaxPathBytes = 32 * (kMaxTensorNameBytes + 1);
constexpr std::size_t kMaxElementBytes = std::size_t{1} << 20;

Error contradiction(const std::string& what) {
    return {ErrorCode::Malformed, "its description does not fit the file (" + what +
                                      "); download or copy the file again"};
}

bool isInside(std::uint64_t offset, std::uint64_t bytes, std::size_t file_bytes) {
    return offset <= file_bytes && bytes <= file_bytes - offset;
}

bool isPossible(StoredType type, std::uint64_t bytes) {
    switch (type) {
    case StoredType::Float64:
        return bytes == 8;
    case StoredType::Float32:
        return bytes == 4;
    case StoredType::Float16:
    case StoredType::BFloat16:
        return bytes == 2;
    case StoredType::Integer:
        return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    case StoredType::Quantized:
    case StoredType::Other:
        break;
    }
    return bytes > 0 && bytes <= kMaxElementBytes;
}

/// Checks the storage of one dataset against its shape and the file.
class StorageCheck {
public:
    StorageCheck(const DatasetDescription& dataset, std::size_t declared, std::size_t file_bytes)
        : dataset_(dataset), declared_(declared), file_bytes_(file_bytes) {}

    Result<void> operator()(const CompactStorage& storage) const {
        if (storage.size() != declared_)
            return contradiction("its numbers have another size than its shape");
        return {};
    }

    Result<void> operator()(const ContiguousStorage& storage) const {
        if (declared_ > 0 && !isInside(storage.offset, declared_, file_bytes_))
            return contradiction("its numbers lie past the end");
        return {};
    }

    Result<void> operator()(const ChunkedStorage& storage) const {
        const Shape& chunk = storage.chunk_shape;
        if (chunk.size() != dataset_.shape.size() || chunk.empty() ||
            std::ranges::find(chunk, std::size_t{0}) != chunk.end())
            return contradiction("its chunks have no shape");
        const auto elements = checkedProduct(chunk);
        const auto bytes =
            elements ? checkedMultiply(*elements, dataset_.element_bytes) : std::nullopt;
        if (!bytes || *bytes > std::max(declared_, kMaxSpareChunkBytes))
            return contradiction("its chunks are far larger than itself");
        if (storage.places.size() != chunksIn(dataset_.shape, chunk))
            return contradiction("it has not as many chunks as its shape says");
        if (auto checked = checkFilters(storage.filters); !checked)
            return checked;
        return checkPlaces(storage, *bytes);
    }

private:
    /// 0 where the shape has no element; a product no larger than that of the shape.
    static std::size_t chunksIn(const Shape& shape, const Shape& chunk) {
        std::size_t count = 1;
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            count *= shape[axis] / chunk[axis] + (shape[axis] % chunk[axis] != 0 ? 1 : 0);
        return count;
    }

    static Result<void> checkFilters(std::vector<ChunkFilter> filters) {
        std::ranges::sort(filters);
        if (std::ranges::adjacent_find(filters) != filters.end())
            return contradiction("it is packed twice by the same filter");
        return {};
    }

    Result<void> checkPlaces(const ChunkedStorage& storage, std::size_t chunk_bytes) const {
        std::size_t left = file_bytes_;
        for (const ChunkPlace& place : storage.places) {
            if (!isInside(place.offset, place.bytes, file_bytes_))
                return contradiction("a chunk lies past the end");
            if (place.bytes > left)
                return contradiction("its chunks are together larger than the file");
            left -= place.bytes;
            if (place.skipped_filters >> storage.filters.size() != 0)
                return contradiction("a chunk leaves out a filter that there is not");
            if (place.bytes < chunk_bytes / kMaxDeflateRatio)
                return contradiction("a chunk is too small for what it shall unpack to");
        }
        return {};
    }

    const DatasetDescription& dataset_;
    std::size_t declared_;
    std::size_t file_bytes_;
};

} // namespace

bool isReason(std::string_view message) {
    constexpr std::size_t longest = 2000;
    return !message.empty() && message.size() <= longest &&
           firstInvalidUtf8(message) == std::string_view::npos;
}

Result<void> checkDataset(const DatasetDescription& dataset, std::size_t file_bytes) {
    const std::string& path = dataset.path;
    if (path.empty() || path.size() > kMaxPathBytes || firstInvalidUtf8(path) != std::string::npos)
        return contradiction("a tensor has no proper name");
    if (!isPossible(dataset.type, dataset.element_bytes))
        return contradiction("its numbers cannot have " + std::to_string(dataset.element_bytes) +
                             " bytes each");
    const auto elements = checkedProduct(dataset.shape);
    const auto declared =
        elements ? checkedMultiply(*elements, dataset.element_bytes) : std::nullopt;
    if (dataset.shape.size() > kMaxRank || !declared)
        return contradiction("its shape is larger than any memory");
    return std::visit(StorageCheck(dataset, *declared, file_bytes), dataset.storage);
}

std::size_t storedBytes(const DatasetDescription& dataset) {
    if (const auto* const chunked = std::get_if<ChunkedStorage>(&dataset.storage))
        return std::accumulate(
            chunked->places.begin(), chunked->places.end(), std::size_t{0},
            [](std::size_t sum, const ChunkPlace& place) { return sum + place.bytes; });
    return elementCount(dataset.shape) * dataset.element_bytes;
}

Result<void> checkArchive(const ZipDescription& archive, std::size_t file_bytes) {
    for (const ZipMember& member : archive.members) {
        const bool sized = member.deflated ? member.bytes / kMaxDeflateRatio <= member.stored_bytes
                                           : member.bytes == member.stored_bytes;
        if (!isInside(member.offset, member.stored_bytes, file_bytes) || !sized)
            return contradiction("the file '" + member.name + "' in it lies past the end");
    }
    return {};
}

} // namespace headscope
