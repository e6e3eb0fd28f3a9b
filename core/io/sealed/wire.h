#pragma once

#include "core/io/sealed/file_description.h"
#include "core/io/sealed/reader_question.h"

#include <optional>
#include <span>

namespace headscope {

/// The answer as it goes from the sealed reader to the program: its length, then its parts one
/// after the other, numbers as 1, 4 or 8 bytes with the lowest first, lists and texts after their
/// length.
Bytes encodeAnswer(const ReaderAnswer& answer);

/// Nothing for bytes that are no answer: cut short, too long, lists longer than what is left
/// or than a file may have entries, values of an enumeration that there are not. Takes memory in
/// proportion to the bytes that are there.
std::optional<ReaderAnswer> decodeAnswer(std::span<const std::byte> bytes);

/// What the reader is told to lay out, in the same form.
Bytes encodePlan(const Hdf5Plan& plan);
std::optional<Hdf5Plan> decodePlan(std::span<const std::byte> bytes);

/// And what it is asked about texts, which stay in the bytes.
Bytes encodeQuestion(const ReaderQuestion& question);
std::optional<ReaderQuestion> decodeQuestion(std::span<const std::byte> bytes);

} // namespace headscope
