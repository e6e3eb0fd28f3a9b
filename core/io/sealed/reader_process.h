#pragma once

#include "core/base/result.h"
#include "core/io/files/open_file.h"
#include "core/io/sealed/file_description.h"

#include <cstdint>
#include <stop_token>
#include <string_view>

namespace headscope {

/// What the sealed reader shall take the file for.
enum class Parser : std::uint8_t {
    Hdf5,
    Zip,
    Hdf5Plan ///< of a file that HDF5 is to lay out
};

/// How the parser is called on the command line of the reader.
std::string_view parserName(Parser parser);

/// The descriptors of the reader: the file, open for reading, and where its answer goes.
inline constexpr int kReaderFile = 3;
inline constexpr int kReaderAnswer = 4;

/// Has a file described by the program headscope-reader, which can do nothing but read that file,
/// compute and answer, and which ends with the answer. It lies beside this program, in its folder
/// for helpers, or where HEADSCOPE_READER says. Returns within 10 seconds, and soon after a
/// stop request. What it answers is decoded but not checked, a Refusal is at least text. Error
/// messages are reasons.
Result<ReaderAnswer> askReader(const InputFile& file, Parser parser, const std::stop_token& stop);

} // namespace headscope
