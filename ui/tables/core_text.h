#pragma once

#include <QString>

namespace headscope::ui {

/// What core says it is doing (Progress), or what scores were measured on, in the language of the
/// window; what is not known here stays as it is.
QString coreText(const QString& text);

} // namespace headscope::ui
