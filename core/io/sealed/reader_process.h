#pragma once

#include "core/base/result.h"
#include "core/io/files/open_file.h"
#include "core/io/sealed/file_description.h"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// What the sealed reader shall take the file for.
enum class Parser : std::uint8_t {
    Hdf5,
    Zip,
    Hdf5Plan, ///< of a file that HDF5 is to lay out
    Gguf,
    Text ///< questions about them (reader_question.h)
};

/// How the parser is called on the command line of the reader.
std::string_view parserName(Parser parser);

/// A process for each input would make fuzzing a hundred times slower, and the sanitizers ask more
/// of the system than a sealed process may: in builds with either, texts and GGUF are parsed in
/// this process. What was understood is encoded and checked all the same.
#ifdef HEADSCOPE_READS_HERE
inline constexpr bool kReadsHere = true;
#else
inline constexpr bool kReadsHere = false;
#endif

/// The descriptors of the reader: the file, open for reading, and a socket on which its answers go
/// out and questions come in.
inline constexpr int kReaderFile = 3;
inline constexpr int kReaderAnswer = 4;

/// What is to be said of a file that was read without a seal; nothing otherwise.
std::vector<std::string> sealNotes();

/// A running program headscope-reader, or headscope-hdf5 for that format, which can do nothing but
/// read its file, compute and answer; gone with this object. The programs are beside this one or in
/// its folder for helpers; HEADSCOPE_READER names one in place of both. Error messages are reasons.
class Reader {
public:
    /// Describes a file, once.
    static Result<Reader> describing(const InputFile& file, Parser parser);
    /// A reader that answers questions of `most_bytes` bytes at most, one after the other.
    static Result<Reader> answering(std::size_t most_bytes);

    Reader(Reader&& other) noexcept;
    Reader& operator=(Reader&&) = delete;
    ~Reader();

    /// Returns within 10 seconds, within 32 where other programs leave the reader less than half of
    /// a processor, and soon after a stop request. What it answers is decoded but not checked, a
    /// Refusal is at least text. `question` is for a reader that answers some. After an error this
    /// reader is of no more use.
    Result<ReaderAnswer> answer(std::span<const std::byte> question, const std::stop_token& stop);

private:
    struct Task;
    struct End;

    Reader(pid_t process, FileDescriptor line, Parser parser, std::size_t bytes);
    static Result<Reader> start(const Task& task);
    Result<Bytes> exchange(std::span<const std::byte> unsent, std::size_t most,
                           const std::stop_token& stop);
    End end(std::chrono::milliseconds patience);
    bool hasEnded(End& end);
    Error whyItEnded(const End& end) const;

    pid_t process_;
    FileDescriptor line_; ///< questions go out on it and answers come in
    Parser parser_;
    std::size_t bytes_; ///< of the file, or of a question at most
};

/// What a reader that is started for it says of the file.
Result<ReaderAnswer> askReader(const InputFile& file, Parser parser, const std::stop_token& stop);

} // namespace headscope
