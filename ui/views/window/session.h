#pragma once

#include "core/base/layer_head.h"

#include <QString>

#include <optional>

namespace headscope::ui {

class Document;
class PatternView;

/// What the window looked at when it was closed.
struct LastView {
    QString model_path;
    QString prompt;
    LayerHead head;
};

/// Reads and writes what is kept between two starts: choices go straight to the document and the
/// view.
void restoreChoices(Document& document, PatternView& pattern);
LastView lastView();
void keepSession(const Document& document, PatternView& pattern);

} // namespace headscope::ui
