#pragma once

#include "core/base/progress.h"

#include <QMetaObject>
#include <QObject>
#include <QString>
#include <QThreadPool>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace headscope::ui {

/// Runs core jobs of one kind off the GUI thread, one at a time: starting a job asks the one before
/// to stop, and an answer to an old question is dropped. Lives on the GUI thread; results and
/// progress arrive there as values.
class JobRunner : public QObject {
    Q_OBJECT

public:
    explicit JobRunner(QObject* parent = nullptr);
    /// Asks the running job to stop and waits for it.
    ~JobRunner() override;

    bool isBusy() const { return busy_; }
    /// Asks the running job to stop; its answer is dropped.
    void cancel();

    /// `job(progress, stop)` runs on a worker thread; `done(value)` on the GUI thread unless a
    /// newer job was started or this one was cancelled.
    template <class Job, class Done>
    void start(Job job, Done done) {
        const std::uint64_t number = begin();
        pool_.start([this, number, job = std::move(job), done = std::move(done),
                     stop = stop_.get_token()]() mutable {
            auto value = job(progressOf(number), stop);
            QMetaObject::invokeMethod(
                this,
                [this, number, done = std::move(done), value = std::move(value)]() mutable {
                    if (finish(number))
                        done(std::move(value));
                },
                Qt::QueuedConnection);
        });
    }

signals:
    void busyChanged(bool busy);
    /// At most every 50 ms. fraction 0..1.
    void progressed(double fraction, const QString& stage);

private:
    std::uint64_t begin();
    bool finish(std::uint64_t number);
    Progress progressOf(std::uint64_t number);

    QThreadPool pool_;
    std::stop_source stop_;
    std::uint64_t number_ = 0;
    bool busy_ = false;
};

} // namespace headscope::ui
