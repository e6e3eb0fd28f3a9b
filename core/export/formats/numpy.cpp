#include "core/export/formats/numpy.h"

#include "core/base/utf8.h"
#include "core/export/formats/little_endian.h"
#include "core/export/formats/stored_zip.h"

#include <bit>
#include <cstdint>
#include <ostream>

namespace headscope {

static_assert(std::endian::native == std::endian::little, "files hold numbers as memory does");

namespace {

constexpr std::size_t kAlignment = 64;

/// A tuple of Python: "()", "(3,)", "(3, 4)".
std::string tupleText(const Shape& shape) {
    std::string text = "(";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis > 0)
            text += ' ';
        text += std::to_string(shape[axis]);
        if (axis + 1 < shape.size() || shape.size() == 1)
            text += ',';
    }
    return text + ")";
}

} // namespace

std::string npyHeader(std::string_view descr, const Shape& shape) {
    std::string dict = "{'descr': '" + std::string(descr) +
                       "', 'fortran_order': False, 'shape': " + tupleText(shape) + ", }";
    const auto paddedLength = [&](std::size_t prefix) {
        const std::size_t total = prefix + dict.size() + 1;
        return (total + kAlignment - 1) / kAlignment * kAlignment - prefix;
    };
    // Magic and version take 8 bytes, the length 2 (version 1) or 4 (version 2).
    const bool version_2 = paddedLength(10) > 0xFFFF;
    const std::size_t length = paddedLength(version_2 ? 12 : 10);
    dict.append(length - dict.size() - 1, ' ');
    dict += '\n';

    std::string header = "\x93NUMPY";
    header += version_2 ? '\2' : '\1';
    header += '\0';
    appendLittleEndian(header, length, version_2 ? 4 : 2);
    return header + dict;
}

std::string_view npyBytes(const NamedArray& array) {
    return std::visit(
        [](const auto& values) {
            return std::string_view(reinterpret_cast<const char*>(values.data()),
                                    values.size() * sizeof(values[0]));
        },
        array.values);
}

std::string_view npyDescr(const NamedArray& array) {
    return std::holds_alternative<std::vector<float>>(array.values) ? "<f4" : "<i4";
}

std::string npyText(std::string_view utf8) {
    std::string code_points; // UTF-32, little-endian
    std::size_t count = 0;
    while (!utf8.empty()) {
        const auto [code_point, bytes] = decodeCharacter(utf8);
        appendLittleEndian(code_points, code_point.value_or(U'\uFFFD'), 4);
        utf8.remove_prefix(bytes);
        ++count;
    }
    return npyHeader("<U" + std::to_string(count), {}) + code_points;
}

void writeNpy(std::ostream& out, const NamedArray& array) {
    const std::string_view bytes = npyBytes(array);
    out << npyHeader(npyDescr(array), array.shape);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void writeNpz(std::ostream& out, std::span<const NamedArray> arrays, const Provenance& provenance) {
    StoredZip zip(out);
    for (const NamedArray& array : arrays)
        zip.add(array.name + ".npy", {npyHeader(npyDescr(array), array.shape), npyBytes(array)});
    zip.add("provenance.npy", {npyText(provenance.json())});
    zip.finish();
}

} // namespace headscope
