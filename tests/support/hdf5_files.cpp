#include "tests/support/hdf5_files.h"

#include <hdf5.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace headscope::test {

namespace {

/// Owns one HDF5 id; throws when HDF5 gave none.
class Id {
public:
    using Close = herr_t (*)(hid_t);

    Id(hid_t id, Close close) : id_(id), close_(close) {
        if (id < 0)
            throw std::runtime_error("HDF5 refused to write the test file");
    }
    Id(const Id&) = delete;
    Id& operator=(const Id&) = delete;
    ~Id() { close_(id_); }

    operator hid_t() const { return id_; }

private:
    hid_t id_;
    Close close_;
};

void require(herr_t status) {
    if (status < 0)
        throw std::runtime_error("HDF5 refused to write the test file");
}

hid_t halfType(std::size_t exponent_bits, std::size_t mantissa_bits, std::size_t bias) {
    const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    require(H5Tset_fields(type, 15, mantissa_bits, exponent_bits, 0, mantissa_bits));
    require(H5Tset_ebias(type, bias));
    require(H5Tset_precision(type, 16));
    require(H5Tset_size(type, 2));
    return type;
}

hid_t storedType(Storage storage) {
    switch (storage) {
    case Storage::Float32:
        return H5Tcopy(H5T_IEEE_F32LE);
    case Storage::Float32BigEndian:
        return H5Tcopy(H5T_IEEE_F32BE);
    case Storage::Float64:
        return H5Tcopy(H5T_IEEE_F64LE);
    case Storage::Float64BigEndian:
        return H5Tcopy(H5T_IEEE_F64BE);
    case Storage::Float16:
        return halfType(5, 10, 15);
    case Storage::BFloat16:
        return halfType(8, 7, 127);
    case Storage::BFloat16Opaque:
        return H5Tcreate(H5T_OPAQUE, 2);
    case Storage::Int32:
        return H5Tcopy(H5T_STD_I32LE);
    case Storage::Int64:
        return H5Tcopy(H5T_STD_I64LE);
    case Storage::BFloat16InUInt16:
    case Storage::UInt16:
        return H5Tcopy(H5T_STD_U16LE);
    }
    return H5I_INVALID_HID;
}

bool isRawBFloat16(Storage storage) {
    return storage == Storage::BFloat16Opaque || storage == Storage::BFloat16InUInt16;
}

void writeText(hid_t object, const std::string& name, const std::string& text,
               bool variable_length) {
    const Id type(H5Tcopy(H5T_C_S1), H5Tclose);
    require(H5Tset_cset(type, H5T_CSET_UTF8));
    require(
        H5Tset_size(type, variable_length ? H5T_VARIABLE : std::max<std::size_t>(1, text.size())));
    const Id space(H5Screate(H5S_SCALAR), H5Sclose);
    const Id attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                       H5Aclose);
    const char* characters = text.c_str();
    require(H5Awrite(attribute, type,
                     variable_length ? static_cast<const void*>(&characters) : characters));
}

void writeTensor(hid_t file, const FileTensor& tensor, Naming naming, hid_t link_properties) {
    if (elementCount(tensor.shape) != tensor.values.size())
        throw std::runtime_error("the test tensor " + tensor.name +
                                 " has not as many values as "
                                 "its shape says");
    std::string path = tensor.name;
    if (naming == Naming::Groups)
        std::replace(path.begin(), path.end(), '.', '/');
    const std::vector<hsize_t> dims(tensor.shape.begin(), tensor.shape.end());
    const Id space(dims.empty()
                       ? H5Screate(H5S_SCALAR)
                       : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
                   H5Sclose);
    const Id type(storedType(tensor.storage), H5Tclose);
    const Id dataset(
        H5Dcreate2(file, path.c_str(), type, space, link_properties, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose);
    if (!isRawBFloat16(tensor.storage)) {
        require(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                         tensor.values.data()));
        return;
    }
    std::vector<std::uint16_t> words;
    for (const float value : tensor.values)
        words.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
    require(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, words.data()));
    writeText(dataset, "dtype", "bfloat16", true);
}

} // namespace

void writeModelFile(const std::filesystem::path& path, const std::vector<FileTensor>& tensors,
                    const std::vector<FileAttribute>& attributes, Naming naming) {
    // The newest object headers have no limit of 64 kB on an attribute.
    const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    require(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    const Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    const Id link_properties(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    require(H5Pset_create_intermediate_group(link_properties, 1));
    for (const FileTensor& tensor : tensors)
        writeTensor(file, tensor, naming, link_properties);
    for (const FileAttribute& attribute : attributes)
        writeText(file, attribute.name, attribute.text, attribute.variable_length);
}

} // namespace headscope::test
