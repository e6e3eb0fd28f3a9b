#include "core/io/reader/hdf5/hdf5_text.h"

#include "core/base/text.h"
#include "core/io/files/tensor_reading.h"
#include "core/io/reader/hdf5/hdf5_library.h"

#include <algorithm>
#include <span>
#include <vector>

namespace headscope {

namespace {

constexpr std::size_t kHeaderBytes = 16; ///< of a collection, and of each object in it

Error damagedHeap() {
    return {ErrorCode::Malformed, "the text cannot be read; download or copy the file again"};
}

/// HDF5 calls this to turn texts of variable length into opaque words of the same size: they are
/// left alone.
herr_t keepReferences(hid_t from, hid_t to, H5T_cdata_t* conversion, std::size_t, std::size_t,
                      std::size_t, void*, void*, hid_t) {
    if (conversion->command != H5T_CONV_INIT)
        return 0;
    conversion->need_bkg = H5T_BKG_NO;
    const bool possible = H5Tis_variable_str(from) > 0 &&
                          H5Tget_size(from) == sizeof(RawHeapReference) &&
                          H5Tget_size(to) == sizeof(RawHeapReference);
    return possible ? 0 : -1;
}

/// A whole collection: "GCOL", version 1, three bytes unused, u64 size, then the objects.
Result<std::vector<std::byte>> readCollection(const FilePart& file, std::size_t offset) {
    std::array<std::byte, kHeaderBytes> header;
    const std::size_t header_bytes = readPart(file, offset, header);
    const std::uint64_t size = littleEndian(std::span(header).subspan<8, 8>());
    constexpr std::array<std::byte, 5> signature{std::byte{'G'}, std::byte{'C'}, std::byte{'O'},
                                                 std::byte{'L'}, std::byte{1}};
    const bool known = std::equal(signature.begin(), signature.end(), header.begin());
    if (header_bytes < kHeaderBytes || !known || size < kHeaderBytes || size > file.bytes)
        return damagedHeap();
    if (size > 2 * kMaxTextBytes)
        return textTooLong(size);
    std::vector<std::byte> collection(size);
    if (readPart(file, offset, collection) < collection.size())
        return damagedHeap();
    return collection;
}

/// The bytes of one object. Each has u16 number, u16 count, u32 unused, u64 size, then its bytes up
/// to a multiple of 8; number 0 is the free rest.
Result<std::span<const std::byte>> findObject(std::span<const std::byte> collection,
                                              std::uint64_t number) {
    std::span<const std::byte> rest = collection.subspan(kHeaderBytes);
    while (rest.size() >= kHeaderBytes) {
        const std::uint64_t found = littleEndian(rest.first(2));
        const std::uint64_t size = littleEndian(rest.subspan(8, 8));
        rest = rest.subspan(kHeaderBytes);
        if (found == 0 || size > rest.size())
            break;
        if (found == number)
            return rest.first(size);
        rest = rest.subspan(std::min((size + 7) / 8 * 8, rest.size()));
    }
    return damagedHeap();
}

} // namespace

void registerRawHeapReferences() {
    const Hdf5Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(text.id(), H5T_VARIABLE);
    const Hdf5Handle raw(rawHeapReferenceType(), H5Tclose);
    H5Tregister(H5T_PERS_SOFT, "heap reference", text.id(), raw.id(), &keepReferences);
}

hid_t rawHeapReferenceType() {
    return H5Tcreate(H5T_OPAQUE, sizeof(RawHeapReference));
}

Result<std::string> readHeapText(const FilePart& file, std::size_t base,
                                 const RawHeapReference& reference) {
    const std::span<const std::byte> bytes(reference);
    const std::uint64_t length = littleEndian(bytes.first(4));
    const std::uint64_t address = littleEndian(bytes.subspan(4, 8));
    if (length == 0)
        return std::string();
    if (length > kMaxTextBytes)
        return textTooLong(length);
    if (base > file.bytes || address > file.bytes - base)
        return damagedHeap();
    const auto collection = readCollection(file, base + address);
    if (!collection)
        return collection.error();
    const auto object = findObject(*collection, littleEndian(bytes.subspan(12, 4)));
    if (!object)
        return object.error();
    if (object->size() < length)
        return damagedHeap();
    std::string text(reinterpret_cast<const char*>(object->data()), length);
    text.resize(std::min(text.size(), text.find('\0')));
    return text;
}

namespace {

constexpr std::size_t kMaxAttributes = 1000;

Error unreadable() {
    return {ErrorCode::Malformed, "the text cannot be read; download or copy the file again"};
}

/// What a fixed-length string means: without the padding of its kind.
std::string withoutPadding(std::string text, H5T_str_t padding) {
    if (padding == H5T_STR_NULLTERM)
        text.resize(std::min(text.size(), text.find('\0')));
    else
        text.resize(text.find_last_not_of(padding == H5T_STR_SPACEPAD ? ' ' : '\0') + 1);
    return text;
}

struct NameList {
    std::vector<std::string> names;
    bool too_many = false;
};

/// H5Aiterate calls this for each attribute; a positive result ends the walk.
herr_t collectName(hid_t, const char* name, const H5A_info_t*, void* data) {
    auto& list = *static_cast<NameList*>(data);
    list.too_many = list.names.size() == kMaxAttributes;
    if (list.too_many)
        return 1;
    list.names.emplace_back(name);
    return 0;
}

} // namespace

Error textTooLong(std::size_t bytes) {
    return {ErrorCode::TooLarge, "the text has " + byteText(bytes) + ", more than the " +
                                     byteText(kMaxTextBytes) + " that a text may have"};
}

TextReader::TextReader(hid_t file, const FilePart& bytes) : bytes_(bytes) {
    const Hdf5Handle creation(H5Fget_create_plist(file), H5Pclose);
    hsize_t user_block = 0;
    if (H5Pget_userblock(creation.id(), &user_block) >= 0)
        base_ = user_block;
}

/// `read` fetches the one string into memory of a given type and size.
template <class Read>
Result<std::string> TextReader::singleText(hid_t type, Read read) const {
    if (H5Tis_variable_str(type) > 0) {
        RawHeapReference reference;
        const Hdf5Handle raw(rawHeapReferenceType(), H5Tclose);
        if (!read(raw.id(), std::as_writable_bytes(std::span(reference))))
            return unreadable();
        return readHeapText(bytes_, base_, reference);
    }
    const std::size_t size = H5Tget_size(type);
    if (size > kMaxTextBytes)
        return textTooLong(size);
    std::string text(size, '\0');
    if (!read(type, std::as_writable_bytes(std::span(text))))
        return unreadable();
    return withoutPadding(std::move(text), H5Tget_strpad(type));
}

Result<std::optional<std::string>> TextReader::attributeText(hid_t object,
                                                             const std::string& name) const {
    const Hdf5Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
    const Hdf5Handle type(attribute ? H5Aget_type(attribute.id()) : -1, H5Tclose);
    const Hdf5Handle space(attribute ? H5Aget_space(attribute.id()) : -1, H5Sclose);
    if (!type || !space)
        return unreadable();
    if (H5Tget_class(type.id()) != H5T_STRING || H5Sget_simple_extent_npoints(space.id()) != 1)
        return std::optional<std::string>();
    auto text = singleText(type.id(), [&](hid_t memory_type, std::span<std::byte> target) {
        return H5Aread(attribute.id(), memory_type, target.data()) >= 0;
    });
    if (!text)
        return text.error();
    return std::optional(*std::move(text));
}

Result<Texts> TextReader::attributesOf(hid_t object) const {
    NameList list;
    const herr_t status =
        H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, &collectName, &list);
    if (list.too_many)
        return Error{ErrorCode::TooLarge, "it has more than " + std::to_string(kMaxAttributes) +
                                              " attributes; save it with fewer"};
    if (status < 0)
        return Error{ErrorCode::Malformed,
                     "its attributes are damaged; download or copy the file again"};
    Texts texts;
    for (const std::string& name : list.names) {
        auto text = attributeText(object, name);
        if (!text)
            return Error{text.error().code, "in attribute '" + name + "' " + text.error().message};
        if (*text)
            texts.emplace(name, **std::move(text));
    }
    return texts;
}

Result<std::optional<std::string>> TextReader::textOf(const Hdf5Dataset& dataset) const {
    if (H5Tget_class(dataset.type()) != H5T_STRING || dataset.elements() != 1 ||
        dataset.isChunked())
        return std::optional<std::string>();
    auto text = singleText(dataset.type(), [&](hid_t memory_type, std::span<std::byte> target) {
        return static_cast<bool>(dataset.readAs(memory_type, target));
    });
    if (!text)
        return text.error();
    return std::optional(*std::move(text));
}

} // namespace headscope
