#include "core/io/reader/hdf5/hdf5_listing.h"

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/io/reader/hdf5/descriptor_driver.h"
#include "core/io/reader/hdf5/hdf5_dataset.h"
#include "core/io/reader/hdf5/hdf5_library.h"
#include "core/io/reader/hdf5/hdf5_text.h"
#include "core/io/tensor_source.h"

#include <cstring>
#include <new>
#include <unordered_set>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kMaxDepth = 32;

struct Link {
    std::string name;
    H5L_type_t type = H5L_TYPE_ERROR;
    haddr_t address = HADDR_UNDEF;
};

struct LinkList {
    std::vector<Link> links;
    std::size_t room = 0;
    std::string problem;
};

/// H5Literate calls this for each link of a group; a positive result ends the walk.
herr_t collectLink(hid_t, const char* name, const H5L_info_t* info, void* data) {
    auto& list = *static_cast<LinkList*>(data);
    if (list.links.size() == list.room)
        list.problem = "it has more than " + std::to_string(kMostEntries) +
                       " links, which no model needs; save the tensors again";
    else if (const std::size_t bytes = std::strlen(name); bytes == 0 || bytes > kMaxTensorNameBytes)
        list.problem = "a name in it has " + std::to_string(bytes) + " bytes, expected 1 to " +
                       std::to_string(kMaxTensorNameBytes) + "; save the tensors again";
    if (!list.problem.empty())
        return 1;
    const bool hard = info->type == H5L_TYPE_HARD;
    list.links.push_back({name, info->type, hard ? info->u.address : HADDR_UNDEF});
    return 0;
}

std::string linkKind(H5L_type_t type) {
    if (type == H5L_TYPE_SOFT)
        return "a soft link";
    if (type == H5L_TYPE_EXTERNAL)
        return "an external link, to another file";
    return "a user-defined link";
}

struct Group {
    std::string path; ///< ends in '/' but for the root, which is empty
    haddr_t address = HADDR_UNDEF;
    std::size_t depth = 0;
};

class TreeWalk {
public:
    explicit TreeWalk(hid_t file) : file_(file) {}

    Result<std::vector<Hdf5Leaf>> run() {
        H5O_info_t root;
        if (H5Oget_info2(file_, &root, H5O_INFO_BASIC) < 0)
            return damaged();
        pending_.push_back({"", root.addr, 0});
        groups_.insert(root.addr);
        while (!pending_.empty()) {
            const Group group = std::move(pending_.back());
            pending_.pop_back();
            if (auto visited = visit(group); !visited)
                return visited.error();
        }
        return std::move(leaves_);
    }

private:
    static Error damaged() {
        return {ErrorCode::Malformed, "its list of tensors is damaged; download or copy it again"};
    }

    Result<void> visit(const Group& group) {
        const Hdf5Handle handle(H5Oopen_by_addr(file_, group.address), H5Oclose);
        LinkList list;
        list.room = kMostEntries - links_seen_;
        const herr_t status = handle ? H5Literate(handle.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr,
                                                  &collectLink, &list)
                                     : -1;
        if (!list.problem.empty())
            return Error{ErrorCode::Malformed, list.problem};
        if (status < 0)
            return damaged();
        links_seen_ += list.links.size();
        for (const Link& link : list.links)
            if (auto followed = follow(group, link); !followed)
                return followed.error();
        return {};
    }

    Result<void> follow(const Group& group, const Link& link) {
        const std::string path = group.path + link.name;
        if (firstInvalidUtf8(path) != std::string::npos || link.name.find('/') != std::string::npos)
            return Error{ErrorCode::Malformed,
                         "a name in group '/" + group.path +
                             "' is not UTF-8 or holds a '/'; save the tensors again"};
        if (link.type != H5L_TYPE_HARD)
            return Error{ErrorCode::Unsupported,
                         "'" + path + "' is " + linkKind(link.type) +
                             ", and links are never followed; save the model as one file with the "
                             "tensor itself in this place"};
        const Hdf5Handle object(H5Oopen_by_addr(file_, link.address), H5Oclose);
        if (!object)
            return Error{ErrorCode::Malformed,
                         "'" + path +
                             "' is damaged or in a newer HDF5 format; copy the file again, or save "
                             "it with h5py.File(name, 'w', libver='v110')"};
        const H5I_type_t type = H5Iget_type(object.id());
        if (type == H5I_DATASET)
            leaves_.push_back({path, link.address, group.address});
        else if (type == H5I_GROUP)
            return enter({path + "/", link.address, group.depth + 1});
        else if (type != H5I_DATATYPE)
            return damaged();
        return {};
    }

    Result<void> enter(Group group) {
        if (!groups_.insert(group.address).second)
            return Error{ErrorCode::Malformed,
                         "group '/" + group.path +
                             "' is reached by two paths (a loop of hard links); save the tensors "
                             "again, each in one place"};
        if (group.depth > kMaxDepth)
            return Error{ErrorCode::Malformed, "its groups are nested more than " +
                                                   std::to_string(kMaxDepth) +
                                                   " deep; save the tensors again"};
        pending_.push_back(std::move(group));
        return {};
    }

    hid_t file_;
    std::vector<Group> pending_;
    std::unordered_set<haddr_t> groups_;
    std::vector<Hdf5Leaf> leaves_;
    std::size_t links_seen_ = 0;
};

} // namespace

Result<std::vector<Hdf5Leaf>> datasetsOf(hid_t file) {
    return TreeWalk(file).run();
}

namespace {

class Hdf5Listing {
public:
    Hdf5Listing(const FilePart& bytes, hid_t file)
        : bytes_(bytes), file_(file), texts_(file, bytes) {}

    ReaderAnswer run() {
        auto texts = texts_.attributesOf(file_);
        if (!texts)
            return Refusal{texts.error(), ""};
        is_bfloat16_ = saysBFloat16(*texts);
        description_.texts = *std::move(texts);
        const auto leaves = datasetsOf(file_);
        if (!leaves)
            return Refusal{leaves.error(), ""};
        for (const Hdf5Leaf& leaf : *leaves)
            if (auto listed = list(leaf); !listed)
                return Refusal{listed.error(), leaf.path};
        return std::move(description_);
    }

private:
    Result<void> list(const Hdf5Leaf& leaf) {
        const auto dataset = Hdf5Dataset::open(file_, leaf.address, bytes_.bytes);
        if (!dataset)
            return dataset.error();
        auto text = texts_.textOf(*dataset);
        if (!text)
            return text.error();
        if (*text) {
            description_.texts.try_emplace(leaf.path, **std::move(text));
            return {};
        }
        auto storage = dataset->storage();
        if (!storage)
            return storage.error();
        description_.datasets.push_back({.path = leaf.path,
                                         .shape = dataset->shape(),
                                         .type = typeOf(*dataset, leaf),
                                         .element_bytes = dataset->elementBytes(),
                                         .big_endian = isBigEndian(dataset->type()),
                                         .is_signed = isSigned(dataset->type()),
                                         .object = leaf.address,
                                         .storage = *std::move(storage)});
        return {};
    }

    /// What is said nearest to a dataset counts: by itself, by its group, by the root.
    StoredType typeOf(const Hdf5Dataset& dataset, const Hdf5Leaf& leaf) const {
        if (!mayBeBFloat16(dataset))
            return storedTypeOf(dataset, false);
        const Hdf5Handle group(H5Oopen_by_addr(file_, leaf.group), H5Oclose);
        for (const hid_t object : {dataset.id(), group.id()}) {
            const auto texts = texts_.attributesOf(object);
            if (const auto said = texts ? saysBFloat16(*texts) : std::nullopt)
                return storedTypeOf(dataset, *said);
        }
        return storedTypeOf(dataset, is_bfloat16_.value_or(false));
    }

    const FilePart& bytes_;
    hid_t file_;
    TextReader texts_;
    Hdf5Description description_;
    std::optional<bool> is_bfloat16_; ///< words of 16 bits, by what the root says
};

/// HDF5 calls this when a call has failed.
herr_t noteLackOfMemory(hid_t errors, void* noted) {
    return H5Ewalk2(
        errors, H5E_WALK_UPWARD,
        [](unsigned, const H5E_error2_t* error, void* lacking) -> herr_t {
            if (error->min_num == H5E_NOSPACE)
                *static_cast<bool*>(lacking) = true;
            return 0;
        },
        noted);
}

ReaderAnswer openAndList(const FilePart& file) {
    const Hdf5Handle handle = openHdf5(file);
    if (!handle)
        return Refusal{{ErrorCode::Malformed, "it is an HDF5 file that is damaged or cut short (" +
                                                  byteText(file.bytes) +
                                                  "); download or copy it again"},
                       ""};
    return Hdf5Listing(file, handle.id()).run();
}

} // namespace

ReaderAnswer describeHdf5(const FilePart& file) {
    bool lacks_memory = false;
    const auto lock = lockHdf5();
    registerRawHeapReferences();
    H5Eset_auto2(H5E_DEFAULT, &noteLackOfMemory, &lacks_memory);
    ReaderAnswer answer = openAndList(file);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    if (lacks_memory && std::holds_alternative<Refusal>(answer))
        throw std::bad_alloc();
    return answer;
}

} // namespace headscope
