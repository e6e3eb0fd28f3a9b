#pragma once

#include "core/base/layer_head.h"
#include "core/export/project_file.h"

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
/// With `own`, the choices are those, and what the document and the view hold is a project's.
void keepSession(const Document& document, PatternView& pattern, const Project* own);

/// What is a user's choice for all models, and a project's for itself: thresholds, BOS, the kind of
/// ablation and how patterns are drawn. The rest of it is empty.
Project choicesOf(const Document& document, PatternView& pattern);
void applyChoices(const Project& choices, Document& document, PatternView& pattern);

/// What the document and the view of patterns hold now; there must be a model.
Project projectOf(const Document& document, PatternView& pattern);

/// The same without how it is drawn and which prompts came before: what makes two projects say
/// different things.
Project contentOf(Project project);

/// Puts a project's heads, thresholds and views in place, and its notes and earlier prompts beside
/// the user's; its model and prompt are open. Heads that the model does not have are left out.
void applyProject(const Project& project, Document& document, PatternView& pattern);

} // namespace headscope::ui
