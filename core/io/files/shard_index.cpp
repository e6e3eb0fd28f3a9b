#include "core/io/files/shard_index.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/io/file_error.h"
#include "core/io/sealed_json.h"

#include <algorithm>
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
        const auto file = readForeignJson(text, kIndexLimits);
        if (!file)
            return aboutText(file.error(), "the index", "download the model again", "");
        const JsonValue root = file->root();
        if (!root.isObject())
            return malformed("the index is no JSON object");
        const JsonValue map = root.member("weight_map");
        if (map.size() == 0 || !map.isObject())
            return malformed("it has no \"weight_map\" that tells which file holds which tensor");
        for (const auto& [tensor, places] : map.members())
            if (auto added = addTensor(std::string(tensor), places); !added)
                return added.error();
        if (index_.missing.size() == index_.shards.size())
            return Error{ErrorCode::NotFound, "of its " + counted(index_.shards.size(), "shard") +
                                                  " none is there; download them into the same "
                                                  "folder"};
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
            if (name == nullptr || name->empty())
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
        const auto is_there = findShard(name);
        if (!is_there)
            return is_there.error();
        if (!*is_there)
            index_.missing.insert(index_.shards.size());
        index_.shards.push_back(folder_ / name);
        return numbers_[name] = index_.shards.size() - 1;
    }

    /// Whether it is there; fails for a name that may not be opened.
    Result<bool> findShard(const std::string& name) const {
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
        if (failure)
            return false;
        if (leadsOut(target.lexically_relative(folder)) && !isHubCacheLink(folder, file))
            return outside("is a link to a file outside the folder");
        return true;
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

} // namespace headscope
