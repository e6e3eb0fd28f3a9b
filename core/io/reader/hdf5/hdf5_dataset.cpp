#include "core/io/reader/hdf5/hdf5_dataset.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/io/hdf5/hdf5_chunks.h"
#include "core/io/reader/hdf5/descriptor_driver.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <string_view>

namespace headscope {

Result<std::vector<ChunkPlace>> placesOfChunks(hid_t dataset, const Shape& shape,
                                               const Shape& chunk_shape) {
    RawPlaceRecorder recorder;
    std::vector<ChunkPlace> places;
    Shape origin(shape.size(), 0);
    do {
        const std::vector<hsize_t> offset(origin.begin(), origin.end());
        ChunkPlace place;
        std::byte nothing{}; // the recorder keeps HDF5 from writing there
        const bool found = H5Dread_chunk(dataset, H5P_DEFAULT, offset.data(),
                                         &place.skipped_filters, &nothing) >= 0;
        const auto noted = recorder.take();
        if (!found || !noted)
            return damagedPart();
        place.offset = noted->offset;
        place.bytes = noted->bytes;
        places.push_back(place);
    } while (advance(origin, chunk_shape, shape));
    return places;
}

namespace {

Error damaged() {
    return {ErrorCode::Malformed, "its description is damaged; download or copy the file again"};
}

Error unreadableNumbers() {
    return {ErrorCode::Malformed, "its numbers cannot be read; the file is damaged or cut short, "
                                  "download or copy it again"};
}

Error unsupported(std::string reason) {
    return {ErrorCode::Unsupported, std::move(reason)};
}

Result<ChunkFilter> filterAt(hid_t properties, unsigned index) {
    unsigned flags = 0;
    std::size_t value_count = 0;
    std::array<char, 64> name{};
    // Without room for filter_config: asking for it makes HDF5 look for a plugin.
    const H5Z_filter_t id = H5Pget_filter2(properties, index, &flags, &value_count, nullptr,
                                           name.size() - 1, name.data(), nullptr);
    switch (id) {
    case H5Z_FILTER_DEFLATE:
        return ChunkFilter::Deflate;
    case H5Z_FILTER_SHUFFLE:
        return ChunkFilter::Shuffle;
    case H5Z_FILTER_FLETCHER32:
        return ChunkFilter::Fletcher32;
    default:
        return unsupported("it is stored with filter " + std::to_string(id) +
                           (name[0] == '\0' ? "" : " (" + std::string(name.data()) + ")") +
                           ", expected deflate (gzip), shuffle or Fletcher-32; save it with "
                           "compression='gzip' or none");
    }
}

Result<std::vector<ChunkFilter>> filtersOf(hid_t properties) {
    std::vector<ChunkFilter> filters;
    const int count = H5Pget_nfilters(properties);
    if (count < 0)
        return damaged();
    for (int i = 0; i < count; ++i) {
        const auto filter = filterAt(properties, static_cast<unsigned>(i));
        if (!filter)
            return filter.error();
        if (std::find(filters.begin(), filters.end(), *filter) != filters.end())
            return unsupported("it is packed twice by the same filter, as only a decompression "
                               "bomb is; save it with compression='gzip' or none");
        filters.push_back(*filter);
    }
    return filters;
}

} // namespace

Result<Hdf5Dataset> Hdf5Dataset::open(hid_t file, haddr_t address, std::size_t file_bytes) {
    Hdf5Dataset result;
    result.dataset_ = Hdf5Handle(H5Oopen_by_addr(file, address), H5Oclose);
    if (!result.dataset_ || H5Iget_type(result.id()) != H5I_DATASET)
        return damaged();
    const Hdf5Handle properties(H5Dget_create_plist(result.id()), H5Pclose);
    if (!properties)
        return damaged();
    // Before its shape is asked for: HDF5 would look into the other files of a virtual dataset.
    if (auto checked = result.checkPlace(properties.id()); !checked)
        return checked.error();
    if (auto checked = result.checkShape(); !checked)
        return checked.error();
    if (auto checked = result.checkChunks(properties.id()); !checked)
        return checked.error();
    if (auto checked = result.checkStorage(properties.id(), file_bytes); !checked)
        return checked.error();
    return result;
}

Result<void> Hdf5Dataset::checkPlace(hid_t properties) {
    const H5D_layout_t layout = H5Pget_layout(properties);
    if (layout == H5D_VIRTUAL)
        return unsupported("it is a virtual dataset, whose numbers are in other files, and these "
                           "are never read; save the model as one file");
    if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
        return damaged();
    if (H5Pget_external_count(properties) != 0)
        return unsupported("its numbers are in another file (external storage), which is never "
                           "read; save the model as one file");
    return {};
}

Result<void> Hdf5Dataset::checkShape() {
    type_ = Hdf5Handle(H5Dget_type(id()), H5Tclose);
    element_bytes_ = type_ ? H5Tget_size(type()) : 0;
    const Hdf5Handle space(H5Dget_space(id()), H5Sclose);
    const int rank = space ? H5Sget_simple_extent_ndims(space.id()) : -1;
    if (element_bytes_ == 0 || rank < 0)
        return damaged();
    if (static_cast<std::size_t>(rank) > kMaxRank)
        return unsupported("it has " + std::to_string(rank) + " dimensions, expected at most " +
                           std::to_string(kMaxRank) + "; save the tensors again");
    std::vector<hsize_t> dims(static_cast<std::size_t>(rank));
    if (H5Sget_simple_extent_dims(space.id(), dims.data(), nullptr) < 0)
        return damaged();
    shape_.assign(dims.begin(), dims.end());
    if (H5Sget_simple_extent_type(space.id()) == H5S_NULL)
        shape_ = {0};
    const auto elements = checkedProduct(shape_);
    const auto bytes = elements ? checkedMultiply(*elements, element_bytes_) : std::nullopt;
    if (!bytes)
        return Error{ErrorCode::Malformed, "its shape " + shapeText(shape_) +
                                               " is larger than any memory; save it again"};
    declared_bytes_ = *bytes;
    return {};
}

Result<void> Hdf5Dataset::checkChunks(hid_t properties) {
    if (H5Pget_layout(properties) != H5D_CHUNKED)
        return {};
    const auto filters = filtersOf(properties);
    if (!filters)
        return filters.error();
    std::vector<hsize_t> dims(shape_.size());
    const int rank = H5Pget_chunk(properties, static_cast<int>(dims.size()), dims.data());
    if (rank < 1 || static_cast<std::size_t>(rank) != dims.size() ||
        std::find(dims.begin(), dims.end(), hsize_t{0}) != dims.end())
        return damaged();
    unsigned options = 0;
    if (H5Pget_chunk_opts(properties, &options) < 0)
        return damaged();
    if (options != 0)
        return unsupported("it is stored with unfiltered edge chunks, which are not supported; "
                           "save it without this option");
    const Shape chunk_shape(dims.begin(), dims.end());
    const auto chunk_elements = checkedProduct(chunk_shape);
    const auto chunk_bytes =
        chunk_elements ? checkedMultiply(*chunk_elements, element_bytes_) : std::nullopt;
    if (!chunk_bytes || *chunk_bytes > std::max(declared_bytes_, kMaxSpareChunkBytes))
        return Error{ErrorCode::Malformed, "its chunks of shape " + shapeText(chunk_shape) +
                                               " are far larger than itself, of shape " +
                                               shapeText(shape_) + "; save it again"};
    chunks_ = ChunkedStorage{chunk_shape, *filters, {}};
    return {};
}

Result<void> Hdf5Dataset::checkStorage(hid_t properties, std::size_t file_bytes) {
    const std::size_t stored_bytes = H5Dget_storage_size(id());
    const bool deflated = chunks_ && std::find(chunks_->filters.begin(), chunks_->filters.end(),
                                               ChunkFilter::Deflate) != chunks_->filters.end();
    const std::size_t ratio = deflated ? kMaxDeflateRatio : 1;
    const std::size_t least = declared_bytes_ / ratio + (declared_bytes_ % ratio != 0 ? 1 : 0);
    if (stored_bytes < least)
        return Error{ErrorCode::Malformed, "its shape " + shapeText(shape_) + " claims " +
                                               byteText(declared_bytes_) + ", but only " +
                                               byteText(stored_bytes) +
                                               " are stored for it; save it again"};
    if (H5Pget_layout(properties) == H5D_CONTIGUOUS && declared_bytes_ > 0) {
        const haddr_t offset = H5Dget_offset(id());
        if (offset == HADDR_UNDEF || offset > file_bytes || declared_bytes_ > file_bytes - offset)
            return damaged();
        offset_ = offset;
    }
    return {};
}

Result<std::variant<CompactStorage, ContiguousStorage, ChunkedStorage>>
Hdf5Dataset::storage() const {
    using Storage = std::variant<CompactStorage, ContiguousStorage, ChunkedStorage>;
    if (elements() == 0)
        return Storage(CompactStorage());
    if (offset_)
        return Storage(ContiguousStorage{*offset_});
    if (chunks_) {
        auto places = placesOfChunks(id(), shape_, chunks_->chunk_shape);
        if (!places)
            return places.error();
        return Storage(ChunkedStorage{chunks_->chunk_shape, chunks_->filters, *std::move(places)});
    }
    CompactStorage numbers(declared_bytes_);
    if (auto done = readAs(type(), numbers); !done)
        return done.error();
    return Storage(std::move(numbers));
}

Result<void> Hdf5Dataset::readAs(hid_t memory_type, std::span<std::byte> target) const {
    if (H5Dread(id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, target.data()) < 0)
        return unreadableNumbers();
    return {};
}

namespace {

/// Where the parts of a two-byte float are, in bits.
struct HalfFields {
    std::size_t sign = 0;
    std::size_t exponent = 0;
    std::size_t exponent_bits = 0;
    std::size_t mantissa = 0;
    std::size_t mantissa_bits = 0;
    std::size_t bias = 0;

    bool operator==(const HalfFields&) const = default;
};
constexpr HalfFields kFloat16Fields{15, 10, 5, 0, 10, 15};
constexpr HalfFields kBFloat16Fields{15, 7, 8, 0, 7, 127};

bool isEither(hid_t type, hid_t little_endian, hid_t big_endian) {
    return H5Tequal(type, little_endian) > 0 || H5Tequal(type, big_endian) > 0;
}

StoredType floatType(hid_t type) {
    if (isEither(type, H5T_IEEE_F32LE, H5T_IEEE_F32BE))
        return StoredType::Float32;
    if (isEither(type, H5T_IEEE_F64LE, H5T_IEEE_F64BE))
        return StoredType::Float64;
    HalfFields fields;
    if (H5Tget_size(type) != 2 || H5Tget_norm(type) != H5T_NORM_IMPLIED ||
        H5Tget_fields(type, &fields.sign, &fields.exponent, &fields.exponent_bits, &fields.mantissa,
                      &fields.mantissa_bits) < 0)
        return StoredType::Other;
    fields.bias = H5Tget_ebias(type);
    if (fields == kFloat16Fields)
        return StoredType::Float16;
    if (fields == kBFloat16Fields)
        return StoredType::BFloat16;
    return StoredType::Other;
}

bool isWholeWord(hid_t type) {
    const std::size_t bytes = H5Tget_size(type);
    return bytes <= 8 && std::has_single_bit(bytes) && H5Tget_precision(type) == 8 * bytes;
}

} // namespace

std::optional<bool> saysBFloat16(const Texts& attributes) {
    for (const std::string_view name : {"dtype", "torch_dtype", "original_dtype"})
        if (const auto found = attributes.find(name); found != attributes.end())
            return found->second == "bfloat16" || found->second == "torch.bfloat16";
    return std::nullopt;
}

bool mayBeBFloat16(const Hdf5Dataset& dataset) {
    const H5T_class_t kind = H5Tget_class(dataset.type());
    return dataset.elementBytes() == 2 && (kind == H5T_INTEGER || kind == H5T_OPAQUE);
}

StoredType storedTypeOf(const Hdf5Dataset& dataset, bool is_bfloat16) {
    if (mayBeBFloat16(dataset) && is_bfloat16)
        return StoredType::BFloat16;
    switch (H5Tget_class(dataset.type())) {
    case H5T_FLOAT:
        return floatType(dataset.type());
    case H5T_INTEGER:
        return isWholeWord(dataset.type()) ? StoredType::Integer : StoredType::Other;
    default:
        return StoredType::Other;
    }
}

bool isBigEndian(hid_t type) {
    return H5Tget_class(type) != H5T_OPAQUE && H5Tget_order(type) == H5T_ORDER_BE;
}

bool isSigned(hid_t type) {
    return H5Tget_class(type) == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
}

} // namespace headscope
