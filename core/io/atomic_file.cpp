#include "core/io/atomic_file.h"

#include "core/base/byte_order_mark.h"
#include "core/io/file_error.h"
#include "core/io/files/new_path.h"
#include "core/io/files/open_file.h"
#include "core/io/files_in_use.h"

#include <fcntl.h>

#include <span>
#include <string>
#include <system_error>

namespace headscope {

namespace {

namespace fs = std::filesystem;

/// The file that `path` means: a link stays a link, and what it points to is replaced. Refuses
/// whatever a rename would destroy that is no regular file.
Result<fs::path> resolveTarget(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status))
        return cannotWrite(path, "it is a folder; add a file name");
    if (fs::exists(status) && !fs::is_regular_file(status))
        return cannotWrite(path, "it is a device or a pipe; choose a regular file");
    if (status.type() == fs::file_type::none)
        return cannotWrite(path, error.value());
    if (fs::exists(status) && isInUse(path))
        return cannotWrite(path, "it is part of a model that is open; choose another name");
    if (!fs::is_symlink(fs::symlink_status(path, error)))
        return path;
    if (!fs::exists(status))
        return cannotWrite(path, "it is a link to a file that does not exist; remove the link");
    return fs::canonical(path, error);
}

/// Makes the rename itself durable. Some file systems cannot; the file is in place all the same.
void flushFolder(const fs::path& target) {
    const FileDescriptor fd(::open(folderOf(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd)
        ::fsync(fd.get());
}

Result<void> writeAll(const fs::path& path, const fs::path& shown, std::string_view content) {
    auto file = OutputFile::open(path, shown);
    if (!file)
        return file.error();
    if (auto written = file->append(std::as_bytes(std::span(content))); !written)
        return written;
    return file->close();
}

} // namespace

Result<void> writeFileAtomically(const fs::path& path,
                                 const std::function<Result<void>(const fs::path&)>& write) {
    const auto target = resolveTarget(path);
    if (!target)
        return target.error();
    removeLeftovers(folderOf(*target));
    auto file = NewPath::file(*target, path);
    if (!file)
        return file.error();
    if (auto written = write(file->path()); !written)
        return written.error();
    if (const std::error_code error = file->flush())
        return cannotWrite(path, error.value());
    if (const std::error_code error = file->moveTo(*target))
        return cannotWrite(path, error.value());
    flushFolder(*target);
    return {};
}

Result<void> writeFileAtomically(const fs::path& path, std::string_view content) {
    return writeFileAtomically(
        path, [&](const fs::path& temporary) { return writeAll(temporary, path, content); });
}

Result<std::string> readTextFile(const fs::path& path, std::size_t limit) {
    const auto file = InputFile::open(path);
    if (!file)
        return file.error();
    auto text = file->text(limit);
    return text ? withoutByteOrderMark(*std::move(text), path.filename().string())
                : std::move(text);
}

namespace {

/// Without the slash at the end of "out/".
fs::path namedFolder(const fs::path& path) {
    fs::path named = path.lexically_normal();
    return named.has_filename() ? named : named.parent_path();
}

} // namespace

Result<void> checkNewFolder(const fs::path& path) {
    const fs::path named = namedFolder(path);
    std::error_code error;
    const fs::path around = folderOf(named);
    if (!fs::is_directory(around, error))
        return cannotWrite(path, "the folder " + around.string() +
                                     " does not exist; make it or choose another");
    if (!fs::exists(fs::symlink_status(named, error)))
        return {};
    if (!fs::is_directory(fs::symlink_status(named, error)) || !fs::is_empty(named, error))
        return cannotWrite(path, "something of this name exists already; choose another name");
    return {};
}

std::size_t bytesAt(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored))
        return static_cast<std::size_t>(fs::file_size(path, ignored));
    std::size_t bytes = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored))
        bytes += static_cast<std::size_t>(entry.file_size(ignored));
    return bytes;
}

Result<void> writeFolderAtomically(const fs::path& path,
                                   const std::function<Result<void>(const fs::path&)>& write) {
    if (auto checked = checkNewFolder(path); !checked)
        return checked;
    const fs::path named = namedFolder(path);
    removeLeftovers(folderOf(named));
    auto folder = NewPath::hiddenFolder(named, path);
    if (!folder)
        return folder.error();
    if (auto written = write(folder->path()); !written)
        return written;
    if (const std::error_code error = folder->moveTo(named))
        return cannotWrite(path, error.value());
    return {};
}

} // namespace headscope
