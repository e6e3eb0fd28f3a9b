#pragma once

#include "core/io/reader/hdf5/hdf5_library.h"
#include "core/io/sealed/hdf5_layout.h"

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// A file that HDF5 writes into memory, and that keeps no numbers but where they belong.
class Hdf5Image {
public:
    /// The file, empty, to be written; invalid when HDF5 refuses. It must be closed before this
    /// object goes.
    Hdf5Handle create();

    /// From here to takePlace() what HDF5 writes as raw data is not kept.
    void expectNumbers() { expecting_ = true; }
    /// Where they belong.
    std::optional<BytePlace> takePlace();

    /// What it has written otherwise, ascending.
    std::vector<BytesAt> parts() const;
    std::uint64_t size() const { return end_of_addresses_; }

    // For the driver.
    void write(bool is_raw, std::uint64_t offset, std::span<const std::byte> bytes);
    void read(std::uint64_t offset, std::span<std::byte> target) const;
    haddr_t endOfAddresses() const { return end_of_addresses_; }
    void setEndOfAddresses(haddr_t end) { end_of_addresses_ = end; }
    haddr_t endOfFile() const { return end_of_file_; }

private:
    std::map<std::uint64_t, std::vector<std::byte>> pages_; ///< by their numbers
    haddr_t end_of_addresses_ = 0;
    haddr_t end_of_file_ = 0;
    bool expecting_ = false;
    std::optional<BytePlace> place_;
};

} // namespace headscope
