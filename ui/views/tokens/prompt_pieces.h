#pragma once

#include "ui/document/prompt_run.h"
#include "ui/widgets/token_content.h"

#include <QVector>

namespace headscope::ui {

/// A prompt as running text: as it was written, with the tokens that a tokenizer added in their
/// places. Characters that draw nothing are escaped. Of a prompt of ids its tokens side by side.
QVector<TextPiece> promptPieces(const RunResult& result);

} // namespace headscope::ui
