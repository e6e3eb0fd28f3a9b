#pragma once

#include "core/base/result.h"
#include "core/io/files/open_file.h"
#include "core/io/sealed/file_description.h"

#include <cstdint>
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
    Json ///< texts after their limits (json_question.h)
};

/// How the parser is called on the command line of the reader.
std::string_view parserName(Parser parser);

/// A process for each input would make fuzzing a hundred times slower: where only that is built,
/// JSON and GGUF are parsed in this process. What was understood is encoded and checked all the
/// same.
#ifdef HEADSCOPE_FUZZ
inline constexpr bool kReadsHere = true;
#else
inline constexpr bool kReadsHere = false;
#endif

/// The descriptors of the reader: the file, open for reading, and where its answer goes.
inline constexpr int kReaderFile = 3;
inline constexpr int kReaderAnswer = 4;

/// What is to be said of a file that was read without a seal; nothing otherwise.
std::vector<std::string> sealNotes();

/// Has a file described by the program headscope-reader, or headscope-hdf5 for that format, which
/// can do nothing but read that file, compute and answer, and which ends with the answer. They lie
/// beside this program or in its folder for helpers; HEADSCOPE_READER names one in place of both.
/// Returns within 10 seconds, and soon after a stop request. What it answers is decoded but not
/// checked, a Refusal is at least text. Error messages are reasons.
Result<ReaderAnswer> askReader(const InputFile& file, Parser parser, const std::stop_token& stop);

} // namespace headscope
