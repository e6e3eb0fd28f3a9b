#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <list>
#include <stop_token>
#include <utility>

namespace headscope::python {

namespace py = pybind11;

/// Raises headscope.Error with the sentence, and the code as its `code`. The lock must be held.
[[noreturn]] void raise(const Error& error);

/// Makes headscope.Error known to the module. Call once.
void bindErrors(py::module_& module);

template <class T>
T valueOrRaise(Result<T> result) {
    if (!result)
        raise(result.error());
    return *std::move(result);
}

/// What a computation and the interpreter tell each other while the one runs and the other waits.
/// Its functions take the lock (GIL) themselves.
class Watch {
public:
    /// `progress` is called with the fraction done and what is being done; None: nothing is.
    explicit Watch(py::object progress);

    Progress progress();
    std::stop_token stop() const { return stop_.get_token(); }
    const std::stop_source& stopSource() const { return stop_; }

    /// Calls a function that may call Python; what it raises stops the computation and is raised in
    /// its place. Nothing is called after that.
    void call(const std::function<void()>& python);
    /// Lets the interpreter see Ctrl+C.
    void look();
    /// Raises what was raised meanwhile. The lock must be held.
    void rethrow() const;

private:
    py::object progress_;
    std::stop_source stop_;
    std::exception_ptr raised_;
};

/// Lets other Python threads run for as long as it lives. Before the interpreter ends, it stops
/// what goes on without its lock and waits for that; a thread that comes back, or begins, after
/// that sleeps until the process is gone, since it may touch nothing of Python any more.
class WithoutLock {
public:
    /// `stop` stops what is done meanwhile; by default nothing does.
    explicit WithoutLock(std::stop_source stop = std::stop_source(std::nostopstate));
    WithoutLock(const WithoutLock&) = delete;
    WithoutLock& operator=(const WithoutLock&) = delete;
    ~WithoutLock();

private:
    std::list<std::stop_source>::iterator place_;
    PyThreadState* state_;
};

/// Has the interpreter wait for those when it ends. Call once.
void waitForThreadsAtExit();

/// The result of work that is done on a thread of its own, without the lock: other Python threads
/// run meanwhile, and Ctrl+C stops it.
template <class T>
T finish(Watch& watch, const std::function<Result<T>()>& work) {
    constexpr std::chrono::milliseconds kBetweenLooks{50};
    auto future = std::async(std::launch::async, work);
    {
        const WithoutLock unlocked(watch.stopSource());
        while (future.wait_for(kBetweenLooks) != std::future_status::ready)
            watch.look();
    }
    watch.rethrow();
    return valueOrRaise(future.get());
}

} // namespace headscope::python
