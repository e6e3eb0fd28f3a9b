#include "core/io/sealed/json_reader.h"

#include "core/io/sealed/wire.h"

#include <algorithm>
#include <utility>

namespace headscope {

namespace {

/// Most texts of a model are smaller.
constexpr std::size_t kUsualBytes = std::size_t{16} << 20;

} // namespace

Result<ReaderAnswer> JsonReader::ask(const JsonQuestion& question, const std::stop_token& stop) {
    if constexpr (kReadsHere)
        return ReaderAnswer(answerTo(question));
    const Bytes bytes = encodeQuestion(question);
    if (!reader_ || bytes.size() > most_bytes_) {
        most_bytes_ = std::max(bytes.size(), kUsualBytes);
        auto started = Reader::answering(most_bytes_);
        if (!started)
            return started.error();
        reader_.emplace(*std::move(started));
    }
    auto answer = reader_->answer(bytes, stop);
    if (!answer)
        reader_.reset();
    return answer;
}

} // namespace headscope
