#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include <cstddef>
#include <optional>
#include <string>

class QComboBox;
class QPlainTextEdit;
class QWidget;

namespace headscope::ui {

class Dialogs;

/// Which text is meant: one that Headscope has, one of a file, or one that is pasted. Makes the
/// list to choose from and the field to paste into, which whoever asks lays out.
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

} // namespace headscope::ui
