#include "core/base/json/json_room.h"

#include <algorithm>
#include <string>

namespace headscope {

namespace {

// Bytes that a value takes at most while it is parsed: its place in an array that grows, the
// container or the text that it is, beside the letters of a long one, and its key.
constexpr std::size_t kValueBytes = 48;
constexpr std::size_t kContainerBytes = 80;
constexpr std::size_t kTextBytes = 48;
constexpr std::size_t kMemberBytes = 48;
// Of the eight bytes for each byte of the text, one is the text itself and one the reader's answer.
constexpr std::size_t kBytesPerByte = 6;
constexpr std::size_t kOtherBytes = std::size_t{8} << 20; // of the program, while it parses

} // namespace

JsonRoom::JsonRoom(const JsonLimits& limits, std::size_t text_bytes)
    : limits_(limits),
      bytes_left_(kBytesPerByte * text_bytes + limits.room - std::min(limits.room, kOtherBytes)) {}

bool JsonRoom::open() {
    return ++depth_ <= limits_.depth && take(1, kContainerBytes + kValueBytes);
}

void JsonRoom::close() {
    depth_ -= depth_ > 0 ? 1 : 0;
}

bool JsonRoom::add() {
    return take(1, kValueBytes);
}

bool JsonRoom::name() {
    return take(0, kMemberBytes);
}

bool JsonRoom::text() {
    return take(0, kTextBytes);
}

bool JsonRoom::take(std::size_t values, std::size_t bytes) {
    values_ += values;
    if (values_ > limits_.values || bytes > bytes_left_)
        return false;
    bytes_left_ -= bytes;
    return true;
}

Error JsonRoom::problem() const {
    if (depth_ > limits_.depth)
        return {ErrorCode::Malformed,
                "is nested more than " + std::to_string(limits_.depth) + " deep"};
    if (values_ > limits_.values)
        return {ErrorCode::Malformed,
                "holds more than " + std::to_string(limits_.values) + " values"};
    return {ErrorCode::Malformed, "holds more values than its size has room for"};
}

} // namespace headscope
