#include "core/io/files/sharded_source.h"

#include "core/base/text.h"
#include "core/io/file_error.h"
#include "core/io/files/open_file.h"
#include "core/io/files/shard_index.h"
#include "core/io/files/tensor_reading.h"
#include "core/io/files/weight_file.h"
#include "core/io/model_folder.h"
#include "core/io/slabs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

namespace fs = std::filesystem;

using Shards = std::vector<std::unique_ptr<TensorSource>>;

/// A tensor of the whole model and where it is.
struct Place {
    TensorInfo info;
    std::size_t shard = 0;
};

class ShardedSource final : public TensorSource {
public:
    ShardedSource(std::optional<InputFile> index, Shards shards, std::vector<Place> places,
                  std::vector<std::string> notes)
        : index_(std::move(index)), shards_(std::move(shards)), notes_(std::move(notes)) {
        for (Place& place : places) {
            tensors_.push_back(std::move(place.info));
            shard_of_.push_back(place.shard);
        }
    }

    const fs::path& path() const override {
        return index_ ? index_->path() : shards_.front()->path();
    }
    std::span<const TensorInfo> tensors() const override { return tensors_; }
    std::vector<std::string> notes() const override { return notes_; }

    std::vector<fs::path> files() const override {
        std::vector<fs::path> files;
        if (index_)
            files.push_back(index_->path());
        for (const auto& shard : shards_)
            files.push_back(shard->path());
        return files;
    }

    std::vector<const InputFile*> openFiles() const override {
        std::vector<const InputFile*> files;
        if (index_)
            files.push_back(&*index_);
        for (const auto& shard : shards_)
            std::ranges::copy(shard->openFiles(), std::back_inserter(files));
        return files;
    }

    std::optional<std::string> text(std::string_view key) const override {
        for (const auto& shard : shards_)
            if (auto text = shard->text(key))
                return text;
        return std::nullopt;
    }

    Result<void> read(const TensorInfo& tensor, NumberTarget target,
                      std::stop_token stop) const override {
        const auto index = indexForReading(*this, tensor, target);
        if (!index)
            return index.error();
        return shards_[shard_of_[*index]]->read(tensor, target, std::move(stop));
    }

private:
    std::optional<InputFile> index_; ///< of a lone shard none
    Shards shards_;
    std::vector<TensorInfo> tensors_;   ///< sorted by name
    std::vector<std::size_t> shard_of_; ///< of the tensor with the same index
    std::vector<std::string> notes_;
};

/// Finds the line of an index that speaks of a tensor. Keys are the tensor's own name; or with '/'
/// between the parts, after the name of the model (TensorFlow); or the path of the group that
/// holds the tensor (Keras).
class IndexLines {
public:
    explicit IndexLines(const ShardIndex& index) {
        for (const auto& [key, shards] : index.weight_map) {
            lines_.push_back({key, shards, false});
            names_.emplace(key, lines_.size() - 1);
        }
        for (std::size_t line = 0; line < lines_.size(); ++line)
            addSpellings(line);
    }

    struct Line {
        std::string key;
        std::vector<std::size_t> shards;
        bool found = false;
    };

    Line* find(const std::string& tensor) {
        if (const auto whole = names_.find(tensor); whole != names_.end())
            return &lines_[whole->second];
        const std::string group = tensor.substr(0, tensor.rfind('.'));
        const auto listed = group.ends_with("vars") ? names_.find(group) : names_.end();
        return listed != names_.end() ? &lines_[listed->second] : nullptr;
    }

    const std::vector<Line>& lines() const { return lines_; }

private:
    void addSpellings(std::size_t line) {
        std::string name = lines_[line].key;
        if (name.find('/') == std::string::npos)
            return;
        std::ranges::replace(name, '/', '.');
        const std::size_t first_dot = name.find('.');
        names_.emplace(name.substr(first_dot + 1), line);
        names_.emplace(std::move(name), line);
    }

    std::vector<Line> lines_;
    std::map<std::string, std::size_t> names_; ///< place in lines_, by each spelling of the key
};

/// Opens the shards and puts their tensors together. Error messages are whole sentences.
class Assembly {
public:
    Assembly(InputFile file, ShardIndex index)
        : file_(std::move(file)), index_(std::move(index)), lines_(index_) {}

    Result<std::unique_ptr<TensorSource>> run(std::size_t byte_budget,
                                              const std::stop_token& stop) {
        for (std::size_t shard = 0; shard < index_.shards.size(); ++shard)
            if (!index_.missing.contains(shard))
                if (auto added = addShard(shard, byte_budget, stop); !added)
                    return added.error();
        if (auto checked = checkListed(); !checked)
            return checked.error();
        if (auto checked = sortAndCheck(byte_budget); !checked)
            return checked.error();
        noteDifferences();
        return std::unique_ptr<TensorSource>(std::make_unique<ShardedSource>(
            std::move(file_), std::move(shards_), std::move(places_), std::move(notes_)));
    }

private:
    Error fail(ErrorCode code, const std::string& reason) const {
        return cannotOpen(code, file_.path(), reason);
    }

    static std::string nameOf(const fs::path& shard) {
        return "'" + shard.filename().string() + "'";
    }

    Result<void> addShard(std::size_t shard, std::size_t byte_budget, const std::stop_token& stop) {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, readingStopped().message);
        auto source = openWeightFile(index_.shards[shard], byte_budget, stop);
        if (!source)
            return source.error();
        for (const TensorInfo& tensor : (*source)->tensors()) {
            IndexLines::Line* const line = lines_.find(tensor.name);
            if (line == nullptr || std::ranges::find(line->shards, shard) == line->shards.end()) {
                unlisted_.push_back(tensor.name);
                continue;
            }
            line->found = true;
            places_.push_back({tensor, shards_.size()});
        }
        shards_.push_back(*std::move(source));
        return {};
    }

    Result<void> checkListed() const {
        const auto lost = std::ranges::find_if(lines_.lines(), [&](const IndexLines::Line& line) {
            return !line.found && std::ranges::none_of(line.shards, [&](std::size_t shard) {
                return index_.missing.contains(shard);
            });
        });
        if (lost == lines_.lines().end())
            return {};
        return fail(ErrorCode::Mismatch,
                    "tensor '" + lost->key + "' is not in " +
                        nameOf(index_.shards[lost->shards.front()]) +
                        ", where the index puts it; download both files again");
    }

    Result<void> sortAndCheck(std::size_t byte_budget) {
        const auto name_of = [](const Place& place) -> const std::string& {
            return place.info.name;
        };
        std::ranges::sort(places_, {}, name_of);
        const auto twin = std::ranges::adjacent_find(places_, {}, name_of);
        if (twin != places_.end())
            return fail(ErrorCode::Malformed, "tensor '" + twin->info.name + "' is in " +
                                                  nameOf(shards_[twin->shard]->path()) +
                                                  " and in " +
                                                  nameOf(shards_[std::next(twin)->shard]->path()) +
                                                  "; download the model again");
        TensorBudget budget(byte_budget);
        for (const Place& place : places_)
            if (auto fits = budget.take(place.info); !fits)
                return fail(fits.error().code, fits.error().message);
        return {};
    }

    void noteDifferences() {
        std::vector<std::string> missing;
        for (const std::size_t shard : index_.missing)
            missing.push_back(index_.shards[shard].filename().string());
        if (!missing.empty())
            notes_.push_back(missingFilesNote(index_.shards.size(), "shard", missing));
        if (!unlisted_.empty())
            notes_.push_back("The index does not list " + std::to_string(unlisted_.size()) +
                             " of the tensors in its shards, which are left out: " +
                             unlisted_.front() + (unlisted_.size() > 1 ? " and others." : "."));
        std::size_t bytes = 0;
        for (const Place& place : places_)
            bytes += place.info.stored_bytes;
        if (missing.empty() && index_.total_bytes && *index_.total_bytes != bytes)
            notes_.push_back("The index speaks of " + byteText(*index_.total_bytes) +
                             " of weights, and the shards hold " + byteText(bytes) + ".");
    }

    InputFile file_; ///< the index itself
    ShardIndex index_;
    IndexLines lines_;
    Shards shards_;
    std::vector<Place> places_;
    std::vector<std::string> unlisted_;
    std::vector<std::string> notes_;
};

} // namespace

Result<std::unique_ptr<TensorSource>>
openShardedSource(const fs::path& index, std::size_t byte_budget, const std::stop_token& stop) {
    auto file = InputFile::open(index);
    if (!file)
        return file.error();
    auto read = readShardIndex(*file);
    if (!read)
        return read.error();
    return Assembly(*std::move(file), *std::move(read)).run(byte_budget, stop);
}

Result<std::unique_ptr<TensorSource>> openLoneShard(const fs::path& shard, const fs::path& index,
                                                    std::size_t byte_budget,
                                                    const std::stop_token& stop) {
    auto source = openWeightFile(shard, byte_budget, stop);
    if (!source)
        return source.error();
    std::vector<Place> places;
    for (const TensorInfo& tensor : (*source)->tensors())
        places.push_back({tensor, 0});
    Shards shards;
    shards.push_back(*std::move(source));
    return std::unique_ptr<TensorSource>(std::make_unique<ShardedSource>(
        std::nullopt, std::move(shards), std::move(places),
        std::vector{shard.filename().string() +
                    " is one of several shards, and only what it holds "
                    "is open, because their index " +
                    index.filename().string() +
                    " is not beside it; download the index and the other shards into the same "
                    "folder."}));
}

} // namespace headscope
