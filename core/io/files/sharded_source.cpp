#include "core/io/files/sharded_source.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/io/atomic_file.h"
#include "core/io/file_error.h"
#include "core/io/files/tensor_reading.h"
#include "core/io/files/weight_file.h"
#include "core/io/slabs.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxIndexBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxShards = 500; ///< each is an open file
constexpr JsonLimits kIndexLimits{.depth = 4, .values = 4'000'000, .unique_keys = true};

bool isBlobName(const std::string& name) {
    const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return (name.size() == 40 || name.size() == 64) && std::ranges::all_of(name, is_hex);
}

/// models--org--name/snapshots/<revision>/file -> ../../blobs/<hash>, as huggingface_hub keeps
/// downloads. `folder` is canonical.
bool isHubCacheLink(const fs::path& folder, const fs::path& file) {
    std::error_code failure;
    const fs::path target = fs::read_symlink(file, failure);
    if (failure || folder.parent_path().filename() != "snapshots")
        return false;
    const fs::path blob = folder.parent_path().parent_path() / "blobs" / target.filename();
    return target == fs::path("../../blobs") / target.filename() &&
           isBlobName(target.filename().string()) && fs::canonical(file, failure) == blob;
}

bool leadsOut(const fs::path& relative) {
    return std::ranges::find(relative, fs::path("..")) != relative.end();
}

/// Reads one index. Error messages are reasons.
class IndexReader {
public:
    explicit IndexReader(const fs::path& path)
        : folder_(path.has_parent_path() ? path.parent_path() : fs::path(".")) {}

    Result<ShardIndex> read(std::string_view text) {
        const auto file = JsonDocument::parse(text, kIndexLimits);
        if (!file)
            return malformed("the index " + file.error().message);
        const JsonValue root = file->root();
        if (!root.isObject())
            return malformed("the index is no JSON object");
        const JsonValue map = root.member("weight_map");
        if (map.size() == 0 || !map.isObject())
            return malformed("it has no \"weight_map\" that tells which file holds which tensor");
        for (const auto& [tensor, places] : map.members())
            if (auto added = addTensor(std::string(tensor), places); !added)
                return added.error();
        index_.total_bytes = root.member("metadata").member("total_size").whole();
        return std::move(index_);
    }

private:
    static Error malformed(const std::string& reason) {
        return {ErrorCode::Malformed, reason + "; download the model again"};
    }

    Result<void> addTensor(const std::string& tensor, JsonValue value) {
        const auto places = value.isArray() ? value.elements() : std::vector{value};
        std::vector<std::size_t>& shards = index_.weight_map[tensor];
        for (const JsonValue place : places) {
            const std::string* const name = place.text();
            if (name == nullptr)
                return malformed("it names no file for tensor '" + tensor + "'");
            const auto shard = shardNumber(*name);
            if (!shard)
                return shard.error();
            if (std::ranges::find(shards, *shard) != shards.end())
                return malformed("it names shard '" + *name + "' twice for tensor '" + tensor +
                                 "'");
            shards.push_back(*shard);
        }
        if (shards.empty())
            return malformed("it names no file for tensor '" + tensor + "'");
        return {};
    }

    Result<std::size_t> shardNumber(const std::string& name) {
        if (const auto known = numbers_.find(name); known != numbers_.end())
            return known->second;
        if (index_.shards.size() == kMaxShards)
            return Error{ErrorCode::TooLarge, "it names more than " + std::to_string(kMaxShards) +
                                                  " shards; save the model in fewer files"};
        if (auto checked = checkShard(name); !checked)
            return checked.error();
        index_.shards.push_back(folder_ / name);
        return numbers_[name] = index_.shards.size() - 1;
    }

    Result<void> checkShard(const std::string& name) const {
        const fs::path relative(name);
        const auto outside = [&](const std::string& how) {
            return Error{ErrorCode::Malformed, "shard '" + name + "' " + how +
                                                   ", and shards must lie in the folder of their "
                                                   "index; put the file there"};
        };
        if (relative.is_absolute())
            return outside("is named by an absolute path");
        if (leadsOut(relative))
            return outside("is named by a path that leads out of the folder");
        std::error_code failure;
        const fs::path folder = fs::canonical(folder_, failure);
        const fs::path file = folder / relative;
        const fs::path target = fs::canonical(file, failure);
        if (failure || name.empty())
            return Error{ErrorCode::NotFound,
                         "shard '" + name + "' is missing; download it into the same folder"};
        if (leadsOut(target.lexically_relative(folder)) && !isHubCacheLink(folder, file))
            return outside("is a link to a file outside the folder");
        return {};
    }

    fs::path folder_;
    ShardIndex index_;
    std::map<std::string, std::size_t> numbers_; ///< in index_.shards, by name
};

} // namespace

Result<ShardIndex> readShardIndex(const InputFile& file) {
    const auto text = file.text(kMaxIndexBytes);
    if (!text)
        return text.error();
    auto index = IndexReader(file.path()).read(*text);
    if (!index)
        return cannotOpen(index.error().code, file.path(), index.error().message);
    return index;
}

namespace {

using Shards = std::vector<std::unique_ptr<TensorSource>>;

/// A tensor of the whole model and where it lies.
struct Place {
    TensorInfo info;
    std::size_t shard = 0;
};

class ShardedSource final : public TensorSource {
public:
    ShardedSource(InputFile index, Shards shards, std::vector<Place> places,
                  std::vector<std::string> notes)
        : index_(std::move(index)), shards_(std::move(shards)), notes_(std::move(notes)) {
        for (Place& place : places) {
            tensors_.push_back(std::move(place.info));
            shard_of_.push_back(place.shard);
        }
    }

    const fs::path& path() const override { return index_.path(); }
    std::span<const TensorInfo> tensors() const override { return tensors_; }
    std::vector<std::string> notes() const override { return notes_; }

    std::vector<fs::path> files() const override {
        std::vector<fs::path> files{path()};
        for (const auto& shard : shards_)
            files.push_back(shard->path());
        return files;
    }

    std::vector<const InputFile*> openFiles() const override {
        std::vector<const InputFile*> files{&index_};
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
    InputFile index_;
    Shards shards_;
    std::vector<TensorInfo> tensors_;   ///< sorted by name
    std::vector<std::size_t> shard_of_; ///< of the tensor with the same index
    std::vector<std::string> notes_;
};

/// Finds the line of an index that speaks of a tensor. Keys are the tensor's own name; or with '/'
/// between the parts, behind the name of the model (TensorFlow); or the path of the group that
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

    std::string shardName(std::size_t shard) const {
        return "'" + index_.shards[shard].filename().string() + "'";
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
            places_.push_back({tensor, shard});
        }
        shards_.push_back(*std::move(source));
        return {};
    }

    Result<void> checkListed() const {
        const auto lost = std::ranges::find(lines_.lines(), false, &IndexLines::Line::found);
        if (lost == lines_.lines().end())
            return {};
        return fail(ErrorCode::Mismatch,
                    "tensor '" + lost->key + "' is not in " + shardName(lost->shards.front()) +
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
                                                  shardName(twin->shard) + " and in " +
                                                  shardName(std::next(twin)->shard) +
                                                  "; download the model again");
        TensorBudget budget(byte_budget);
        for (const Place& place : places_)
            if (auto fits = budget.take(place.info); !fits)
                return fail(fits.error().code, fits.error().message);
        return {};
    }

    void noteDifferences() {
        if (!unlisted_.empty())
            notes_.push_back("The index does not list " + std::to_string(unlisted_.size()) +
                             " of the tensors in its shards, which are left out: " +
                             unlisted_.front() + (unlisted_.size() > 1 ? ", …" : ""));
        std::size_t bytes = 0;
        for (const Place& place : places_)
            bytes += place.info.stored_bytes;
        if (index_.total_bytes && *index_.total_bytes != bytes)
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

} // namespace headscope
