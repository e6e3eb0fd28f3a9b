#pragma once

#include "ui/document/prompt_run.h"

#include <QString>

#include <functional>
#include <memory>

class QLabel;

namespace headscope::ui {

class PromptStrip;

/// The run that is shown now; null: none.
using ShownRun = std::function<std::shared_ptr<const RunResult>()>;

/// A menu on each token: copies it or its id, and locks its row as a click does.
void offerTokenMenu(PromptStrip& strip);

/// A menu on the predictions: copies them, and appends one to the prompt.
void offerPredictionMenu(QLabel& label, ShownRun shown, std::function<void(QString)> append);

} // namespace headscope::ui
