#pragma once

#include "ui/widgets/tinted_frame.h"

class QLabel;
class QPushButton;

namespace headscope::ui {

class Document;
class ProjectKeeper;

/// Says which settings the open project has of its own and that it has notes that the user's lack,
/// as long as either is so, and offers to go back to the user's and to add the notes to theirs.
class ProjectStrip : public TintedFrame {
    Q_OBJECT

public:
    ProjectStrip(Document& document, ProjectKeeper& keeper, QWidget* parent);

private:
    void showState();
    QString settingsText() const;
    QString notesText() const;

    Document& document_;
    ProjectKeeper& keeper_;
    QLabel* text_ = nullptr;
    QPushButton* use_own_ = nullptr;
    QPushButton* add_notes_ = nullptr;
};

} // namespace headscope::ui
