#pragma once

#include <hdf5.h>

#include <mutex>
#include <utility>

namespace headscope {

/// Owns one HDF5 identifier. Made, used and destroyed only while lockHdf5() is held.
class Hdf5Handle {
public:
    using Close = herr_t (*)(hid_t);

    Hdf5Handle() = default;
    /// `id` may be negative: HDF5's way to say that it failed.
    Hdf5Handle(hid_t id, Close close_function) : id_(id), close_(close_function) {}
    Hdf5Handle(Hdf5Handle&& other) noexcept
        : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Hdf5Handle() { reset(); }

    explicit operator bool() const { return id_ >= 0; }
    hid_t id() const { return id_; }

    /// Closes now.
    void reset() {
        if (id_ >= 0)
            close_(std::exchange(id_, H5I_INVALID_HID));
    }

private:
    hid_t id_ = H5I_INVALID_HID;
    Close close_ = nullptr;
};

/// A driver of files without its functions; `number` is from 512 on.
H5FD_class_t driverNamed(const char* name, int number);

/// HDF5, as Debian builds it, is not thread-safe: whoever uses it holds this lock of the whole
/// process, from the first call until the last handle is closed. The first lock sets HDF5 up: no
/// plugin is ever loaded, no exit handler runs, and it prints nothing.
[[nodiscard]] std::unique_lock<std::mutex> lockHdf5();

} // namespace headscope
