#pragma once

#include "core/pruning/passages.h"

#include <QString>
#include <QWidget>

#include <cstddef>

class QLabel;
class QSpinBox;

namespace headscope::ui {

class Dialogs;
class TextChoice;

/// Where one text comes from: bundled, a file, or pasted; and how much of it is read.
class TextSource : public QWidget {
    Q_OBJECT

public:
    /// `name` stands in front, "&Calibration"; `prefix` begins the object names of the controls.
    struct Words {
        QString name;
        QString prefix;
        QString tip;
        QString pasted_name; ///< what results call a pasted text
    };
    TextSource(const Words& words, NamedText bundled, Dialogs& dialogs, QWidget* parent = nullptr);

    NamedText text() const;
    std::size_t tokens() const;
    void setTokens(std::size_t tokens);
    QString file() const; ///< path; empty: not from a file
    bool isPasted() const;
    /// So that the fields of several sources stand one under another; pixels.
    void setNameWidth(int width);
    /// What was found in the text.
    void showInfo(const QString& info);

signals:
    void changed();
    /// A file could not be read; the source stays what it was.
    void failed(const QString& message);

private:
    void makeControls(const Words& words, Dialogs& dialogs);
    void layOut(const QString& name);

    NamedText bundled_;
    TextChoice* choice_ = nullptr;
    QSpinBox* tokens_ = nullptr;
    QLabel* info_ = nullptr;
};

} // namespace headscope::ui
