#pragma once

#include "core/export/project_file.h"

namespace headscope::ui {

class Document;
class PatternView;

/// What the document and the view of patterns hold now; there must be a model.
Project projectOf(const Document& document, PatternView& pattern);

/// The same without how it is drawn and which prompts came before: what makes two projects say
/// different things.
Project contentOf(Project project);

/// Puts a project's heads, thresholds, notes and views in place; its model and prompt are open.
/// Heads that the model does not have are left out.
void applyProject(const Project& project, Document& document, PatternView& pattern);

} // namespace headscope::ui
