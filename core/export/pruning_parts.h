#pragma once

#include "core/base/result.h"
#include "core/export/formats/parts_file.h"
#include "core/pruning/pruning_curve.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// The curve of one order, with the readings of the whole network that it is compared with.
struct MeasuredOrder {
    CurvePoint whole;
    std::optional<CurvePoint> control; ///< PruningResult::control
    PruningCurve curve;
};

/// {"order": …, "points": […], "whole": …} on one line, which reads back to the bit.
std::string measuredOrderText(const MeasuredOrder& measured);
/// Nothing for what is no curve of heads that `spec` has.
std::optional<MeasuredOrder> readMeasuredOrder(std::string_view text, const ModelSpec& spec);

/// The finished parts of curves (formats/parts_file.h).
class PruningPartsFile {
public:
    /// "curve.json.parts" of "curve.json"
    static std::filesystem::path pathFor(const std::filesystem::path& result);

    /// `question` is a text that differs for every question.
    PruningPartsFile(std::filesystem::path path, std::string question);

    /// What is in the file by the names of texts, for orders whose heads `spec` has; nothing where
    /// there is none. Fails for a file of another question. A last line that was not finished is
    /// passed over.
    Result<std::map<std::string, PruningParts>> read(const ModelSpec& spec) const;

    /// Begins the file anew, with these parts.
    Result<void> begin(const std::map<std::string, PruningParts>& parts);
    Result<void> add(const std::string& text, const PruningOrder& order);
    Result<void> add(const std::string& text, const OrderSpec& order, const CurvePoint& point);
    void remove() const;

private:
    PartsFile file_;
};

} // namespace headscope
