#include "core/io/hdf5_writer.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/io/atomic_file.h"
#include "core/io/file_error.h"
#include "core/io/files/new_path.h"
#include "core/io/files/open_file.h"
#include "core/io/hdf5/hdf5_library.h"
#include "core/io/hdf5/written_outline.h"
#include "core/io/slabs.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <optional>
#include <system_error>
#include <vector>

namespace headscope {

namespace {

constexpr std::size_t kMaxChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kImageStep = std::size_t{1} << 20;

/// Chunks hold whole trailing axes as far as 1 MiB allows: runs of rows.
std::vector<hsize_t> chunkShape(const Shape& shape, std::size_t element_bytes) {
    std::vector<hsize_t> chunk(shape.begin(), shape.end());
    std::size_t slice_bytes = elementCount(shape) * element_bytes;
    for (hsize_t& extent : chunk) {
        slice_bytes /= extent;
        const hsize_t fitting = kMaxChunkBytes / slice_bytes;
        extent = std::clamp<hsize_t>(fitting, 1, extent);
        if (fitting > 0)
            break;
    }
    return chunk;
}

bool valid(const Hdf5Array& array) {
    const auto elements = checkedProduct(array.shape);
    const auto size = std::visit([](const auto& values) { return values.size(); }, array.values);
    return elements && *elements == size;
}

/// Check sums need chunks, and these need at least one axis and one element.
Hdf5Handle datasetProperties(const Shape& shape, std::size_t element_bytes) {
    Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    bool sound = H5Pset_obj_track_times(properties.id(), false) >= 0;
    if (!shape.empty() && elementCount(shape) > 0) {
        const auto chunk = chunkShape(shape, element_bytes);
        sound = sound &&
                H5Pset_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data()) >= 0 &&
                H5Pset_fletcher32(properties.id()) >= 0;
    }
    return sound ? std::move(properties) : Hdf5Handle();
}

/// The values of an array as HDF5 takes them.
struct Hdf5Values {
    hid_t in_file = H5I_INVALID_HID;
    hid_t in_memory = H5I_INVALID_HID;
    const void* numbers = nullptr;
    Hdf5Handle text_type; ///< of texts, both in the file and in memory
    std::string padded;   ///< all texts, each as long as the longest

    const void* data() const { return numbers ? numbers : padded.data(); }
};

struct ValuesForHdf5 {
    Hdf5Values operator()(std::span<const float> numbers) const {
        return {H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, numbers.data(), {}, {}};
    }
    Hdf5Values operator()(std::span<const double> numbers) const {
        return {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, numbers.data(), {}, {}};
    }
    Hdf5Values operator()(std::span<const std::int32_t> numbers) const {
        return {H5T_STD_I32LE, H5T_NATIVE_INT32, numbers.data(), {}, {}};
    }
    Hdf5Values operator()(std::span<const std::int64_t> numbers) const {
        return {H5T_STD_I64LE, H5T_NATIVE_INT64, numbers.data(), {}, {}};
    }
    Hdf5Values operator()(std::span<const std::string> texts) const {
        std::size_t longest = 1; // HDF5 has no text of no length
        for (const std::string& text : texts)
            longest = std::max(longest, text.size());
        Hdf5Values values;
        values.text_type = Hdf5Handle(H5Tcopy(H5T_C_S1), H5Tclose);
        const hid_t type = values.text_type.id();
        if (H5Tset_size(type, longest) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
            H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
            values.in_file = values.in_memory = type;
        for (const std::string& text : texts)
            values.padded.append(text).append(longest - text.size(), '\0');
        return values;
    }
};

bool writeArray(hid_t file, const Hdf5Array& array) {
    const Hdf5Values values = std::visit(ValuesForHdf5(), array.values);
    if (values.in_file < 0)
        return false;
    const Hdf5Handle space = dataspaceOf(array.shape);
    const Hdf5Handle properties = datasetProperties(array.shape, H5Tget_size(values.in_file));
    if (!space || !properties || !makeGroups(file, array.path))
        return false;
    const Hdf5Handle dataset(H5Dcreate2(file, array.path.c_str(), values.in_file, space.id(),
                                        H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                             H5Dclose);
    return dataset &&
           (elementCount(array.shape) == 0 || H5Dwrite(dataset.id(), values.in_memory, H5S_ALL,
                                                       H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
}

/// An empty file in memory. A disk that fills up in the middle of a write would leave HDF5 with a
/// file that it can neither finish nor close, so it never writes to disk itself.
Hdf5Handle createInMemory() {
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    if (H5Pset_fapl_core(access.id(), kImageStep, false) < 0 ||
        H5Pset_obj_track_times(creation.id(), false) < 0)
        return {};
    return {H5Fcreate("headscope-image.h5", H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose};
}

/// The bytes of a file in memory, seen where they are; they live as long as the file is open.
std::optional<std::string_view> imageOf(hid_t file) {
    void** memory = nullptr;
    if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 ||
        H5Fget_vfd_handle(file, H5P_DEFAULT, reinterpret_cast<void**>(&memory)) < 0)
        return std::nullopt;
    // Without a buffer this only tells the size in use; the file size counts whole steps.
    const ssize_t size = H5Fget_file_image(file, nullptr, 0);
    if (size < 0)
        return std::nullopt;
    return std::string_view(static_cast<const char*>(*memory), static_cast<std::size_t>(size));
}

Result<void> writeImage(const std::filesystem::path& path, std::span<const Hdf5Array> arrays,
                        std::span<const Hdf5Attribute> attributes) {
    const auto lock = lockHdf5();
    const Hdf5Handle file = createInMemory();
    if (!file)
        return cannotWrite(path, "HDF5 cannot make a file in memory; free some memory");
    for (const Hdf5Array& array : arrays)
        if (!writeArray(file.id(), array))
            return cannotWrite(path, "HDF5 refuses array '" + array.path +
                                         "'; give every array a path of its own");
    for (const Hdf5Attribute& attribute : attributes)
        if (!writeTextAttribute(file.id(), attribute.name, attribute.text))
            return cannotWrite(path, "HDF5 refuses attribute '" + attribute.name +
                                         "'; give every attribute a name of its own");
    const auto image = imageOf(file.id());
    if (!image)
        return cannotWrite(path, "HDF5 cannot finish the file in memory; free some memory");
    return writeFileAtomically(path, *image);
}

} // namespace

Result<void> writeHdf5(const std::filesystem::path& path, std::span<const Hdf5Array> arrays,
                       std::span<const Hdf5Attribute> attributes) {
    for (const Hdf5Array& array : arrays)
        if (!valid(array))
            return Error{ErrorCode::InvalidArgument,
                         "Cannot write '" + path.string() + "': array '" + array.path +
                             "' has not as many values as its shape says."};
    for (const Hdf5Attribute& attribute : attributes)
        if (attribute.text.find('\0') != std::string::npos)
            return Error{ErrorCode::InvalidArgument,
                         "Cannot write '" + path.string() + "': the text of attribute '" +
                             attribute.name + "' holds a zero byte, which HDF5 texts cannot."};
    try {
        return writeImage(path, arrays, attributes);
    } catch (const std::bad_alloc&) {
        return cannotWrite(path, "memory is used up; write less at a time");
    }
}

namespace {

namespace fs = std::filesystem;

/// A file in which only the numbers are missing. It lives in memory, where what is missing takes no
/// room: HDF5 never writes to a disk that may fill up, after which it could not close its file.
struct Outline {
    InputFile file;
    std::vector<Extent> extents; ///< by offset
};

Hdf5Handle typeOf(FloatFormat format) {
    Hdf5Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
    if (format == FloatFormat::Float32)
        return type;
    const bool is_float16 = format == FloatFormat::Float16;
    const std::size_t mantissa_bits = is_float16 ? 10 : 7;
    const bool done =
        H5Tset_fields(type.id(), 15, mantissa_bits, 15 - mantissa_bits, 0, mantissa_bits) >= 0 &&
        H5Tset_ebias(type.id(), is_float16 ? 15 : 127) >= 0 &&
        H5Tset_precision(type.id(), 16) >= 0 && H5Tset_size(type.id(), 2) >= 0;
    return done ? std::move(type) : Hdf5Handle();
}

/// Contiguous, with its place in the file given at once and never filled.
Hdf5Handle emptyDataset(hid_t file, const StreamedArray& array) {
    const Hdf5Handle type = typeOf(array.format);
    const Hdf5Handle space = dataspaceOf(array.shape);
    const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    if (!type || !space || !makeGroups(file, array.name) ||
        H5Pset_obj_track_times(properties.id(), false) < 0 ||
        H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY) < 0 ||
        H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER) < 0)
        return {};
    return {H5Dcreate2(file, array.name.c_str(), type.id(), space.id(), H5P_DEFAULT,
                       properties.id(), H5P_DEFAULT),
            H5Dclose};
}

Hdf5Handle createFile(const fs::path& path) {
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    if (H5Pset_fapl_stdio(access.id()) < 0 || H5Pset_file_locking(access.id(), false, true) < 0 ||
        H5Pset_obj_track_times(creation.id(), false) < 0)
        return {};
    return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose};
}

Result<std::vector<Extent>> writeOutline(hid_t file, const fs::path& shown,
                                         std::span<const StreamedArray> arrays,
                                         std::span<const Hdf5Attribute> attributes) {
    std::vector<Extent> extents;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const Hdf5Handle dataset = emptyDataset(file, arrays[i]);
        if (!dataset)
            return cannotWrite(shown, "HDF5 refuses array '" + arrays[i].name +
                                          "'; give every array a path of its own");
        const std::size_t bytes = elementCount(arrays[i].shape) * bytesPerNumber(arrays[i].format);
        if (bytes > 0)
            extents.push_back({i, H5Dget_offset(dataset.id()), bytes});
    }
    for (const Hdf5Attribute& attribute : attributes)
        if (attribute.text.find('\0') != std::string::npos ||
            !writeTextAttribute(file, attribute.name, attribute.text))
            return cannotWrite(shown, "HDF5 refuses the text '" + attribute.name +
                                          "'; it may hold no zero byte");
    std::ranges::sort(extents, {}, &Extent::offset);
    return extents;
}

/// A file in memory counts as a file: where these are limited, that is the likely reason.
Error cannotHoldOutline(const fs::path& shown, const char* reason) {
    rlimit limit{};
    const bool limited = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? cannotWrite(shown, EFBIG) : cannotWrite(shown, reason);
}

Result<Outline> makeOutline(const fs::path& shown, std::span<const StreamedArray> arrays,
                            std::span<const Hdf5Attribute> attributes) {
    const auto lock = lockHdf5();
    auto memory = InputFile::inMemory(shown, [](const auto&) { return Result<void>(); });
    if (!memory)
        return memory.error();
    Hdf5Handle file = createFile(memory->pathToOpen());
    if (!file)
        return cannotHoldOutline(shown, "HDF5 cannot make a file in memory; free some memory");
    auto extents = writeOutline(file.id(), shown, arrays, attributes);
    if (!extents)
        return extents.error();
    if (H5Fflush(file.id(), H5F_SCOPE_GLOBAL) < 0)
        return cannotHoldOutline(shown, "HDF5 cannot finish the file in memory; free some memory");
    file.reset();
    memory->measure();
    return Outline{*std::move(memory), *std::move(extents)};
}

Result<void> copyBytes(const InputFile& from, std::size_t begin, std::size_t end, OutputFile& to) {
    std::vector<std::byte> buffer(std::min(kSlabBytes, end - begin));
    return forEachSlab(end - begin, 1, {},
                       [&](std::size_t first, std::size_t count) -> Result<void> {
                           const auto slab = std::span(buffer).first(count);
                           if (auto read = from.readAt(begin + first, slab); !read)
                               return read.error();
                           return to.append(slab);
                       });
}

Result<void> appendArray(const Extent& extent, const ProduceArray& produce, OutputFile& to,
                         const fs::path& shown) {
    std::size_t left = extent.bytes;
    const auto append = [&](std::span<const std::byte> bytes) -> Result<void> {
        if (bytes.size() > left)
            return cannotWrite(shown, "an array has more numbers than its shape says");
        left -= bytes.size();
        return to.append(bytes);
    };
    if (auto done = produce(extent.array, append); !done)
        return done;
    if (left > 0)
        return cannotWrite(shown, "an array has fewer numbers than its shape says");
    return {};
}

/// From the first byte to the last: the outline, and the arrays in their places.
Result<void> writeThrough(const Outline& outline, const ProduceArray& produce, const fs::path& path,
                          const fs::path& shown) {
    auto file = OutputFile::open(path, shown);
    if (!file)
        return file.error();
    std::size_t position = 0;
    for (const Extent& extent : outline.extents) {
        if (auto copied = copyBytes(outline.file, position, extent.offset, *file); !copied)
            return copied;
        if (auto written = appendArray(extent, produce, *file, shown); !written)
            return written;
        position = extent.offset + extent.bytes;
    }
    const std::size_t end = std::max(outline.file.size(), position);
    if (auto copied = copyBytes(outline.file, position, end, *file); !copied)
        return copied;
    return file->close();
}

Result<void> checkRoom(const fs::path& path, std::size_t bytes) {
    std::error_code failure;
    const fs::path folder = folderOf(path);
    const fs::space_info space = fs::space(folder, failure);
    if (!failure && space.available < bytes)
        return cannotWrite(path, "it needs " + byteText(bytes) + ", and only " +
                                     byteText(space.available) +
                                     " are free in its folder; free some space or choose another "
                                     "folder");
    return {};
}

} // namespace

Result<void> writeHdf5Streamed(const fs::path& path, std::span<const StreamedArray> arrays,
                               std::span<const Hdf5Attribute> attributes,
                               const ProduceArray& produce, const InspectFile& inspect) {
    const auto outline = makeOutline(path, arrays, attributes);
    if (!outline)
        return outline.error();
    if (auto good = checkOutline(outline->file, arrays, outline->extents, attributes, path); !good)
        return good;
    if (auto room = checkRoom(path, outline->file.size()); !room)
        return room;
    return writeFileAtomically(path, [&](const fs::path& temporary) -> Result<void> {
        if (auto written = writeThrough(*outline, produce, temporary, path); !written)
            return written;
        return inspect ? inspect(temporary) : Result<void>();
    });
}

} // namespace headscope
