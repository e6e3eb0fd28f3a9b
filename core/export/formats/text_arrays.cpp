#include "core/export/formats/text_arrays.h"

#include "core/base/text.h"
#include "core/model/prompt.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>
#include <system_error>
#include <vector>

namespace headscope {

namespace {

std::string valueText(const NamedArray& array, std::size_t i) {
    if (const auto* floats = std::get_if<std::vector<float>>(&array.values))
        return numberText((*floats)[i]);
    return std::to_string(std::get<std::vector<std::int32_t>>(array.values)[i]);
}

/// A number, with or without a sign, or a percent sign alone.
bool isNumberText(std::string_view text) {
    if (text == "%")
        return true;
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    return failure == std::errc() && stop == end;
}

/// Whether a spreadsheet takes a cell for a formula.
bool isComputed(std::string_view text) {
    constexpr std::string_view kBegins = "=+-@\t\r\n";
    return !text.empty() && kBegins.find(text.front()) != std::string_view::npos &&
           !std::ranges::all_of(split(text, ' '), isNumberText);
}

std::string tokenCell(std::span<const std::string> pieces, std::size_t position) {
    return csvCell(positionText(pieces, position));
}

} // namespace

std::string textCell(std::string_view text) {
    return (isComputed(text) ? "'" : "") + std::string(text);
}

std::string csvCell(std::string_view text) {
    const std::string cell = textCell(text);
    if (cell.find_first_of(",\"\r\n") == std::string::npos)
        return cell;
    return '"' + replaceAll(cell, "\"", "\"\"") + '"';
}

std::string csvCells(std::span<const std::string> texts) {
    std::vector<std::string> cells;
    for (const std::string& text : texts)
        cells.push_back(csvCell(text));
    return join(cells, ",");
}

void writeCsvMatrix(std::ostream& out, const NamedArray& matrix,
                    std::span<const std::string> pieces) {
    const std::size_t positions = pieces.size();
    out << "query / key";
    for (std::size_t key = 0; key < positions; ++key)
        out << ',' << tokenCell(pieces, key);
    out << '\n';
    for (std::size_t query = 0; query < positions; ++query) {
        out << tokenCell(pieces, query);
        for (std::size_t key = 0; key < positions; ++key)
            out << ',' << valueText(matrix, query * positions + key);
        out << '\n';
    }
}

void writeCsvLong(std::ostream& out, std::span<const NamedArray> arrays) {
    std::size_t rank = 0;
    for (const NamedArray& array : arrays)
        rank = std::max(rank, array.shape.size());

    out << "array";
    for (std::size_t axis = 0; axis < rank; ++axis)
        out << ",index_" << axis;
    out << ",value\n";

    for (const NamedArray& array : arrays) {
        const std::string name = csvCell(array.name);
        const Shape strides = contiguousStrides(array.shape);
        for (std::size_t i = 0; i < elementCount(array.shape); ++i) {
            out << name;
            for (std::size_t axis = 0; axis < rank; ++axis) {
                out << ',';
                if (axis < array.shape.size())
                    out << std::to_string(i / strides[axis] % array.shape[axis]);
            }
            out << ',' << valueText(array, i) << '\n';
        }
    }
}

namespace {

std::string jsonNumber(float value) {
    return std::isfinite(value) ? numberText(value) : "null";
}
std::string jsonNumber(std::int32_t value) {
    return std::to_string(value);
}

/// Writes the values of all axes from `axis` on as nested lists and moves `value` after them.
template <class T>
void writeNested(std::ostream& out, const Shape& shape, std::size_t axis, const T*& value) {
    if (axis == shape.size()) {
        out << jsonNumber(*value++);
        return;
    }
    out << '[';
    for (std::size_t i = 0; i < shape[axis]; ++i) {
        if (i > 0)
            out << ',';
        writeNested(out, shape, axis + 1, value);
    }
    out << ']';
}

void writeArray(std::ostream& out, const NamedArray& array) {
    const bool floats = std::holds_alternative<std::vector<float>>(array.values);
    out << nlohmann::json(array.name) << R"(:{"dtype":")" << (floats ? "float32" : "int32")
        << R"(","shape":)" << nlohmann::json(array.shape) << R"(,"values":)";
    std::visit(
        [&](const auto& values) {
            const auto* first = values.data();
            writeNested(out, array.shape, 0, first);
        },
        array.values);
    out << '}';
}

} // namespace

void writeJsonArrays(std::ostream& out, std::span<const NamedArray> arrays,
                     const Provenance& provenance) {
    std::vector<const NamedArray*> sorted;
    for (const NamedArray& array : arrays)
        sorted.push_back(&array);
    std::ranges::sort(sorted, {}, &NamedArray::name);

    out << R"({"arrays":{)";
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i > 0)
            out << ',';
        writeArray(out, *sorted[i]);
    }
    out << R"(},"provenance":)" << provenance.json() << "}\n";
}

} // namespace headscope
