#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace headscope {

namespace {

template <class Number>
std::string shortestText(Number value) {
    if (std::isnan(value))
        return "nan";
    std::array<char, 40> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return {buffer.data(), end};
}

} // namespace

std::string shapeText(std::span<const std::size_t> shape) {
    std::string text = "[";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis > 0)
            text += ", ";
        text += std::to_string(shape[axis]);
    }
    return text + "]";
}

std::string byteText(std::size_t bytes) {
    static constexpr std::array<std::string_view, 6> units{"B", "kB", "MB", "GB", "TB", "PB"};
    if (bytes < 1000)
        return std::to_string(bytes) + " B";
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < units.size()) {
        value /= 1000.0;
        ++unit;
    }
    return fixedText(value, value < 9.995   ? 2
                            : value < 99.95 ? 1
                                            : 0) +
           " " + std::string(units[unit]);
}

std::string numberText(double value) {
    return shortestText(value);
}
std::string numberText(float value) {
    return shortestText(value);
}

std::string fixedText(double value, int decimals) {
    if (std::isnan(value))
        return "nan";
    std::array<char, 400> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::fixed, decimals)
                         .ptr;
    return {buffer.data(), end};
}

std::string counted(std::size_t count, std::string_view noun) {
    std::string text = std::to_string(count) + " ";
    text += noun;
    return count == 1 ? text : text + "s";
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (;;) {
        const std::size_t end = text.find(separator, begin);
        parts.emplace_back(text.substr(begin, end - begin));
        if (end == std::string_view::npos)
            return parts;
        begin = end + 1;
    }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
    std::string text;
    for (const std::string& part : parts) {
        if (&part != parts.data())
            text += separator;
        text += part;
    }
    return text;
}

std::string replaceAll(std::string_view text, std::string_view what, std::string_view by) {
    std::string result;
    std::size_t begin = 0;
    for (std::size_t at = text.find(what); at != std::string_view::npos;
         at = text.find(what, begin)) {
        result += text.substr(begin, at - begin);
        result += by;
        begin = at + what.size();
    }
    return result += text.substr(begin);
}

bool globMatches(std::string_view glob, std::string_view text) {
    // Greedy with one level of backtracking: on a mismatch the last '*' swallows one more
    // character.
    std::size_t g = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    while (t < text.size()) {
        if (g < glob.size() && glob[g] == '*') {
            star = g++;
            resume = t;
        } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
            ++g;
            ++t;
        } else if (star != std::string_view::npos) {
            g = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    return glob.find_first_not_of('*', g) == std::string_view::npos;
}

} // namespace headscope
