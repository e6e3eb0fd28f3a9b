#include "ui/workers/job_runner.h"

#include <chrono>
#include <memory>

namespace headscope::ui {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kReportInterval{50};

} // namespace

JobRunner::JobRunner(QObject* parent) : QObject(parent) {
    pool_.setMaxThreadCount(1);
}

JobRunner::~JobRunner() {
    stop_.request_stop();
    pool_.clear();
    pool_.waitForDone();
}

void JobRunner::cancel() {
    if (!busy_)
        return;
    stop_.request_stop();
    ++number_;
    busy_ = false;
    emit busyChanged(false);
}

std::uint64_t JobRunner::begin() {
    stop_.request_stop();
    pool_.clear(); // a job that has not begun need not
    stop_ = std::stop_source();
    ++number_;
    if (!busy_) {
        busy_ = true;
        emit busyChanged(true);
    }
    return number_;
}

bool JobRunner::finish(std::uint64_t number) {
    if (number != number_)
        return false;
    busy_ = false;
    emit busyChanged(false);
    return true;
}

Progress JobRunner::progressOf(std::uint64_t number) {
    // Called from the worker thread only, by one job at a time.
    auto last = std::make_shared<Clock::time_point>(Clock::now() - kReportInterval);
    return [this, number, last](double fraction, std::string_view stage) {
        const Clock::time_point now = Clock::now();
        if (now - *last < kReportInterval)
            return;
        *last = now;
        const QString text = QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()));
        QMetaObject::invokeMethod(
            this,
            [this, number, fraction, text] {
                if (number == number_ && busy_)
                    emit progressed(fraction, text);
            },
            Qt::QueuedConnection);
    };
}

} // namespace headscope::ui
