#pragma once

#include <QFile>
#include <QString>

#include <memory>
#include <vector>

namespace headscope::ui {

/// A project in the user's data that holds what is open in a window, so that it survives a crash.
/// The process holds a lock on it, which ends with the process in any case; the number of a process
/// could not tell whose copy it is.
class RecoveryCopy {
public:
    /// A new one; nothing is written to it yet.
    static RecoveryCopy make();
    /// Those of windows of this machine that are no more, the latest first. No other window is told
    /// of them as long as these are there.
    static std::vector<RecoveryCopy> left();

    const QString& path() const { return path_; }
    /// Removes the copy for good.
    void remove();

private:
    RecoveryCopy(QString path, std::unique_ptr<QFile> lock);

    QString path_;
    std::unique_ptr<QFile> lock_;
};

} // namespace headscope::ui
