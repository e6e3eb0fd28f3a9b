#pragma once

#include "core/pruning/passages.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <cstddef>
#include <optional>
#include <string>

class QComboBox;
class QPlainTextEdit;
class QWidget;
class QLabel;
class QSpinBox;

namespace headscope::ui {

class Dialogs;

/// Which text is meant: a bundled one, one of a file, or a pasted one. Makes the list to choose
/// from and the field to paste into; the owner lays them out.
class TextChoice : public QObject {
    Q_OBJECT

public:
    struct Words {
        QString prefix;      ///< of the object names: PREFIXSource, PREFIXPasted
        QStringList bundled; ///< what Headscope has
        QString pasted;      ///< the last entry: "Pasted text"
        QString tip;         ///< of the list
        QString pasted_name; ///< of a pasted text in results, and of the field
        QString placeholder; ///< of the field
    };
    /// Larger files are refused. `parent` becomes that of the list and the field.
    TextChoice(const Words& words, std::size_t most_bytes, Dialogs& dialogs, QWidget* parent);

    QComboBox* box() const { return box_; }
    QPlainTextEdit* pastedField() const { return pasted_; }

    /// Which of Words::bundled; nothing: a file or a pasted text.
    std::optional<std::size_t> bundled() const;
    bool isPasted() const { return kind_ == pastedKind(); }
    QString file() const; ///< its path; empty: none

    // Of a file or a pasted text:
    std::string name() const;
    std::string text() const;

signals:
    void changed();
    /// A file could not be read; the choice stays what it was.
    void failed(const QString& message);

private:
    int fileKind() const { return static_cast<int>(words_.bundled.size()); }
    int pastedKind() const { return fileKind() + 1; }
    void choose(int kind);
    bool chooseFile();

    Words words_;
    std::size_t most_bytes_;
    Dialogs& dialogs_;
    int kind_ = 0;
    QString file_;
    std::string text_of_file_;
    QComboBox* box_ = nullptr;
    QPlainTextEdit* pasted_ = nullptr;
};

class Dialogs;

/// Where one text comes from: bundled, a file, or pasted; and how much of it is read.
class TextSource : public QWidget {
    Q_OBJECT

public:
    /// `name` comes first, "&Calibration"; `prefix` begins the object names of the controls.
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
    /// So that the fields of several sources are aligned below each other; pixels.
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
