#pragma once

#include "core/io/reader/file_part.h"
#include "core/io/sealed/file_description.h"
#include "core/io/sealed/reader_process.h"

#include <span>

namespace headscope {

/// Describes a file. It may throw std::bad_alloc.
using Describe = ReaderAnswer (*)(const FilePart& file);

struct Service {
    Parser parser;
    Describe describe;
};

/// The whole of a program that reads foreign files: seals itself, describes the file that it got as
/// a descriptor, answers and ends. Called by reader_process.h alone, as
/// `PROGRAM PARSER FIRST_BYTE BYTES sealed|unsealed`; anything else only says what this program is.
int serveSealed(std::span<char* const> arguments, std::span<const Service> services);

} // namespace headscope
