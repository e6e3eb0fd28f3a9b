#pragma once

#include "core/io/reader/file_part.h"
#include "core/io/sealed/file_description.h"
#include "core/io/sealed/reader_process.h"

#include <cstddef>
#include <span>

namespace headscope {

/// What a reader can do for one kind of input, in one of two ways. Each may throw std::bad_alloc.
struct Service {
    Parser parser;
    /// Describes the file that is its descriptor.
    ReaderAnswer (*describe)(const FilePart& file) = nullptr;
    /// Answers each question that comes in, until none does.
    ReaderAnswer (*reply)(std::span<const std::byte> question) = nullptr;
};

/// The whole of a program that reads foreign files: seals itself, does one of its services and
/// ends. Called by reader_process.h alone, as `PROGRAM PARSER FIRST_BYTE BYTES sealed|unsealed`;
/// anything else only says what this program is.
int serveSealed(std::span<char* const> arguments, std::span<const Service> services);

} // namespace headscope
