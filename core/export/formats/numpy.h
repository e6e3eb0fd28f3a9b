#pragma once

#include "core/export/named_array.h"

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

/// Magic, version, length and the dict that describes the array ("<f4"), padded so that the numbers
/// start at a multiple of 64 bytes. Version 1.0, or 2.0 for a dict of more than 65535 bytes.
/// Format: numpy.lib.format.
std::string npyHeader(std::string_view descr, const Shape& shape);

/// The numbers of the array as the file holds them: little-endian, row-major.
std::string_view npyBytes(const NamedArray& array);

/// "<f4" or "<i4".
std::string_view npyDescr(const NamedArray& array);

/// A text as the content of a .npy file: an array of rank 0 and type "<U…".
std::string npyText(std::string_view utf8);

/// The array as the content of a .npy file.
void writeNpy(std::ostream& out, const NamedArray& array);

/// A zip of uncompressed NAME.npy members (StoredZip), the last one "provenance".
void writeNpz(std::ostream& out, std::span<const NamedArray> arrays, const Provenance& provenance);

} // namespace headscope
