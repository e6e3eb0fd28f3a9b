#pragma once

#include "core/base/result.h"
#include "core/export/formats/parts_file.h"
#include "core/heads/corpus_scan.h"
#include "core/heads/input_sequence.h"
#include "core/model/model.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// Names the model, how it was read, and the tokens: equal texts mean equal numbers.
std::string scanQuestion(const Model& model, std::span<const InputSequence> sequences);

/// The finished parts of a scan (formats/parts_file.h), one line for sequences that ran together:
/// {"first": sequence, "heads": [{"sums": [7 numbers], "rows": [[query, weight, [[key, weight],
/// …]], …]}, …]}, heads in the order of headIndex().
class ScanPartsFile {
public:
    /// "examples.json.parts" of "examples.json"
    static std::filesystem::path pathFor(const std::filesystem::path& result);

    ScanPartsFile(std::filesystem::path path, const Model& model,
                  std::span<const InputSequence> sequences);

    /// What is in the file, all parts one after another; empty where there is none. Fails for a
    /// file of another question, for one that does not fit the model or the sequences, and for a
    /// damaged one.
    Result<CorpusScan> read() const;

    /// Begins the file anew, with what was scanned.
    Result<void> begin(const CorpusScan& scanned);
    /// Appends what the next sequences gave.
    Result<void> add(const CorpusScan& part);
    void remove() const;

private:
    PartsFile file_;
    HeadIndex heads_;
    std::vector<std::size_t> lengths_; ///< [sequence], tokens
    std::size_t written_ = 0;          ///< sequences
};

} // namespace headscope
