#pragma once

#include "core/base/result.h"
#include "core/export/call.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <deque>

namespace headscope::ui {

/// What was done since the window opened, as calls that do it again: the last few hundred steps.
/// Lives on the GUI thread.
class History : public QObject {
    Q_OBJECT

public:
    explicit History(QObject* parent = nullptr);

    static constexpr std::size_t kMostSteps = 500;

    /// The same step twice in a row is one.
    void add(const QString& what, const Result<Calls>& calls);
    /// Adds a run of the prompt; of the runs while text is typed, only the last is kept.
    void addRun(const QString& what, const Result<Calls>& calls);
    const std::deque<ScriptStep>& steps() const { return steps_; }

    /// Writes a script, whole or not at all: for Python where the name ends in .py, for a shell
    /// where it ends in .sh. Fails for other names.
    Result<void> save(const QString& path) const;

signals:
    void changed();

private:
    std::deque<ScriptStep> steps_;
    QTimer run_is_young_; ///< while it runs, the next run takes the place of the last step
    bool last_is_run_ = false;
};

} // namespace headscope::ui
