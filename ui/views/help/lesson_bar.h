#pragma once

#include "core/base/layer_head.h"
#include "ui/document/document.h"
#include "ui/markup/markup.h"
#include "ui/views/maps/pattern_settings.h"
#include "ui/widgets/tinted_frame.h"

#include <QList>
#include <QString>

#include <cstddef>
#include <optional>
#include <vector>

class QPushButton;

namespace headscope::ui {

class MarkupLabel;

/// What is said, and what the window shows meanwhile.
struct LessonStep {
    QString title;
    Markup text;
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

class PatternView;

/// Leads through a lesson: says one step at a time, and brings the window to what it is about. The
/// rest of the window stays as free as ever; a step that is entered brings it back.
class LessonBar : public TintedFrame {
    Q_OBJECT

public:
    LessonBar(Document& document, PatternView& pattern, QWidget* parent);

    void begin(const Lesson& lesson);
    /// −1: no lesson.
    int step() const { return step_; }

private:
    void layOut();
    void goTo(int step);
    void end();
    void arrange();
    void showStep();

    Document& document_;
    PatternView& pattern_;
    Lesson lesson_;
    int step_ = -1;
    bool is_opening_ = false; ///< the lesson's model is on its way
    MarkupLabel* title_ = nullptr;
    MarkupLabel* text_ = nullptr;
    QPushButton* back_ = nullptr;
    QPushButton* next_ = nullptr;
};

} // namespace headscope::ui
