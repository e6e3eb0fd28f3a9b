#include "tests/io/hostile_files.h"

#include "tests/io/io_files.h"

#include <hdf5.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

namespace headscope::test {

namespace fs = std::filesystem;

namespace {

constexpr hsize_t kMillion = hsize_t{1} << 20;

hid_t check(hid_t id) {
    if (id < 0)
        throw std::runtime_error("HDF5 refused to write the hostile file");
    return id;
}

/// Runs `fill` on a new file. What it opens is closed with the file.
void inNewFile(const fs::path& path, const std::function<void(hid_t)>& fill) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    const hid_t file = check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
    fill(file);
    check(H5Fclose(file));
    H5Pclose(access);
}

hid_t addDataset(hid_t file, const char* name, const std::vector<hsize_t>& dims,
                 hid_t properties = H5P_DEFAULT) {
    const hid_t space =
        check(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr));
    return check(
        H5Dcreate2(file, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
}

hid_t chunked(const std::vector<hsize_t>& chunk) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    check(H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data()));
    return properties;
}

void fillWithOnes(hid_t dataset, std::size_t count) {
    const std::vector<float> ones(count, 1.0f);
    check(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, ones.data()));
}

} // namespace

void writeExternalStorage(const fs::path& path) {
    inNewFile(path, [](hid_t file) {
        const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
        check(H5Pset_external(properties, "/etc/passwd", 0, 16));
        addDataset(file, "weight", {4}, properties);
    });
}

void writeExternalLink(const fs::path& path) {
    inNewFile(path, [](hid_t file) {
        check(H5Lcreate_external("/other/model.h5", "/weight", file, "weight", H5P_DEFAULT,
                                 H5P_DEFAULT));
    });
}

void writeSoftLink(const fs::path& path) {
    inNewFile(path, [](hid_t file) {
        check(H5Lcreate_soft("/weight", file, "weight", H5P_DEFAULT, H5P_DEFAULT));
    });
}

void writeVirtualDataset(const fs::path& path) {
    inNewFile(path, [](hid_t file) {
        const hsize_t dims[] = {4};
        const hid_t space = H5Screate_simple(1, dims, nullptr);
        const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
        check(H5Pset_virtual(properties, space, "/other/model.h5", "/weight", space));
        addDataset(file, "weight", {4}, properties);
    });
}

void writeGroupLoop(const fs::path& path) {
    inNewFile(path, [](hid_t file) {
        check(H5Gcreate2(file, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        check(H5Lcreate_hard(file, "a", file, "a/again", H5P_DEFAULT, H5P_DEFAULT));
    });
}

void writeSharedGroup(const fs::path& path) {
    inNewFile(path, [](hid_t file) {
        check(H5Gcreate2(file, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        check(H5Lcreate_hard(file, "a", file, "b", H5P_DEFAULT, H5P_DEFAULT));
    });
}

void writeDeepGroups(const fs::path& path, std::size_t depth) {
    inNewFile(path, [depth](hid_t file) {
        hid_t group = file;
        for (std::size_t i = 0; i < depth; ++i)
            group = check(H5Gcreate2(group, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    });
}

void writeManyLinks(const fs::path& path, std::size_t count) {
    inNewFile(path, [count](hid_t file) {
        fillWithOnes(addDataset(file, "w", {1}), 1);
        for (std::size_t i = 1; i < count; ++i)
            check(H5Lcreate_hard(file, "w", file, std::to_string(i).c_str(), H5P_DEFAULT,
                                 H5P_DEFAULT));
    });
}

void writeName(const fs::path& path, const std::string& name) {
    inNewFile(path, [&](hid_t file) { fillWithOnes(addDataset(file, name.c_str(), {1}), 1); });
}

void writeUnknownFilter(const fs::path& path) {
    inNewFile(path, [](hid_t file) {
        const hid_t properties = chunked({4});
        const H5Z_filter_t bitshuffle = 32008;
        check(H5Pset_filter(properties, bitshuffle, H5Z_FLAG_OPTIONAL, 0, nullptr));
        fillWithOnes(addDataset(file, "weight", {4}, properties), 4);
    });
}

void writeDoubleDeflate(const fs::path& path) {
    inNewFile(path, [](hid_t file) {
        const hid_t properties = chunked({4096});
        check(H5Pset_deflate(properties, 9));
        check(H5Pset_deflate(properties, 9));
        fillWithOnes(addDataset(file, "weight", {4096}, properties), 4096);
    });
}

void writeUnallocated(const fs::path& path, bool deflate) {
    inNewFile(path, [deflate](hid_t file) {
        const hid_t properties = deflate ? chunked({1024, 1024}) : H5Pcreate(H5P_DATASET_CREATE);
        if (deflate)
            check(H5Pset_deflate(properties, 9));
        addDataset(file, "weight", {kMillion, kMillion}, properties);
    });
}

void writeOverflowingShape(const fs::path& path) {
    inNewFile(path, [](hid_t file) {
        addDataset(file, "weight", {hsize_t{1} << 33, hsize_t{1} << 33}, chunked({16, 16}));
    });
}

void writeManyDimensions(const fs::path& path, int rank) {
    inNewFile(path, [rank](hid_t file) {
        fillWithOnes(
            addDataset(file, "weight", std::vector<hsize_t>(static_cast<std::size_t>(rank), 1)), 1);
    });
}

void writeHugeChunk(const fs::path& path) {
    inNewFile(path, [](hid_t file) {
        const hsize_t dims[] = {1};
        const hsize_t max_dims[] = {H5S_UNLIMITED};
        const hid_t space = H5Screate_simple(1, dims, max_dims);
        check(H5Dcreate2(file, "weight", H5T_IEEE_F32LE, space, H5P_DEFAULT,
                         chunked({hsize_t{1} << 28}), H5P_DEFAULT));
    });
}

void writeMissingChunk(const fs::path& path) {
    inNewFile(path, [](hid_t file) {
        const hid_t properties = chunked({4});
        check(H5Pset_deflate(properties, 1));
        const hid_t dataset = addDataset(file, "weight", {8}, properties);
        const hsize_t start[] = {0};
        const hsize_t count[] = {4};
        const hid_t part = H5Dget_space(dataset);
        check(H5Sselect_hyperslab(part, H5S_SELECT_SET, start, nullptr, count, nullptr));
        const hid_t memory = H5Screate_simple(1, count, nullptr);
        const float values[] = {1.0f, 2.0f, 3.0f, 4.0f};
        check(H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory, part, H5P_DEFAULT, values));
    });
}

void writeLyingChunk(const fs::path& path, std::size_t bytes) {
    inNewFile(path, [bytes](hid_t file) {
        const hid_t properties = chunked({1024});
        check(H5Pset_deflate(properties, 9));
        const hid_t dataset = addDataset(file, "weight", {1024}, properties);
        const std::vector<Bytef> plain(bytes, 0);
        std::vector<Bytef> stored(::compressBound(bytes));
        uLongf stored_bytes = stored.size();
        ::compress(stored.data(), &stored_bytes, plain.data(), plain.size());
        const hsize_t offset[] = {0};
        check(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset, stored_bytes, stored.data()));
    });
}

void writeOverlap(const fs::path& path) {
    constexpr std::size_t count = 25000;
    haddr_t address = HADDR_UNDEF;
    inNewFile(path, [&](hid_t file) {
        const hid_t first = addDataset(file, "a", {count});
        fillWithOnes(first, count);
        address = H5Dget_offset(first);
        addDataset(file, "b", {count});
        addDataset(file, "c", {count});
    });
    // A contiguous layout: version 3, class 1, u64 address (here none yet), u64 size.
    const std::uint64_t size = count * sizeof(float);
    std::string from("\x03\x01", 2);
    from.append(8, '\xFF').append(reinterpret_cast<const char*>(&size), sizeof size);
    std::string to = from;
    std::memcpy(to.data() + 2, &address, sizeof address);
    patch(path, from, to);
    patch(path, from, to);
}

void writeWrongCheckSum(const fs::path& path) {
    inNewFile(path, [](hid_t file) {
        const hid_t properties = chunked({64});
        check(H5Pset_fletcher32(properties));
        fillWithOnes(addDataset(file, "weight", {64}, properties), 64);
    });
    const std::string one("\0\0\x80\x3F", 4);
    patch(path, one + one, one + std::string("\0\0\x81\x3F", 4));
}

void writeOtherTypes(const fs::path& path) {
    inNewFile(path, [](hid_t file) {
        const hsize_t dims[] = {2};
        const hid_t space = H5Screate_simple(1, dims, nullptr);
        const auto add = [&](const char* name, hid_t type) {
            const std::vector<char> zeros(2 * H5Tget_size(type), 0);
            const hid_t dataset =
                check(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data()));
        };
        const hid_t pair = H5Tcreate(H5T_COMPOUND, 8);
        H5Tinsert(pair, "re", 0, H5T_IEEE_F32LE);
        H5Tinsert(pair, "im", 4, H5T_IEEE_F32LE);
        add("compound", pair);
        const hid_t float24 = H5Tcopy(H5T_IEEE_F32LE);
        H5Tset_fields(float24, 23, 15, 8, 0, 15);
        H5Tset_precision(float24, 24);
        H5Tset_size(float24, 3);
        add("float24", float24);
        const hid_t text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, 5);
        add("texts", text);
        add("opaque", H5Tcreate(H5T_OPAQUE, 2));
    });
}

void writeManyAttributes(const fs::path& path, std::size_t count) {
    inNewFile(path, [count](hid_t file) {
        const hid_t space = H5Screate(H5S_SCALAR);
        for (std::size_t i = 0; i < count; ++i)
            check(H5Acreate2(file, std::to_string(i).c_str(), H5T_STD_I32LE, space, H5P_DEFAULT,
                             H5P_DEFAULT));
    });
}

void patch(const fs::path& path, std::string_view from, std::string_view to) {
    std::string bytes = readBytes(path);
    const std::size_t place = bytes.find(from);
    if (place == std::string::npos)
        throw std::runtime_error("there is nothing to patch in " + path.string());
    bytes.replace(place, from.size(), to);
    writeBytes(path, bytes);
}

} // namespace headscope::test
