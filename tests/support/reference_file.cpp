#include "tests/support/reference_file.h"

#include "core/base/text.h"

#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headscope::test {

namespace {

static_assert(sizeof(hid_t) <= sizeof(long long));

/// One open dataset.
class Dataset {
public:
    Dataset(hid_t file, const std::filesystem::path& path, const std::string& name)
        : name_(path.string() + ":/" + name), id_(H5Dopen2(file, name.c_str(), H5P_DEFAULT)) {
        if (id_ < 0)
            throw std::runtime_error(name_ + " is missing");
    }
    ~Dataset() { H5Dclose(id_); }
    Dataset(const Dataset&) = delete;
    Dataset& operator=(const Dataset&) = delete;

    Shape shape() const {
        const hid_t space = H5Dget_space(id_);
        std::vector<hsize_t> dims(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
        H5Sget_simple_extent_dims(space, dims.data(), nullptr);
        H5Sclose(space);
        return Shape(dims.begin(), dims.end());
    }

    void read(hid_t type, void* target) const {
        if (H5Dread(id_, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, target) < 0)
            throw std::runtime_error(name_ + " can't be read");
    }

private:
    std::string name_;
    hid_t id_;
};

} // namespace

ReferenceFile::ReferenceFile(const std::filesystem::path& path)
    : path_(path), file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    if (file_ < 0)
        throw std::runtime_error(path.string() + " can't be opened");
}

ReferenceFile::~ReferenceFile() {
    H5Fclose(file_);
}

bool ReferenceFile::has(const std::string& dataset) const {
    std::string path;
    for (const std::string& part : split(dataset, '/')) {
        path += "/" + part;
        if (H5Lexists(file_, path.c_str(), H5P_DEFAULT) <= 0)
            return false;
    }
    return true;
}

Tensor ReferenceFile::floats(const std::string& dataset) const {
    const Dataset source(file_, path_, dataset);
    Tensor values(source.shape());
    source.read(H5T_NATIVE_FLOAT, values.data());
    return values;
}

TokenIds ReferenceFile::ids(const std::string& dataset) const {
    const Dataset source(file_, path_, dataset);
    TokenIds ids(elementCount(source.shape()));
    source.read(H5T_NATIVE_INT32, ids.data());
    return ids;
}

Shape ReferenceFile::shape(const std::string& dataset) const {
    return Dataset(file_, path_, dataset).shape();
}

double ReferenceFile::number(const std::string& dataset) const {
    double value = 0.0;
    Dataset(file_, path_, dataset).read(H5T_NATIVE_DOUBLE, &value);
    return value;
}

Difference difference(const TensorView& found, const TensorView& expected) {
    if (found.shape != expected.shape)
        throw std::runtime_error("shape " + shapeText(found.shape) + " where " +
                                 shapeText(expected.shape) + " is expected");
    const Tensor a = copyOf(found);
    const Tensor b = copyOf(expected);
    Difference worst;
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = a.values()[i];
        const double y = b.values()[i];
        if (!std::isfinite(x) || !std::isfinite(y))
            throw std::runtime_error("element " + std::to_string(i) + " is not finite");
        largest = std::max(largest, std::abs(y));
        if (std::abs(x - y) > worst.absolute) {
            worst.absolute = std::abs(x - y);
            worst.index = i;
        }
    }
    worst.relative = largest > 0.0 ? worst.absolute / largest : worst.absolute;
    return worst;
}

} // namespace headscope::test
