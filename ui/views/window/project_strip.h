#pragma once

#include "ui/widgets/tinted_frame.h"

class QLabel;
class QPushButton;

namespace headscope::ui {

class Document;
class ProjectKeeper;

/// Says which settings the open project overrides and whether it has notes that the user has not,
/// while either is so. Offers to return to the user's settings and to add the notes to the user's
/// own.
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
