#include "core/export/formats/json_numbers.h"

#include "core/base/text.h"

#include <cmath>
#include <limits>

namespace headscope {

std::string exactNumber(double value) {
    if (std::isnan(value))
        return "null";
    if (std::isinf(value))
        return value > 0.0 ? R"("inf")" : R"("-inf")";
    if (value == 0.0 && std::signbit(value))
        return "-0.0"; // "-0" is a whole number, which has no sign
    return numberText(value);
}

std::string exactNumbers(std::span<const double> values) {
    std::string list = "[";
    for (const double value : values)
        list.append(list.size() > 1 ? "," : "").append(exactNumber(value));
    return list + "]";
}

std::optional<double> readExactNumber(const JsonValue& value) {
    if (value.isNull())
        return std::numeric_limits<double>::quiet_NaN();
    if (const std::string* const text = value.text()) {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        if (*text == "inf")
            return kInfinity;
        return *text == "-inf" ? std::optional(-kInfinity) : std::nullopt;
    }
    return value.number();
}

std::optional<std::vector<double>> readExactNumbers(const JsonValue& list, std::size_t count) {
    if (!list.isArray() || list.size() != count)
        return std::nullopt;
    std::vector<double> numbers;
    numbers.reserve(count);
    for (const JsonValue& element : list.elements()) {
        const auto number = readExactNumber(element);
        if (!number)
            return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

} // namespace headscope
