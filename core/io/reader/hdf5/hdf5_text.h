#pragma once

#include "core/base/result.h"
#include "core/io/reader/file_part.h"
#include "core/io/reader/hdf5/hdf5_dataset.h"
#include "core/io/sealed/file_description.h"

#include <hdf5.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace headscope {

/// What the file holds in place of a text of variable length: u32 bytes, u64 address of a global
/// heap collection, u32 object number in it, all little-endian.
using RawHeapReference = std::array<std::byte, 16>;

/// Lets HDF5 hand such references out as they are. Called once, when HDF5 is set up.
void registerRawHeapReferences();

/// The type under which H5Aread and H5Dread give a RawHeapReference for each text; H5Tclose it.
hid_t rawHeapReferenceType();

/// Fetches a text from the global heap. HDF5's own reader believes the sizes in the heap: one wrong
/// byte makes it write past its buffer or never return. `base` is where HDF5's addresses start
/// counting. Error messages are reasons.
Result<std::string> readHeapText(const FilePart& file, std::size_t base,
                                 const RawHeapReference& reference);

Error textTooLong(std::size_t bytes);

/// Reads single texts, of fixed or variable length, out of one open HDF5 file. `bytes` is the same
/// file. Error messages are reasons.
class TextReader {
public:
    TextReader(hid_t file, const FilePart& bytes);

    /// The texts among the attributes of an object, by name. Attributes of another kind are left
    /// out.
    Result<Texts> attributesOf(hid_t object) const;

    /// The text of a dataset that holds a single one, or nothing for any other dataset.
    Result<std::optional<std::string>> textOf(const Hdf5Dataset& dataset) const;

private:
    Result<std::optional<std::string>> attributeText(hid_t object, const std::string& name) const;

    template <class Read>
    Result<std::string> singleText(hid_t type, Read read) const;

    FilePart bytes_;
    std::size_t base_ = 0; ///< where HDF5's addresses start counting: after the user block
};

} // namespace headscope
