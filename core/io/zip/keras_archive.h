#pragma once

#include "core/base/result.h"
#include "core/io/files/open_file.h"
#include "core/io/sealed/file_description.h"
#include "core/io/tensor_source.h"

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

namespace headscope {

/// One file of an archive as a file of its own: in its place when it is stored, unpacked into
/// memory when it is deflated. `member` passed checkArchive(). Refuses more than `limit` bytes, and
/// bytes that do not match their check sum. Error messages are reasons.
Result<InputFile> openMember(const InputFile& archive, const ZipMember& member, std::size_t limit,
                             const std::stop_token& stop);

/// The same for a text.
Result<std::string> readMember(const InputFile& archive, const ZipMember& member,
                               std::size_t limit);

/// Opens a .keras file: a zip archive with model.weights.h5, which is read in its place, or
/// unpacked into memory if it is deflated, and config.json, which is the text "config". Other zip
/// archives are refused by what they are.
Result<std::unique_ptr<TensorSource>> openKerasArchive(InputFile archive, std::size_t byte_budget,
                                                       const std::stop_token& stop);

} // namespace headscope
