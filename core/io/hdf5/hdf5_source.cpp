#include "core/io/hdf5/hdf5_source.h"

#include "core/base/text.h"
#include "core/io/file_error.h"
#include "core/io/files/tensor_reading.h"
#include "core/io/hdf5/hdf5_numbers.h"
#include "core/io/sealed/file_description.h"
#include "core/io/sealed/reader_process.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <unordered_set>
#include <utility>
#include <vector>

namespace headscope {

namespace {

namespace fs = std::filesystem;

std::string tensorName(std::string path) {
    std::ranges::replace(path, '/', '.');
    return path;
}

TensorInfo infoOf(const DatasetDescription& dataset) {
    return {tensorName(dataset.path), dataset.shape, dataset.type, storedBytes(dataset)};
}

class Hdf5Source final : public TensorSource {
public:
    /// `datasets` have passed checkDataset() and are sorted by the names of their tensors.
    Hdf5Source(Hdf5Input input, std::vector<DatasetDescription> datasets)
        : input_(std::move(input)), datasets_(std::move(datasets)) {
        std::ranges::transform(datasets_, std::back_inserter(tensors_), infoOf);
    }

    const fs::path& path() const override { return input_.bytes.path(); }
    std::span<const TensorInfo> tensors() const override { return tensors_; }

    std::vector<const InputFile*> openFiles() const override {
        return {input_.archive ? &*input_.archive : &input_.bytes};
    }

    std::vector<std::string> notes() const override { return sealNotes(); }

    std::optional<std::string> text(std::string_view key) const override {
        const auto found = input_.texts.find(key);
        return found == input_.texts.end() ? std::nullopt : std::optional(found->second);
    }

    Result<void> read(const TensorInfo& tensor, NumberTarget target,
                      std::stop_token stop) const override {
        const auto index = indexForReading(*this, tensor, target);
        if (!index)
            return index.error();
        try {
            if (auto done = readNumbers(input_.bytes, datasets_[*index], target, stop); !done)
                return cannotRead(path(), tensor.name, done.error());
        } catch (const std::bad_alloc&) {
            return cannotRead(path(), tensor.name, {ErrorCode::TooLarge, "memory is used up"});
        }
        return {};
    }

private:
    Hdf5Input input_;
    std::vector<DatasetDescription> datasets_;
    std::vector<TensorInfo> tensors_; ///< of the dataset with the same index
};

/// About the file, or about the tensor where it is named.
Error refused(const fs::path& path, const Refusal& refusal) {
    if (refusal.tensor.empty())
        return cannotOpen(refusal.reason.code, path, refusal.reason.message);
    return {refusal.reason.code, "Cannot open '" + path.string() + "', tensor '" +
                                     tensorName(refusal.tensor) + "': " + refusal.reason.message +
                                     "."};
}

/// Checks each dataset, and that all together are no more than the file and the memory hold.
Result<void> checkAll(const std::vector<DatasetDescription>& datasets, const fs::path& path,
                      std::size_t file_bytes, std::size_t byte_budget) {
    std::unordered_set<std::uint64_t> seen; // one array may have several names
    std::size_t stored_bytes = 0;
    TensorBudget budget(byte_budget);
    for (const DatasetDescription& dataset : datasets) {
        if (auto checked = checkDataset(dataset, file_bytes); !checked)
            return refused(path, {checked.error(), dataset.path});
        const TensorInfo info = infoOf(dataset);
        if (seen.insert(dataset.object).second)
            stored_bytes += info.stored_bytes;
        if (auto fits = budget.take(info); !fits)
            return cannotOpen(fits.error().code, path, fits.error().message);
    }
    if (stored_bytes > file_bytes)
        return cannotOpen(ErrorCode::Malformed, path,
                          "its tensors claim to be stored in " + byteText(stored_bytes) +
                              " of a file of " + byteText(file_bytes) + "; save the tensors again");
    return {};
}

/// By the names of the tensors, of which there may be no two alike.
Result<void> sortByName(std::vector<DatasetDescription>& datasets, const fs::path& path) {
    const auto name_of = [](const DatasetDescription& dataset) { return tensorName(dataset.path); };
    std::ranges::sort(datasets, {}, name_of);
    const auto twin = std::ranges::adjacent_find(datasets, {}, name_of);
    if (twin != datasets.end())
        return cannotOpen(ErrorCode::Malformed, path,
                          "it has two tensors named '" + name_of(*twin) +
                              "'; save the tensors again");
    return {};
}

Result<std::unique_ptr<TensorSource>> openDescribed(Hdf5Input input, Hdf5Description description,
                                                    std::size_t byte_budget) {
    const fs::path& path = input.bytes.path();
    std::vector<DatasetDescription>& datasets = description.datasets;
    if (auto sorted = sortByName(datasets, path); !sorted)
        return sorted.error();
    if (auto checked = checkAll(datasets, path, input.bytes.size(), byte_budget); !checked)
        return checked.error();
    input.texts.merge(std::move(description.texts));
    return std::unique_ptr<TensorSource>(
        std::make_unique<Hdf5Source>(std::move(input), std::move(datasets)));
}

} // namespace

Result<std::unique_ptr<TensorSource>> openHdf5Source(Hdf5Input input, std::size_t byte_budget,
                                                     const std::stop_token& stop) {
    const fs::path path = input.bytes.path();
    try {
        auto answer = askReader(input.bytes, Parser::Hdf5, stop);
        if (!answer)
            return cannotOpen(answer.error().code, path, answer.error().message);
        if (const auto* const refusal = std::get_if<Refusal>(&*answer))
            return refused(path, *refusal);
        auto* const description = std::get_if<Hdf5Description>(&*answer);
        if (description == nullptr)
            return cannotOpen(ErrorCode::Malformed, path,
                              "its reader answers for another kind of file; download or copy it "
                              "again");
        return openDescribed(std::move(input), std::move(*description), byte_budget);
    } catch (const std::bad_alloc&) {
        return cannotOpen(ErrorCode::TooLarge, path, "memory is used up");
    }
}

} // namespace headscope
