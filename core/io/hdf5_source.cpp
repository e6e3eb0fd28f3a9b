#include "core/io/hdf5_source.h"

#include "core/base/checked.h"
#include "core/base/text.h"
#include "core/io/file_error.h"
#include "core/io/hdf5_dataset.h"
#include "core/io/hdf5_library.h"
#include "core/io/hdf5_numbers.h"
#include "core/io/hdf5_text.h"
#include "core/io/hdf5_tree.h"

#include <algorithm>
#include <new>
#include <unordered_set>

namespace headscope {

namespace {

namespace fs = std::filesystem;

std::string tensorName(std::string path) {
    std::replace(path.begin(), path.end(), '/', '.');
    return path;
}

struct Entry {
    TensorInfo info;
    haddr_t address = HADDR_UNDEF;
};

class Hdf5Source final : public TensorSource {
public:
    Hdf5Source(fs::path path, Hdf5Handle file, std::vector<Entry> entries, Texts texts)
        : path_(std::move(path)), file_(std::move(file)), texts_(std::move(texts)) {
        for (Entry& entry : entries) {
            tensors_.push_back(std::move(entry.info));
            addresses_.push_back(entry.address);
        }
    }
    ~Hdf5Source() override {
        const auto lock = lockHdf5();
        file_.reset();
    }

    const fs::path& path() const override { return path_; }
    std::span<const TensorInfo> tensors() const override { return tensors_; }

    std::optional<std::string> text(std::string_view key) const override {
        const auto found = texts_.find(key);
        return found == texts_.end() ? std::nullopt : std::optional(found->second);
    }

    Result<void> read(const TensorInfo& tensor, std::span<float> target,
                      std::stop_token) const override {
        const TensorInfo* const known = find(tensor.name);
        if (known == nullptr)
            return cannotRead(tensor.name, {ErrorCode::NotFound, "there is no such tensor"});
        if (target.size() != elementCount(known->shape))
            return cannotRead(tensor.name, {ErrorCode::InvalidArgument,
                                            "it has shape " + shapeText(known->shape) + ", not " +
                                                std::to_string(target.size()) + " values"});
        const auto lock = lockHdf5();
        const auto index = static_cast<std::size_t>(known - tensors_.data());
        try {
            const auto dataset = Hdf5Dataset::open(file_.id(), addresses_[index]);
            if (!dataset)
                return cannotRead(tensor.name, dataset.error());
            if (auto done = readNumbers(*dataset, known->type, target); !done)
                return cannotRead(tensor.name, done.error());
        } catch (const std::bad_alloc&) {
            return cannotRead(tensor.name, {ErrorCode::TooLarge, "memory is used up"});
        }
        return {};
    }

private:
    Error cannotRead(const std::string& name, const Error& reason) const {
        return {reason.code, "Cannot read tensor '" + name + "' of '" + path_.string() +
                                 "': " + reason.message + "."};
    }

    fs::path path_;
    Hdf5Handle file_;
    std::vector<TensorInfo> tensors_; ///< sorted by name
    std::vector<haddr_t> addresses_;  ///< of the tensor with the same index
    Texts texts_;
};

/// Opens a file, which must be locked, and takes stock of it.
class Hdf5Opening {
public:
    Hdf5Opening(const InputFile& bytes, std::size_t byte_budget)
        : bytes_(bytes), byte_budget_(byte_budget) {}

    Result<std::unique_ptr<TensorSource>> run() {
        Hdf5Handle file = openFile();
        if (!file)
            return fail({ErrorCode::Malformed, "it is an HDF5 file that is damaged or cut short (" +
                                                   byteText(bytes_.size()) +
                                                   "); download or copy it again"});
        const TextReader reader(file.id(), bytes_);
        auto texts = reader.attributesOf(file.id());
        if (!texts)
            return fail(texts.error());
        texts_ = *std::move(texts);
        const auto leaves = datasetsOf(file.id());
        if (!leaves)
            return fail(leaves.error());
        for (const Hdf5Leaf& leaf : *leaves)
            if (auto listed = list(file.id(), leaf, reader); !listed)
                return listed.error();
        if (auto checked = sortAndCheck(); !checked)
            return fail(checked.error());
        return std::unique_ptr<TensorSource>(std::make_unique<Hdf5Source>(
            bytes_.path(), std::move(file), std::move(entries_), std::move(texts_)));
    }

private:
    Error fail(const Error& reason) const {
        return cannotOpen(reason.code, bytes_.path(), reason.message);
    }

    Hdf5Handle openFile() const {
        const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        // The driver is fixed, so that neither the environment nor the file can choose another;
        // closing the file closes all of it; and no lock, which network folders often refuse.
        H5Pset_fapl_sec2(access.id());
        H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
        H5Pset_file_locking(access.id(), false, true);
        return {H5Fopen(bytes_.path().c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose};
    }

    Result<void> list(hid_t file, const Hdf5Leaf& leaf, const TextReader& reader) {
        const std::string name = tensorName(leaf.path);
        const auto about = [&](const Error& reason) {
            return Error{reason.code, "Cannot open '" + bytes_.path().string() + "', tensor '" +
                                          name + "': " + reason.message + "."};
        };
        const auto dataset = Hdf5Dataset::open(file, leaf.address);
        if (!dataset)
            return about(dataset.error());
        auto text = reader.textOf(*dataset);
        if (!text)
            return about(text.error());
        if (seen_.insert(leaf.address).second)
            stored_bytes_ += dataset->storedBytes();
        if (*text)
            texts_.try_emplace(leaf.path, **std::move(text));
        else
            entries_.push_back(
                {{name, dataset->shape(), storedTypeOf(*dataset, reader), dataset->storedBytes()},
                 leaf.address});
        return {};
    }

    Result<void> sortAndCheck() {
        const auto name_of = [](const Entry& entry) -> const std::string& {
            return entry.info.name;
        };
        std::ranges::sort(entries_, {}, name_of);
        const auto twin = std::ranges::adjacent_find(entries_, {}, name_of);
        if (twin != entries_.end())
            return Error{ErrorCode::Malformed, "it has two tensors named '" + twin->info.name +
                                                   "'; save the tensors again"};
        if (stored_bytes_ > bytes_.size())
            return Error{ErrorCode::Malformed, "its tensors claim to be stored in " +
                                                   byteText(stored_bytes_) + " of a file of " +
                                                   byteText(bytes_.size()) +
                                                   "; save the tensors again"};
        return checkBudget();
    }

    Result<void> checkBudget() const {
        std::size_t total = 0;
        for (const Entry& entry : entries_) {
            const auto bytes = checkedMultiply(elementCount(entry.info.shape), sizeof(float));
            const auto sum = bytes ? checkedAdd(total, *bytes) : std::nullopt;
            if (!sum || *sum > byte_budget_)
                return Error{ErrorCode::TooLarge,
                             "its tensors need more than the " + byteText(byte_budget_) +
                                 " of memory there are (tensor '" + entry.info.name +
                                 "' of shape " + shapeText(entry.info.shape) +
                                 " no longer fits); choose a smaller model"};
            total = *sum;
        }
        return {};
    }

    const InputFile& bytes_;
    std::size_t byte_budget_;
    std::vector<Entry> entries_;
    Texts texts_;
    std::unordered_set<haddr_t> seen_; ///< datasets, which may have several names
    std::size_t stored_bytes_ = 0;     ///< of all datasets, each once
};

} // namespace

Result<std::unique_ptr<TensorSource>> openHdf5Source(const InputFile& bytes,
                                                     std::size_t byte_budget) {
    const auto lock = lockHdf5();
    try {
        return Hdf5Opening(bytes, byte_budget).run();
    } catch (const std::bad_alloc&) {
        return cannotOpen(ErrorCode::TooLarge, bytes.path(), "memory is used up");
    }
}

} // namespace headscope
