#pragma once

#include "core/base/result.h"
#include "core/io/files/input_file.h"
#include "core/io/sealed/file_description.h"

#include <cstddef>
#include <stop_token>
#include <string>

namespace headscope {

/// One file of an archive as a file of its own: where it lies when it is stored, unpacked into
/// memory when it is deflated. `member` passed checkArchive(). Refuses more than `limit` bytes, and
/// bytes that do not match their check sum. Error messages are reasons.
Result<InputFile> openMember(const InputFile& archive, const ZipMember& member, std::size_t limit,
                             const std::stop_token& stop);

/// The same for a text.
Result<std::string> readMember(const InputFile& archive, const ZipMember& member,
                               std::size_t limit);

} // namespace headscope
