#include "core/io/reader/hdf5_listing.h"

#include "core/base/text.h"
#include "core/io/hdf5/hdf5_library.h"
#include "core/io/reader/hdf5_dataset.h"
#include "core/io/reader/hdf5_text.h"
#include "core/io/reader/hdf5_tree.h"
#include "core/io/reader/hdf5_types.h"

#include <new>
#include <utility>

namespace headscope {

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

} // namespace

ReaderAnswer describeHdf5(const FilePart& file) {
    const auto lock = lockHdf5();
    registerRawHeapReferences();
    try {
        const Hdf5Handle handle = openHdf5(file);
        if (!handle)
            return Refusal{
                {ErrorCode::Malformed, "it is an HDF5 file that is damaged or cut short (" +
                                           byteText(file.bytes) + "); download or copy it again"},
                ""};
        return Hdf5Listing(file, handle.id()).run();
    } catch (const std::bad_alloc&) {
        return Refusal{{ErrorCode::TooLarge, "its description takes more memory than a file of " +
                                                 byteText(file.bytes) +
                                                 " can need; save the tensors again"},
                       ""};
    }
}

} // namespace headscope
