#pragma once

#include "core/base/layer_head.h"
#include "ui/views/pattern/pattern_settings.h"

#include <QList>
#include <QString>

#include <cstddef>
#include <optional>
#include <vector>

namespace headscope::ui {

/// What is said, and what the window shows meanwhile.
struct LessonStep {
    QString title;
    QString text; ///< rich text
    PatternPage page = PatternPage::Heatmap;
    LayerHead head;
    std::optional<std::size_t> locked_row = std::nullopt;
    std::vector<LayerHead> ablated = {};
};

/// Some steps on one prompt of a sample model.
struct Lesson {
    QString name;
    QString model; ///< as in sampleModels()
    QString prompt;
    QList<LessonStep> steps;
};

/// From what the induction head of the circuit made by hand looks at, to why.
Lesson whyLesson();

} // namespace headscope::ui
