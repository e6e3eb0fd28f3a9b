#pragma once

#include "core/base/token_id.h"
#include "core/tensor/tensor.h"

#include <filesystem>
#include <string>

namespace headscope::test {

/// Expected values computed elsewhere, read with plain HDF5 calls and none of the product's code.
/// Everything throws std::runtime_error naming file and dataset when it is not there.
class ReferenceFile {
public:
    explicit ReferenceFile(const std::filesystem::path& path);
    ~ReferenceFile();
    ReferenceFile(const ReferenceFile&) = delete;
    ReferenceFile& operator=(const ReferenceFile&) = delete;

    bool has(const std::string& dataset) const;
    Tensor floats(const std::string& dataset) const;
    TokenIds ids(const std::string& dataset) const; ///< any rank, flattened
    Shape shape(const std::string& dataset) const;
    double number(const std::string& dataset) const;

private:
    std::filesystem::path path_;
    long long file_ = -1; ///< hid_t
};

/// Largest |found − expected| and where, so that a failing test can name the element.
struct Difference {
    double absolute = 0.0;
    double relative = 0.0; ///< absolute over the largest |expected|
    std::size_t index = 0; ///< row-major
};
/// Throws when the shapes differ or a value is not finite.
Difference difference(const TensorView& found, const TensorView& expected);

} // namespace headscope::test
