#include "core/io/files_in_use.h"

#include <algorithm>
#include <list>
#include <mutex>

namespace headscope {

namespace {

using Files = std::vector<FileIdentity>;

thread_local OpenedFiles* innermost_of_thread = nullptr;

/// The files in use of the whole process.
class FilesInUse {
public:
    std::list<Files>::const_iterator add(const Files& files) {
        const std::scoped_lock lock(guard_);
        return sets_.insert(sets_.end(), files);
    }
    void remove(std::list<Files>::const_iterator set) {
        const std::scoped_lock lock(guard_);
        sets_.erase(set);
    }
    bool has(FileIdentity file) {
        const std::scoped_lock lock(guard_);
        return std::ranges::any_of(
            sets_, [&](const Files& set) { return std::ranges::find(set, file) != set.end(); });
    }

private:
    std::mutex guard_;
    std::list<Files> sets_;
};

/// Handles keep it, too: they may live longer than what is static here.
std::shared_ptr<FilesInUse> filesInUse() {
    static const auto files = std::make_shared<FilesInUse>();
    return files;
}

} // namespace

OpenedFiles::OpenedFiles() : outer_(innermost_of_thread) {
    innermost_of_thread = this;
}

OpenedFiles::~OpenedFiles() {
    innermost_of_thread = outer_;
}

void OpenedFiles::add(FileIdentity file) {
    for (OpenedFiles* each = innermost_of_thread; each != nullptr; each = each->outer_)
        each->files_.push_back(file);
}

std::shared_ptr<const void> OpenedFiles::keepInUse() const {
    auto all = filesInUse();
    const auto set = all->add(files_);
    return {&*set, [all, set](const void*) { all->remove(set); }};
}

bool isInUse(const std::filesystem::path& file) {
    struct stat status;
    return ::stat(file.c_str(), &status) == 0 && filesInUse()->has(FileIdentity(status));
}

} // namespace headscope
