#pragma once

#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <QMetaObject>
#include <QObject>
#include <QString>
#include <QThreadPool>

#include <cstdint>
#include <functional>
#include <new>
#include <optional>
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
    /// newer job was started or this one was cancelled. Where memory is used up on the way, a job
    /// that answers with a Result fails, and another has no answer.
    template <class Job, class Done>
    void start(Job job, Done done) {
        launch(begin(), std::move(job), std::move(done));
    }

    /// The same for work that has something to show before it ends: `job(progress, stop, publish)`
    /// may call publish(part), which calls `arrived(part)` where and when `done` would be called.
    template <class Part, class Job, class Arrived, class Done>
    void startInParts(Job job, Arrived arrived, Done done) {
        const std::uint64_t number = begin();
        const auto publish = [this, number, arrived = std::move(arrived)](const Part& part) {
            QMetaObject::invokeMethod(
                this,
                [this, number, arrived, part] {
                    if (isCurrent(number))
                        arrived(part);
                },
                Qt::QueuedConnection);
        };
        launch(
            number,
            [job = std::move(job), publish](const Progress& progress,
                                            const std::stop_token& stop) mutable {
                return job(progress, stop, publish);
            },
            std::move(done));
    }

signals:
    void busyChanged(bool busy);
    /// At most every 50 ms. fraction 0..1.
    void progressed(double fraction, const QString& stage);

private:
    /// What the job says; where memory is used up, that, or nothing when it knows no errors.
    template <class Job>
    static auto answer(Job& job, const Progress& progress, const std::stop_token& stop) {
        using Value = decltype(job(progress, stop));
        try {
            return std::optional<Value>(job(progress, stop));
        } catch (const std::bad_alloc&) {
            if constexpr (std::is_constructible_v<Value, Error>)
                return std::optional<Value>(memoryIsUsedUp());
            else
                return std::optional<Value>();
        }
    }

    template <class Job, class Done>
    void launch(std::uint64_t number, Job job, Done done) {
        pool_.start([this, number, job = std::move(job), done = std::move(done),
                     stop = stop_.get_token()]() mutable {
            auto value = answer(job, progressOf(number), stop);
            QMetaObject::invokeMethod(
                this,
                [this, number, done = std::move(done), value = std::move(value)]() mutable {
                    if (finish(number) && value)
                        done(*std::move(value));
                },
                Qt::QueuedConnection);
        });
    }

    std::uint64_t begin();
    bool isCurrent(std::uint64_t number) const { return busy_ && number == number_; }
    bool finish(std::uint64_t number);
    Progress progressOf(std::uint64_t number);

    QThreadPool pool_;
    std::stop_source stop_;
    std::uint64_t number_ = 0;
    bool busy_ = false;
};

} // namespace headscope::ui
