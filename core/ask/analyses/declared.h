#pragma once

#include "core/ask/analysis.h"

namespace headscope {

// One function for each analysis, in a file of its name.

Analysis attributeAnalysis();
Analysis circuitsAnalysis();
Analysis edgesAnalysis();
Analysis effectAnalysis();
Analysis generateAnalysis();
Analysis insideAnalysis();
Analysis lensAnalysis();
Analysis patchAnalysis();
Analysis similarityAnalysis();
Analysis tokensAnalysis();
Analysis whyAnalysis();

} // namespace headscope
