#pragma once

#include "core/base/result.h"
#include "core/export/parts_file.h"
#include "core/pruning/pruning_curve.h"

#include <filesystem>
#include <string>

namespace headscope {

/// The finished parts of curves (parts_file.h).
class PruningPartsFile {
public:
    /// "curve.json.parts" of "curve.json"
    static std::filesystem::path pathFor(const std::filesystem::path& result);

    /// `question` is any text that is the same for the same question only.
    PruningPartsFile(std::filesystem::path path, std::string question);

    /// What is in the file, for orders whose heads `spec` has; nothing where there is none. Fails
    /// for a file of another question. A last line that was not finished is passed over.
    Result<PruningParts> read(const ModelSpec& spec) const;

    /// Begins the file anew, with these parts.
    Result<void> begin(const PruningParts& parts);
    Result<void> add(const PruningOrder& order);
    Result<void> add(const OrderSpec& order, const CurvePoint& point);
    void remove() const;

private:
    PartsFile file_;
};

} // namespace headscope
