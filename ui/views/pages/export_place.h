#pragma once

#include "core/base/result.h"

#include <QString>

class QWidget;

namespace headscope::ui {

class Dialogs;

/// Where the last export went, or a place to begin with.
QString exportFolder();
/// Asks where to write, suggesting `name` with this extension in exportFolder(); an answer without
/// an extension gets it. Empty when the user changed their mind.
QString askWhereToExport(Dialogs& dialogs, QWidget* parent, const QString& name,
                         const QString& extension, const QString& filter);
/// The kinds of files that hold a table, as a file dialog offers them.
QString tableFilter();
/// Remembers the folder of a written file.
void keepExportFolder(const QString& path);
/// Says that the file is written, and remembers its folder; or why it is not.
QString outcomeOfWriting(const Result<void>& written, const QString& path);

} // namespace headscope::ui
