#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstddef>

namespace headscope {

/// Counts the values of a JSON text of `text_bytes` bytes against its limits. Each step answers
/// whether the text still fits.
class JsonRoom {
public:
    JsonRoom(const JsonLimits& limits, std::size_t text_bytes);

    /// An object or an array begins.
    bool open();
    void close();
    /// A value follows another one in an object or an array.
    bool add();
    /// A value has a key, beside the text that it is.
    bool name();
    /// A text, which may be a key, begins.
    bool text();

    /// Which limit is reached; continues a sentence.
    Error problem() const;

private:
    bool take(std::size_t values, std::size_t bytes);

    JsonLimits limits_;
    std::size_t depth_ = 0;
    std::size_t values_ = 0;
    std::size_t bytes_left_;
};

} // namespace headscope
