#pragma once

#include "ui/document/inside_reading.h"
#include "ui/document/why_reading.h"
#include "ui/views/maps/pattern_settings.h"

#include <memory>

namespace headscope::ui {

/// What the middle of the window shows.
struct ShownView {
    PatternMap map = PatternMap::Attention;
    PatternPage page = PatternPage::Heatmap;
    std::shared_ptr<const WhyReading> why = nullptr; ///< of PatternPage::Why; null while it reads
    std::shared_ptr<const InsideReading> inside = nullptr; ///< likewise of PatternPage::Inside
};

} // namespace headscope::ui
