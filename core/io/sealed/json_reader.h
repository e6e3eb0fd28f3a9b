#pragma once

#include "core/base/result.h"
#include "core/io/sealed/json_question.h"
#include "core/io/sealed/reader_process.h"

#include <cstddef>
#include <optional>
#include <stop_token>

namespace headscope {

/// Asks questions about JSON of a reader that starts with the first one. Another takes its place
/// after it has failed, and for a question that is larger than it has memory for.
class JsonReader {
public:
    Result<ReaderAnswer> ask(const JsonQuestion& question, const std::stop_token& stop);

private:
    std::optional<Reader> reader_;
    std::size_t most_bytes_ = 0; ///< of a question to it
};

} // namespace headscope
