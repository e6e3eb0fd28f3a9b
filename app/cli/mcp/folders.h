#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::cli {

/// The folders that a server was given at its start. Whoever asks it reads files below them only,
/// and writes below one of them or not at all. What is told here of a path is a first answer: the
/// program that does the work keeps to the same folders, whatever it opens and wherever links lead
/// (core/io/allowed_folders.h).
class Folders {
public:
    /// `write` may be empty: nothing is written. Fails for what is no folder.
    static Result<Folders> make(const std::vector<std::string>& read, const std::string& write);

    const std::vector<std::filesystem::path>& read() const { return read_; }
    bool mayWrite() const { return !write_.empty(); }
    /// What a program is told that is to keep to them. `write` may be empty.
    std::vector<std::string> words(const std::string& write) const;
    std::vector<std::string> words() const { return words(write_.string()); }

    /// The absolute path of a file that may be read. One that is not absolute is looked for below
    /// each folder, in their order.
    Result<std::string> readable(const std::string& path) const;
    /// The same of a model, whose config must be readable, too.
    Result<std::string> readableModel(const std::string& path) const;
    /// The path of a file or folder that may be made, and that is not there: one that is not
    /// absolute is below the folder for writing. Parts of a run that was stopped may be there where
    /// that `goes_on`.
    Result<std::string> writable(const std::string& path, bool goes_on) const;

    /// The weight files below the folders, and the folders that hold a config.json, that may be
    /// read: at most 500, and not deeper than six folders.
    std::vector<std::filesystem::path> models() const;

private:
    bool isBelowOne(const std::filesystem::path& real) const;

    std::vector<std::filesystem::path> read_; ///< real paths; the one for writing is the last
    std::filesystem::path write_;
};

} // namespace headscope::cli
