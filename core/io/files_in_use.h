#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <vector>

namespace headscope {

/// Which file it is, whatever its names are.
struct FileIdentity {
    dev_t device = 0;
    ino_t number = 0;

    explicit FileIdentity(const struct stat& status)
        : device(status.st_dev), number(status.st_ino) {}
    bool operator==(const FileIdentity&) const = default;
};

/// The files that this thread opens while it lives (InputFile::open).
class OpenedFiles {
public:
    OpenedFiles();
    OpenedFiles(const OpenedFiles&) = delete;
    OpenedFiles& operator=(const OpenedFiles&) = delete;
    ~OpenedFiles();

    /// Where an object of this thread lives, it hears of this file.
    static void add(FileIdentity file);

    /// While the returned handle or a copy of it lives, writeFileAtomically() replaces none of
    /// these files. Thread-safe.
    std::shared_ptr<const void> keepInUse() const;

private:
    OpenedFiles* outer_;
    std::vector<FileIdentity> files_;
};

/// Whether a file, or what it links to, must not be replaced (OpenedFiles::keepInUse). Thread-safe.
bool isInUse(const std::filesystem::path& file);

} // namespace headscope
