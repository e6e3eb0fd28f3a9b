#pragma once

#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/passages.h"

#include <cstddef>
#include <cstdint>

namespace headscope::ui {

/// Which texts heads are chosen by and judged on, and how they are cut.
struct PruningTextQuestion {
    NamedText calibration = bundledCalibration();
    NamedText test = bundledTest();
    std::size_t length = 128; ///< tokens of a passage
    std::size_t calibration_tokens = 4096;
    std::size_t test_tokens = 4096;
    std::uint64_t seed = 0;
};

struct PruningTexts {
    PassageSet calibration;
    PassageSet test;
    PassageOptions calibration_options; ///< what a recipe says of the calibration text
};

/// Both in passages. Fails as readPassages() does, and where they share a passage.
Result<PruningTexts> readPruningTexts(const Model& model, const PruningTextQuestion& question);

} // namespace headscope::ui
