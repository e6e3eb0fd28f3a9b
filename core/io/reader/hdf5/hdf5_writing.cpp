#include "core/io/reader/hdf5/hdf5_writing.h"

#include "core/io/hdf5/hdf5_chunks.h"
#include "core/io/reader/hdf5/hdf5_library.h"
#include "core/io/reader/hdf5/image_driver.h"
#include "core/io/sealed/hdf5_layout.h"
#include "core/io/sealed/wire.h"

#include <hdf5.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

Refusal refused(const std::string& reason) {
    return {{ErrorCode::WriteFailed, reason}, ""};
}

Hdf5Handle shortFloat(std::size_t mantissa_bits) {
    Hdf5Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
    const bool is_float16 = mantissa_bits == 10;
    const bool done =
        H5Tset_fields(type.id(), 15, mantissa_bits, 15 - mantissa_bits, 0, mantissa_bits) >= 0 &&
        H5Tset_ebias(type.id(), is_float16 ? 15 : 127) >= 0 &&
        H5Tset_precision(type.id(), 16) >= 0 && H5Tset_size(type.id(), 2) >= 0;
    return done ? std::move(type) : Hdf5Handle();
}

Hdf5Handle textType(std::size_t bytes) {
    Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    const bool done = H5Tset_size(type.id(), bytes) >= 0 &&
                      H5Tset_strpad(type.id(), H5T_STR_NULLPAD) >= 0 &&
                      H5Tset_cset(type.id(), H5T_CSET_UTF8) >= 0;
    return done ? std::move(type) : Hdf5Handle();
}

Hdf5Handle typeOf(const PlannedArray& array) {
    switch (array.type) {
    case WrittenType::Float16:
        return shortFloat(10);
    case WrittenType::BFloat16:
        return shortFloat(7);
    case WrittenType::Float32:
        return {H5Tcopy(H5T_IEEE_F32LE), H5Tclose};
    case WrittenType::Float64:
        return {H5Tcopy(H5T_IEEE_F64LE), H5Tclose};
    case WrittenType::Int32:
        return {H5Tcopy(H5T_STD_I32LE), H5Tclose};
    case WrittenType::Int64:
        return {H5Tcopy(H5T_STD_I64LE), H5Tclose};
    case WrittenType::Text:
        break;
    }
    return textType(array.element_bytes);
}

std::vector<hsize_t> sizesOf(const Shape& shape) {
    return {shape.begin(), shape.end()};
}

Hdf5Handle spaceOf(const Shape& shape) {
    const auto sizes = sizesOf(shape);
    return {sizes.empty() ? H5Screate(H5S_SCALAR)
                          : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
            H5Sclose};
}

bool setFilters(hid_t properties, bool packed) {
    // HDF5 writes the level into the file and unpacks any.
    return packed
               ? H5Pset_shuffle(properties) >= 0 && H5Pset_deflate(properties, kDeflateLevel) >= 0
               : H5Pset_fletcher32(properties) >= 0;
}

/// What is in one piece gets its place at once and is never filled.
Hdf5Handle propertiesOf(const PlannedArray& array) {
    Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const auto chunk = sizesOf(array.chunk_shape);
    const bool whole = chunk.empty();
    const bool done =
        H5Pset_obj_track_times(properties.id(), false) >= 0 &&
        (whole ? H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY) >= 0 &&
                     H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER) >= 0
               : H5Pset_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data()) >= 0 &&
                     setFilters(properties.id(), !array.packed_bytes.empty()));
    return done ? std::move(properties) : Hdf5Handle();
}

/// Makes the groups above a dataset, those that are not there yet. False when HDF5 refuses.
bool makeGroups(hid_t file, const std::string& path) {
    const Hdf5Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_obj_track_times(properties.id(), false);
    for (std::size_t end = path.find('/'); end != std::string::npos;
         end = path.find('/', end + 1)) {
        const std::string name = path.substr(0, end);
        if (H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0)
            continue;
        const Hdf5Handle group(
            H5Gcreate2(file, name.c_str(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Gclose);
        if (!group)
            return false;
    }
    return true;
}

/// Text of variable length, as h5py writes str: fixed-length text may not exceed 64 kB. False when
/// HDF5 refuses.
bool writeText(hid_t file, const std::string& name, const std::string& text) {
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    if (H5Tset_size(type.id(), H5T_VARIABLE) < 0 || H5Tset_cset(type.id(), H5T_CSET_UTF8) < 0)
        return false;
    const Hdf5Handle space = spaceOf({});
    const Hdf5Handle created(
        H5Acreate2(file, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const char* const characters = text.c_str();
    return created && H5Awrite(created.id(), type.id(), &characters) >= 0;
}

/// Where HDF5 puts the chunks; nothing when it refuses.
std::optional<std::vector<BytePlace>> placeChunks(hid_t dataset, const PlannedArray& array,
                                                  Hdf5Image& image) {
    std::vector<BytePlace> places;
    Bytes numbers;
    Shape first(array.shape.size(), 0);
    do {
        const auto offset = sizesOf(first);
        numbers.resize(placeBytes(array, places.size()));
        image.expectNumbers();
        const herr_t written =
            H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset.data(), numbers.size(), numbers.data());
        const auto place = image.takePlace();
        if (written < 0 || !place)
            return std::nullopt;
        places.push_back(*place);
    } while (advance(first, array.chunk_shape, array.shape));
    return places;
}

/// The places of the numbers; nothing when HDF5 refuses.
std::optional<std::vector<BytePlace>> addArray(hid_t file, const PlannedArray& array,
                                               Hdf5Image& image) {
    const Hdf5Handle type = typeOf(array);
    const Hdf5Handle space = spaceOf(array.shape);
    const Hdf5Handle properties = propertiesOf(array);
    if (!array.packed_bytes.empty() && array.packed_bytes.size() != placesOf(array))
        return std::nullopt;
    if (!type || !space || !properties || H5Tget_size(type.id()) != array.element_bytes ||
        !makeGroups(file, array.path))
        return std::nullopt;
    const Hdf5Handle dataset(H5Dcreate2(file, array.path.c_str(), type.id(), space.id(),
                                        H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                             H5Dclose);
    if (!dataset)
        return std::nullopt;
    if (elementCount(array.shape) == 0)
        return std::vector<BytePlace>();
    return array.chunk_shape.empty()
               ? std::vector{BytePlace{H5Dget_offset(dataset.id()), placeBytes(array, 0)}}
               : placeChunks(dataset.id(), array, image);
}

ReaderAnswer layOut(const Hdf5Plan& plan) {
    const auto lock = lockHdf5();
    Hdf5Image image;
    Hdf5Layout layout;
    Hdf5Handle file = image.create();
    if (!file)
        return refused("HDF5 cannot make a file in memory; free some memory");
    for (const PlannedArray& array : plan.arrays) {
        auto places = addArray(file.id(), array, image);
        if (!places)
            return refused("HDF5 refuses array '" + array.path +
                           "'; give every array a path of its own");
        layout.places.push_back(*std::move(places));
    }
    for (const auto& [name, text] : plan.texts)
        if (!writeText(file.id(), name, text))
            return refused("HDF5 refuses attribute '" + name +
                           "'; give every attribute a name of its own");
    if (H5Fflush(file.id(), H5F_SCOPE_GLOBAL) < 0)
        return refused("HDF5 cannot finish the file in memory; free some memory");
    file.reset();
    layout.rest = image.parts();
    layout.bytes = image.size();
    return layout;
}

} // namespace

ReaderAnswer layOutHdf5(const FilePart& plan) {
    Bytes bytes(plan.bytes);
    bytes.resize(readPart(plan, 0, bytes));
    const auto decoded = decodePlan(bytes);
    return decoded ? layOut(*decoded) : refused("its plan is no plan; please report this");
}

} // namespace headscope
