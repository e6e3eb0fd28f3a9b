#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A number as JSON that reads back to the bit: null for one that is not defined, "inf" and "-inf".
std::string exactNumber(double value);
/// "[1,2.5,null]"
std::string exactNumbers(std::span<const double> values);

/// What exactNumber() wrote; nothing for anything else.
std::optional<double> readExactNumber(const JsonValue& value);
/// A list of `count` such numbers; nothing for anything else.
std::optional<std::vector<double>> readExactNumbers(const JsonValue& list, std::size_t count);

/// A file of finished parts beside a result, one JSON value a line, so that a run that was stopped
/// goes on where it was. The first line says of which question they are parts.
class PartsFile {
public:
    /// `question` is any text that is the same for the same question only.
    PartsFile(std::filesystem::path path, std::string question);

    /// False for a line of another form.
    using TakeLine = std::function<bool(const JsonValue& line)>;
    /// Every line in its order; none where there is no file. Fails for a file of another question
    /// and for a line that `take` refuses. A last line that was not finished is passed over.
    Result<void> read(const JsonLimits& limits, const TakeLine& take) const;

    /// Begins the file anew, with these lines.
    Result<void> begin(std::span<const std::string> lines) const;
    Result<void> append(const std::string& line) const;
    void remove() const;

private:
    std::filesystem::path path_;
    std::string question_;
};

} // namespace headscope
