#include "core/io/sealed/hdf5_layout.h"

#include <algorithm>
#include <string>

namespace headscope {

namespace {

constexpr std::uint64_t kFletcherBytes = 4;
/// What HDF5 leaves free between the parts of a file.
constexpr std::uint64_t kSpareBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kSpareBytesPerArray = std::uint64_t{16} << 10;

Error unlikePlan(const std::string& what) {
    return {ErrorCode::Malformed, "its layout does not fit what shall be in it (" + what + ")"};
}

/// Whether these parts come one after the other inside the file.
bool areApart(const std::vector<BytePlace>& ascending, std::uint64_t file_bytes) {
    std::uint64_t end = 0;
    return std::ranges::all_of(ascending, [&](const BytePlace& part) {
        if (part.offset < end || part.offset > file_bytes || part.bytes > file_bytes - part.offset)
            return false;
        end = part.offset + part.bytes;
        return true;
    });
}

std::uint64_t bytesIn(const std::vector<BytePlace>& parts) {
    std::uint64_t sum = 0;
    for (const BytePlace& part : parts)
        sum += part.bytes;
    return sum;
}

} // namespace

std::size_t placesOf(const PlannedArray& array) {
    if (elementCount(array.shape) == 0)
        return 0;
    std::size_t count = 1;
    for (std::size_t axis = 0; axis < array.chunk_shape.size(); ++axis)
        count *= (array.shape[axis] - 1) / array.chunk_shape[axis] + 1;
    return count;
}

std::uint64_t placeBytes(const PlannedArray& array, std::size_t place) {
    if (!array.packed_bytes.empty())
        return array.packed_bytes[place];
    return array.chunk_shape.empty()
               ? elementCount(array.shape) * array.element_bytes
               : elementCount(array.chunk_shape) * array.element_bytes + kFletcherBytes;
}

namespace {

bool hasPlaces(const PlannedArray& array, const std::vector<BytePlace>& places) {
    if (places.size() != placesOf(array))
        return false;
    for (std::size_t place = 0; place < places.size(); ++place)
        if (places[place].bytes != placeBytes(array, place))
            return false;
    return true;
}

} // namespace

Result<void> checkLayout(const Hdf5Plan& plan, const Hdf5Layout& layout) {
    if (layout.places.size() != plan.arrays.size())
        return unlikePlan("it has another number of arrays");
    std::vector<BytePlace> numbers;
    for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
        const PlannedArray& array = plan.arrays[i];
        const auto& places = layout.places[i];
        if (!hasPlaces(array, places))
            return unlikePlan("array '" + array.path + "' has other places");
        numbers.insert(numbers.end(), places.begin(), places.end());
    }
    std::ranges::sort(numbers, {}, &BytePlace::offset);
    std::vector<BytePlace> rest;
    for (const BytesAt& part : layout.rest)
        rest.push_back({part.offset, part.bytes.size()});
    if (!areApart(numbers, layout.bytes) || !areApart(rest, layout.bytes))
        return unlikePlan("a part overlaps another or ends after the file");
    const std::uint64_t spare = kSpareBytes + kSpareBytesPerArray * plan.arrays.size();
    if (layout.bytes > bytesIn(numbers) + bytesIn(rest) + spare)
        return unlikePlan("it is far larger than all parts");
    return {};
}

} // namespace headscope
