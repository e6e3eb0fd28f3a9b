#include "app/python/waiting.h"

#include "core/base/names.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace headscope::python {

namespace {

constexpr Names<ErrorCode, 9> kCodes{{{ErrorCode::NotFound, "not_found"},
                                      {ErrorCode::Unreadable, "unreadable"},
                                      {ErrorCode::Malformed, "malformed"},
                                      {ErrorCode::Unsupported, "unsupported"},
                                      {ErrorCode::Mismatch, "mismatch"},
                                      {ErrorCode::InvalidArgument, "invalid_argument"},
                                      {ErrorCode::TooLarge, "too_large"},
                                      {ErrorCode::Cancelled, "cancelled"},
                                      {ErrorCode::WriteFailed, "write_failed"}}};

py::object errorType() {
    return py::module_::import("headscope._headscope").attr("Error");
}

} // namespace

void raise(const Error& error) {
    const py::object type = errorType();
    const py::object raised = type(error.message);
    raised.attr("code") = std::string(nameOf(kCodes, error.code));
    PyErr_SetObject(type.ptr(), raised.ptr());
    throw py::error_already_set();
}

void bindErrors(py::module_& module) {
    module.attr("Error") = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
        "headscope.Error",
        "What cannot be done, in one sentence. `code` says of which kind it is: 'not_found', "
        "'unreadable', 'malformed', 'unsupported', 'mismatch', 'invalid_argument', 'too_large', "
        "'cancelled' or 'write_failed'.",
        PyExc_RuntimeError, nullptr));
}

namespace {

/// What goes on without the lock.
struct Unlocked {
    std::mutex mutex;
    std::condition_variable fewer;
    std::list<std::stop_source> works;
    std::thread::id ends; ///< the thread that ends the interpreter, once it does

    bool isOver() const { return ends != std::thread::id() && ends != std::this_thread::get_id(); }
};

/// Never destroyed: threads come back to it whenever they like.
Unlocked& unlocked() {
    static auto* const all = new Unlocked;
    return *all;
}

[[noreturn]] void sleepForever() {
    while (true)
        ::pause();
}

void stopAndWait() {
    const py::gil_scoped_release released;
    Unlocked& all = unlocked();
    std::unique_lock held(all.mutex);
    all.ends = std::this_thread::get_id();
    for (std::stop_source& work : all.works)
        work.request_stop();
    all.fewer.wait(held, [&] { return all.works.empty(); });
}

} // namespace

WithoutLock::WithoutLock(std::stop_source stop) : state_(PyEval_SaveThread()) {
    Unlocked& all = unlocked();
    std::unique_lock held(all.mutex);
    if (all.isOver()) {
        held.unlock();
        sleepForever();
    }
    place_ = all.works.insert(all.works.end(), std::move(stop));
}

/// It takes the lock while it is still waited for: the interpreter that ends meanwhile would end
/// this thread in the middle of a destructor, and with it the process.
WithoutLock::~WithoutLock() {
    PyEval_RestoreThread(state_);
    Unlocked& all = unlocked();
    std::unique_lock held(all.mutex);
    const bool is_over = all.isOver();
    if (is_over)
        PyEval_SaveThread();
    all.works.erase(place_);
    all.fewer.notify_all();
    held.unlock();
    if (is_over)
        sleepForever();
}

void waitForThreadsAtExit() {
    py::module_::import("atexit").attr("register")(py::cpp_function(stopAndWait));
}

Watch::Watch(py::object progress) : progress_(std::move(progress)) {}

Progress Watch::progress() {
    if (progress_.is_none())
        return {};
    return [this](double fraction, std::string_view stage) {
        call([&] { progress_(fraction, std::string(stage)); });
    };
}

void Watch::call(const std::function<void()>& python) {
    const py::gil_scoped_acquire held;
    if (raised_)
        return;
    try {
        python();
    } catch (...) {
        raised_ = std::current_exception();
        stop_.request_stop();
    }
}

void Watch::look() {
    call([] {
        if (PyErr_CheckSignals() != 0)
            throw py::error_already_set();
    });
}

void Watch::rethrow() const {
    if (raised_)
        std::rethrow_exception(raised_);
}

} // namespace headscope::python
