#include "core/io/reader/hdf5/image_driver.h"

#include <algorithm>
#include <utility>

namespace headscope {

namespace {

constexpr std::uint64_t kPageBytes = 4096;

/// HDF5 knows its files by the first member.
struct ImageFile {
    H5FD_t common{};
    Hdf5Image* image = nullptr;
};

Hdf5Image& imageOf(const H5FD_t* file) {
    return *reinterpret_cast<const ImageFile*>(file)->image;
}

// The functions that a driver consists of, under HDF5's names for them.

H5FD_t* openImage(const char*, unsigned, hid_t access, haddr_t) {
    const auto* const image = static_cast<Hdf5Image* const*>(H5Pget_driver_info(access));
    return image == nullptr ? nullptr : &(new ImageFile{{}, *image})->common;
}

herr_t closeImage(H5FD_t* file) {
    delete reinterpret_cast<ImageFile*>(file);
    return 0;
}

/// Small parts are kept together.
herr_t imageFeatures(const H5FD_t*, unsigned long* features) {
    *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

haddr_t imageEnd(const H5FD_t* file, H5FD_mem_t) {
    return imageOf(file).endOfAddresses();
}

herr_t setImageEnd(H5FD_t* file, H5FD_mem_t, haddr_t end) {
    imageOf(file).setEndOfAddresses(end);
    return 0;
}

haddr_t imageFileEnd(const H5FD_t* file, H5FD_mem_t) {
    return imageOf(file).endOfFile();
}

herr_t readImage(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t offset, std::size_t count, void* target) {
    imageOf(file).read(offset, std::span(static_cast<std::byte*>(target), count));
    return 0;
}

herr_t writeImage(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t offset, std::size_t count,
                  const void* bytes) {
    imageOf(file).write(kind == H5FD_MEM_DRAW, offset,
                        std::span(static_cast<const std::byte*>(bytes), count));
    return 0;
}

H5FD_class_t imageDriverClass() {
    H5FD_class_t driver = driverNamed("headscope_image", 601);
    driver.fapl_size = sizeof(void*); // of a pointer to the image
    driver.open = &openImage;
    driver.close = &closeImage;
    driver.query = &imageFeatures;
    driver.get_eoa = &imageEnd;
    driver.set_eoa = &setImageEnd;
    driver.get_eof = &imageFileEnd;
    driver.read = &readImage;
    driver.write = &writeImage;
    return driver;
}

/// Calls `each` with the number of every page from `offset` on, the first byte in it and a count.
template <class Each>
void forEachPage(std::uint64_t offset, std::size_t count, Each each) {
    for (std::size_t done = 0; done < count;) {
        const std::uint64_t first = (offset + done) % kPageBytes;
        const std::size_t part = std::min<std::uint64_t>(kPageBytes - first, count - done);
        each((offset + done) / kPageBytes, first, done, part);
        done += part;
    }
}

} // namespace

Hdf5Handle Hdf5Image::create() {
    static const H5FD_class_t driver = imageDriverClass();
    static const hid_t driver_id = H5FDregister(&driver);
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    Hdf5Image* const self = this;
    if (driver_id < 0 || H5Pset_driver(access.id(), driver_id, &self) < 0 ||
        H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG) < 0 ||
        H5Pset_obj_track_times(creation.id(), false) < 0)
        return {};
    // For a name without a '/' HDF5 asks the system for the current folder.
    return {H5Fcreate("/file.h5", H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose};
}

std::optional<BytePlace> Hdf5Image::takePlace() {
    expecting_ = false;
    return std::exchange(place_, std::nullopt);
}

std::vector<BytesAt> Hdf5Image::parts() const {
    std::vector<BytesAt> parts;
    for (const auto& [number, bytes] : pages_) {
        const std::uint64_t offset = number * kPageBytes;
        if (offset >= size())
            break;
        const auto inside = std::min<std::uint64_t>(bytes.size(), size() - offset);
        parts.push_back(
            {offset, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(inside)}});
    }
    return parts;
}

void Hdf5Image::write(bool is_raw, std::uint64_t offset, std::span<const std::byte> bytes) {
    end_of_file_ = std::max<haddr_t>(end_of_file_, offset + bytes.size());
    if (expecting_ && is_raw) {
        place_ = BytePlace{offset, bytes.size()};
        return;
    }
    forEachPage(offset, bytes.size(),
                [&](std::uint64_t number, std::uint64_t first, std::size_t done, std::size_t part) {
                    auto& page = pages_.try_emplace(number, kPageBytes).first->second;
                    std::ranges::copy(bytes.subspan(done, part),
                                      page.begin() + static_cast<std::ptrdiff_t>(first));
                });
}

void Hdf5Image::read(std::uint64_t offset, std::span<std::byte> target) const {
    std::ranges::fill(target, std::byte{});
    forEachPage(offset, target.size(),
                [&](std::uint64_t number, std::uint64_t first, std::size_t done, std::size_t part) {
                    if (const auto page = pages_.find(number); page != pages_.end())
                        std::ranges::copy(std::span(page->second).subspan(first, part),
                                          target.subspan(done).begin());
                });
}

} // namespace headscope
