#include "core/io/reader/hdf5/descriptor_driver.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace headscope {

namespace {

/// HDF5 knows its files by the first member.
struct DriverFile {
    H5FD_t common{};
    FilePart part;
    haddr_t end_of_addresses = 0;
};

bool recording = false;
std::optional<RawPlace> recorded;

const DriverFile& fileOf(const H5FD_t* file) {
    return *reinterpret_cast<const DriverFile*>(file);
}

// The functions that a driver consists of, under HDF5's names for them.

H5FD_t* openFile(const char*, unsigned flags, hid_t access, haddr_t) {
    const auto* const part = static_cast<const FilePart*>(H5Pget_driver_info(access));
    if (part == nullptr || flags != H5F_ACC_RDONLY)
        return nullptr;
    return &(new DriverFile{{}, *part, 0})->common;
}

herr_t closeFile(H5FD_t* file) {
    delete reinterpret_cast<DriverFile*>(file);
    return 0;
}

herr_t queryFeatures(const H5FD_t*, unsigned long* features) {
    *features = 0;
    return 0;
}

haddr_t endOfAddresses(const H5FD_t* file, H5FD_mem_t) {
    return fileOf(file).end_of_addresses;
}

herr_t setEndOfAddresses(H5FD_t* file, H5FD_mem_t, haddr_t end) {
    reinterpret_cast<DriverFile*>(file)->end_of_addresses = end;
    return 0;
}

haddr_t endOfFile(const H5FD_t* file, H5FD_mem_t) {
    return fileOf(file).part.bytes;
}

/// Bytes past the end are zero, as HDF5's own driver has it.
herr_t readBytes(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t offset, std::size_t count,
                 void* target) {
    const FilePart& part = fileOf(file).part;
    if (recording && kind == H5FD_MEM_DRAW) {
        recorded = RawPlace{offset, count};
        return 0;
    }
    const std::span bytes(static_cast<std::byte*>(target), count);
    const std::size_t there = readPart(part, offset, bytes);
    std::ranges::fill(bytes.subspan(there), std::byte{});
    return 0;
}

herr_t refuseWrite(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) {
    return -1;
}

H5FD_class_t driverClass() {
    H5FD_class_t driver = driverNamed("headscope", 600);
    driver.fapl_size = sizeof(FilePart);
    driver.open = &openFile;
    driver.close = &closeFile;
    driver.query = &queryFeatures;
    driver.get_eoa = &endOfAddresses;
    driver.set_eoa = &setEndOfAddresses;
    driver.get_eof = &endOfFile;
    driver.read = &readBytes;
    driver.write = &refuseWrite;
    return driver;
}

} // namespace

Hdf5Handle openHdf5(const FilePart& part) {
    static const H5FD_class_t driver = driverClass();
    static const hid_t driver_id = H5FDregister(&driver);
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    if (driver_id < 0 || H5Pset_driver(access.id(), driver_id, &part) < 0 ||
        H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG) < 0)
        return {};
    // For a name without a '/' HDF5 asks the system for the current folder.
    return {H5Fopen("/file.h5", H5F_ACC_RDONLY, access.id()), H5Fclose};
}

RawPlaceRecorder::RawPlaceRecorder() {
    recording = true;
}

RawPlaceRecorder::~RawPlaceRecorder() {
    recording = false;
}

std::optional<RawPlace> RawPlaceRecorder::take() {
    return std::exchange(recorded, std::nullopt);
}

} // namespace headscope
