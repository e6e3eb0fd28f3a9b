#pragma once

#include <QString>

class QWidget;

namespace headscope::ui {

/// The questions that the window asks through dialogs of the system; replaced in tests.
class Dialogs {
public:
    virtual ~Dialogs() = default;

    /// A file to open; empty when the user changed their mind.
    virtual QString fileToOpen(QWidget* parent, const QString& folder);
    /// The folder of a model, with config, tokenizer and weights.
    virtual QString folderToOpen(QWidget* parent, const QString& folder);
    /// A folder with examples of heads.
    virtual QString examplesToOpen(QWidget* parent, const QString& folder);
    /// A file in which another program stored what a model gives.
    virtual QString storedOutputsToOpen(QWidget* parent, const QString& folder);
    /// A text, such as one to prune by.
    virtual QString textToOpen(QWidget* parent, const QString& folder);
    /// Where to save; `suggestion` is a whole path. Empty when the user changed their mind.
    virtual QString fileToSave(QWidget* parent, const QString& suggestion, const QString& filter);
    enum class SaveAnswer { Save, Discard, Cancel };
    /// Whether to save a project that was changed before the window closes.
    virtual SaveAnswer askToSave(QWidget* parent, const QString& name);
    enum class ReplaceAnswer { Replace, SaveAs, Cancel };
    /// Whether to write over a project that another window or program has written meanwhile.
    virtual ReplaceAnswer askToReplace(QWidget* parent, const QString& name);
    /// Opens the folder of a file in the file manager of the system.
    virtual void showInFolder(const QString& path);
};

} // namespace headscope::ui
