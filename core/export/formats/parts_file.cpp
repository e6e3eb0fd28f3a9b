#include "core/export/formats/parts_file.h"

#include "core/base/text.h"
#include "core/io/allowed_folders.h"
#include "core/io/atomic_file.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

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

namespace {

constexpr std::size_t kLargestParts = std::size_t{256} << 20;

} // namespace

PartsFile::PartsFile(std::filesystem::path path, std::string question)
    : path_(std::move(path)), question_(std::move(question)) {}

Result<void> PartsFile::read(const JsonLimits& limits, const TakeLine& take) const {
    std::error_code ignored;
    if (!std::filesystem::exists(path_, ignored))
        return {};
    const auto text = readTextFile(path_, kLargestParts);
    if (!text)
        return text.error();
    const std::vector<std::string> lines = split(*text, '\n');
    const auto first = JsonDocument::parse(lines.front(), limits);
    const std::string* const question = first ? first->root().member("question").text() : nullptr;
    if (question == nullptr || *question != question_)
        return Error{ErrorCode::Mismatch,
                     path_.string() + " holds parts of another question; remove it, or leave "
                                      "--resume out to begin anew."};
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const auto line = JsonDocument::parse(lines[i], limits);
        if (!line || !line->root().isObject())
            continue; // cut short when the run was killed
        if (!take(line->root()))
            return Error{ErrorCode::Malformed, path_.string() + " is damaged in line " +
                                                   std::to_string(i + 1) + "; remove it."};
    }
    noteOwn(path_);
    return {};
}

Result<void> PartsFile::begin(std::span<const std::string> lines) const {
    std::string text = nlohmann::json{{"question", question_}}.dump() + "\n";
    for (const std::string& line : lines)
        text += line + "\n";
    return writeFileAtomically(path_, text);
}

Result<void> PartsFile::append(const std::string& line) const {
    std::ofstream file(path_, std::ios::app | std::ios::binary);
    file << line << '\n';
    file.flush();
    if (file)
        return {};
    return Error{ErrorCode::WriteFailed, "Cannot write " + path_.string() + "; is the disk full?"};
}

void PartsFile::remove() const {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

} // namespace headscope
