#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace headscope {

/// The folders that a process keeps to which works for somebody who may not see the rest of the
/// machine, such as an agent. Real paths.
struct AllowedFolders {
    std::vector<std::filesystem::path> read;
    std::optional<std::filesystem::path> write; ///< none: it writes nothing
};

/// How the programs are told them: one option for each folder to read, one for that to write to.
/// No help lists them: they take away and give nothing.
inline constexpr std::string_view kReadOption = "read-below";
inline constexpr std::string_view kWriteOption = "write-below";

/// From now on this process reads files below these folders only, writes below one of them, and
/// puts nothing in the place of what it has not made itself. For ever, and to be called before
/// the first file is opened. Where a file really is decides, whatever
/// links led to it: InputFile and NewPath, by which all files are read and written, look at the
/// open file.
void keepToFolders(AllowedFolders folders);

/// Whether an open file may be read, or a new file or folder may be made where this one is. Without
/// folders to keep to, all may.
bool isAllowedToRead(int descriptor);
bool isAllowedToWrite(int descriptor);

/// Whether what is at `path` may be replaced: all without folders to keep to; else what this
/// process has made, or goes on with.
bool isAllowedToReplace(const std::filesystem::path& path);
/// `path` is something that this process has made or goes on with. Thread-safe.
void noteOwn(const std::filesystem::path& path);

} // namespace headscope
