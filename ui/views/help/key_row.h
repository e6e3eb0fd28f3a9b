#pragma once

#include <QString>
#include <QStringList>

namespace headscope::ui {

/// Keys and what they do.
struct KeyRow {
    QStringList keys; ///< in portable form: "Ctrl+Shift+Z"
    QString what;
};

} // namespace headscope::ui
