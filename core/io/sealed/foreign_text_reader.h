#pragma once

#include "core/base/result.h"
#include "core/io/sealed/reader_process.h"
#include "core/io/sealed/reader_question.h"

#include <cstddef>
#include <optional>
#include <stop_token>

namespace headscope {

/// Asks questions about texts of a reader that starts with the first one. Another takes its place
/// after it has failed, and for a question that is larger than it has memory for.
class ForeignTextReader {
public:
    Result<ReaderAnswer> ask(const ReaderQuestion& question, const std::stop_token& stop);

private:
    std::optional<Reader> reader_;
    std::size_t most_bytes_ = 0; ///< of a question to it
};

/// Asks the reader of the innermost SealedReading of this thread, or one for this question alone.
/// Error messages continue a sentence: "cannot be read: …". A Refusal is about the text.
Result<ReaderAnswer> askForeignTextReader(const ReaderQuestion& question);

/// What to say of an answer that cannot be true of the text.
Error readerMisleads();

} // namespace headscope
