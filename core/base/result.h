#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace headscope {

enum class ErrorCode {
    NotFound,        ///< a file, tensor, head or hook that does not exist
    Unreadable,      ///< the system refused to open or read
    Malformed,       ///< bytes that are not what their format promises
    Unsupported,     ///< well-formed, but nothing Headscope can run
    Mismatch,        ///< two sources disagree, such as config and tensor shapes
    InvalidArgument, ///< a request that makes no sense
    TooLarge,        ///< more than the stated budget
    Cancelled,       ///< stopped on request
    WriteFailed,     ///< the system refused to write
};

/// An expected failure. The message is one sentence for the user: which file, which tensor, what
/// was expected, what was found, what to do.
struct Error {
    ErrorCode code;
    std::string message;
};

/// A value or the reason why there is none. Core never throws across its border.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }

    T& operator*() & { return *std::get_if<0>(&state_); }
    const T& operator*() const& { return *std::get_if<0>(&state_); }
    T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
    T* operator->() { return std::get_if<0>(&state_); }
    const T* operator->() const { return std::get_if<0>(&state_); }

    const Error& error() const { return *std::get_if<1>(&state_); }

private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    explicit operator bool() const { return !error_.has_value(); }
    const Error& error() const { return *error_; }

private:
    std::optional<Error> error_;
};

} // namespace headscope
