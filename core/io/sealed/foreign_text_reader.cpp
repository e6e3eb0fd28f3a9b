#include "core/io/sealed/foreign_text_reader.h"

#include "core/io/sealed/wire.h"
#include "core/io/sealed_reading.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace headscope {

namespace {

/// Most texts of a model are smaller.
constexpr std::size_t kUsualBytes = std::size_t{16} << 20;

/// Not the fault of the text, as far as is known.
Error cannotBeRead(const Error& why) {
    const bool is_damaged = why.code == ErrorCode::Malformed;
    return {is_damaged ? ErrorCode::Unreadable : why.code, "cannot be read: " + why.message};
}

/// A reader without memory or without its seal refuses all texts, and ends.
bool endsWith(const ReaderAnswer& answer) {
    const auto* const refusal = std::get_if<Refusal>(&answer);
    return refusal != nullptr && refusal->reason.code != ErrorCode::Malformed;
}

} // namespace

Result<ReaderAnswer> ForeignTextReader::ask(const ReaderQuestion& question,
                                            const std::stop_token& stop) {
    if constexpr (kReadsHere)
        return answerTo(question);
    const Bytes bytes = encodeQuestion(question);
    if (!reader_ || bytes.size() > most_bytes_) {
        most_bytes_ = std::max(bytes.size(), kUsualBytes);
        auto started = Reader::answering(most_bytes_);
        if (!started)
            return started.error();
        reader_.emplace(*std::move(started));
    }
    auto answer = reader_->answer(bytes, stop);
    if (!answer || endsWith(*answer))
        reader_.reset();
    return answer;
}

Result<ReaderAnswer> askForeignTextReader(const ReaderQuestion& question) {
    const SealedReading* const reading = SealedReading::innermost();
    auto answer = reading ? reading->reader().ask(question, reading->stop())
                          : ForeignTextReader().ask(question, {});
    if (!answer)
        return cannotBeRead(answer.error());
    if (endsWith(*answer))
        return cannotBeRead(std::get<Refusal>(*answer).reason);
    return answer;
}

Error readerMisleads() {
    return cannotBeRead({ErrorCode::Malformed,
                         "its reader gives no sensible answer, as happens with a text made to "
                         "mislead"});
}

} // namespace headscope
