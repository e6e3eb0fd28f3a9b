#pragma once

#include "core/analysis/detectors/detector.h"

namespace headscope {

// One file each. registry.cpp puts them in display order.
extern const Detector kPreviousDetector;
extern const Detector kInductionDetector;
extern const Detector kDuplicateDetector;
extern const Detector kCurrentDetector;
extern const Detector kSinkDetector;

} // namespace headscope
