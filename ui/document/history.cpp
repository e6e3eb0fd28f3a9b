#include "ui/document/history.h"

#include "core/io/atomic_file.h"

#include <string>
#include <vector>

namespace headscope::ui {
namespace {

constexpr int kStillTyping = 1500; ///< ms

bool isSame(const ScriptStep& step, const std::string& what, const Result<Calls>& calls) {
    if (step.what != what || bool(step.calls) != bool(calls))
        return false;
    return calls ? *step.calls == *calls : step.calls.error().message == calls.error().message;
}

} // namespace

History::History(QObject* parent) : QObject(parent) {
    run_is_young_.setSingleShot(true);
    run_is_young_.setInterval(kStillTyping);
}

void History::add(const QString& what, const Result<Calls>& calls) {
    last_is_run_ = false;
    const std::string text = what.toStdString();
    if (!steps_.empty() && isSame(steps_.back(), text, calls))
        return;
    steps_.push_back({text, calls});
    if (steps_.size() > kMostSteps)
        steps_.pop_front();
    emit changed();
}

void History::addRun(const QString& what, const Result<Calls>& calls) {
    if (last_is_run_ && run_is_young_.isActive() && steps_.back().what == what.toStdString())
        steps_.pop_back();
    add(what, calls);
    last_is_run_ = true;
    run_is_young_.start();
}

Result<void> History::save(const QString& path) const {
    const std::vector<ScriptStep> steps(steps_.begin(), steps_.end());
    if (path.endsWith(QStringLiteral(".py"), Qt::CaseInsensitive))
        return writeFileAtomically(path.toStdString(), pythonScript(steps));
    if (path.endsWith(QStringLiteral(".sh"), Qt::CaseInsensitive))
        return writeFileAtomically(path.toStdString(), shellScript(steps));
    return Error{ErrorCode::InvalidArgument,
                 tr("%1 does not end in .sh or .py; choose one of these.").arg(path).toStdString()};
}

} // namespace headscope::ui
