#include "core/io/file_error.h"

#include "core/base/text.h"

#include <sys/resource.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace headscope {

namespace {

std::string sentence(std::string_view verb, const std::filesystem::path& path,
                     std::string_view reason) {
    return "Cannot " + std::string(verb) + " '" + path.string() + "': " + std::string(reason) + ".";
}

std::string readingReason(int error_number) {
    switch (error_number) {
    case ENOENT:
    case ENOTDIR:
        return "there is no such file; check the path";
    case EACCES:
    case EPERM:
        return "permission is denied; check that you may read it";
    default:
        return std::generic_category().message(error_number);
    }
}

/// A limit of the session and one of the file system give the same error.
std::string tooLargeFile() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        return "the file would be larger than the " + byteText(limit.rlim_cur) +
               " that this session allows a file (ulimit -f); raise the limit or write less";
    return "the file would be larger than its file system allows; choose another folder or write "
           "less";
}

std::string writingReason(int error_number) {
    switch (error_number) {
    case ENOENT:
    case ENOTDIR:
        return "its folder does not exist; create it or choose another one";
    case EACCES:
    case EPERM:
    case EROFS:
        return "writing is not permitted there; choose another folder";
    case EEXIST:
        return "something of this name is there already; choose another name";
    case ENOSPC:
    case EDQUOT:
        return "the disk is full; free some space or choose another folder";
    case EFBIG:
        return tooLargeFile();
    default:
        return std::generic_category().message(error_number);
    }
}

} // namespace

Error cannotOpen(ErrorCode code, const std::filesystem::path& path, std::string_view reason) {
    return {code, sentence("open", path, reason)};
}

Error cannotOpen(const std::filesystem::path& path, int error_number) {
    const bool missing = error_number == ENOENT || error_number == ENOTDIR;
    return cannotOpen(missing ? ErrorCode::NotFound : ErrorCode::Unreadable, path,
                      readingReason(error_number));
}

Error cannotWrite(const std::filesystem::path& path, std::string_view reason) {
    return {ErrorCode::WriteFailed, sentence("write", path, reason)};
}

Error cannotWrite(const std::filesystem::path& path, int error_number) {
    return cannotWrite(path, writingReason(error_number));
}

} // namespace headscope
