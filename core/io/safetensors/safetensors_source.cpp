#include "core/io/safetensors/safetensors_source.h"

#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/io/file_error.h"
#include "core/io/files/tensor_reading.h"
#include "core/io/sealed/reader_process.h"
#include "core/io/sealed_json.h"
#include "core/io/slabs.h"
#include "core/io/tensor_source.h"
#include "core/tensor/tensor.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// One tensor of a safetensors file.
struct SafetensorsEntry {
    std::string name;
    const NumberFormat* format = nullptr;
    Shape shape;
    std::size_t offset = 0; ///< in the file
    std::size_t bytes = 0;
};

struct SafetensorsHeader {
    std::vector<SafetensorsEntry> tensors; ///< sorted by name
    std::map<std::string, std::string, std::less<>> metadata;
};

constexpr std::size_t kLengthBytes = 8;
/// As in the reference implementation.
constexpr std::size_t kMaxHeaderBytes = 100'000'000;
constexpr std::size_t kMaxTensorRank = 8;
/// An object of tensors, each an object with arrays; those of 200,000 have room.
constexpr JsonLimits kHeaderLimits{.depth = 4, .values = 10'000'000, .unique_keys = true};

Error malformed(const std::string& reason) {
    return {ErrorCode::Malformed, reason + "; download or save the file again"};
}

Result<std::string> readHeaderText(const InputFile& file) {
    std::array<std::byte, kLengthBytes> length{};
    if (const auto read = file.readAt(0, length); !read || *read < length.size())
        return malformed("it is too short for a safetensors file");
    const std::uint64_t bytes = littleEndian(length);
    if (bytes > kMaxHeaderBytes)
        return Error{ErrorCode::TooLarge, "its header claims " + byteText(bytes) +
                                              ", expected at most " + byteText(kMaxHeaderBytes) +
                                              "; download or save the file again"};
    if (bytes > file.size() - kLengthBytes)
        return malformed("its header claims " + byteText(bytes) + " of a file of " +
                         byteText(file.size()));
    std::string text(bytes, '\0');
    if (const auto read = file.readAt(kLengthBytes, std::as_writable_bytes(std::span(text)));
        !read || *read < text.size())
        return malformed("its header cannot be read");
    if (!text.starts_with('{'))
        return malformed("its header does not begin with '{', as the format asks for");
    return text;
}

/// An array of whole numbers.
std::optional<std::vector<std::size_t>> sizesOf(JsonValue value) {
    if (!value.isArray())
        return std::nullopt;
    std::vector<std::size_t> sizes;
    for (const JsonValue element : value.elements()) {
        const auto size = element.whole();
        if (!size)
            return std::nullopt;
        sizes.push_back(*size);
    }
    return sizes;
}

/// The parts of one tensor's description, of the right types.
Result<SafetensorsEntry> describe(const std::string& name, JsonValue value) {
    const JsonValue type = value.member("dtype");
    const auto shape = sizesOf(value.member("shape"));
    const auto offsets = sizesOf(value.member("data_offsets"));
    if (!shape || !offsets || offsets->size() != 2 || type.text() == nullptr)
        return malformed("it is described by " + value.dump().substr(0, 100) +
                         ", expected \"dtype\", \"shape\" and two \"data_offsets\"");
    if (shape->size() > kMaxTensorRank)
        return Error{ErrorCode::Unsupported,
                     "it has " + std::to_string(shape->size()) + " dimensions, expected at most " +
                         std::to_string(kMaxTensorRank) + "; save the tensors again"};
    const std::string& type_name = *type.text();
    const NumberFormat* const format = numberFormat(type_name);
    if (format == nullptr)
        return Error{ErrorCode::Unsupported, "its dtype '" + type_name.substr(0, 100) +
                                                 "' is unknown, expected F64, F32, F16 or BF16; "
                                                 "save it as one of these"};
    if ((*offsets)[0] > (*offsets)[1])
        return malformed("its data_offsets " + shapeText(*offsets) + " run backwards");
    return SafetensorsEntry{name, format, *shape, (*offsets)[0], (*offsets)[1] - (*offsets)[0]};
}

/// Bytes that a shape needs in a format; nothing when they have no place in 64 bits or are no whole
/// bytes.
std::optional<std::size_t> bytesOf(const Shape& shape, const NumberFormat& format) {
    const auto elements = checkedProduct(shape);
    const auto bits = elements ? checkedMultiply(*elements, format.bits) : std::nullopt;
    return bits && *bits % 8 == 0 ? std::optional(*bits / 8) : std::nullopt;
}

Result<SafetensorsEntry> parseEntry(const std::string& name, JsonValue value) {
    auto entry = describe(name, value);
    if (!entry)
        return entry;
    const auto bytes = bytesOf(entry->shape, *entry->format);
    if (!bytes)
        return malformed("its shape " + shapeText(entry->shape) + " of " +
                         std::string(entry->format->name) + " gives no number of bytes");
    if (*bytes != entry->bytes)
        return malformed("its shape " + shapeText(entry->shape) + " of " +
                         std::string(entry->format->name) + " needs " + std::to_string(*bytes) +
                         " bytes, and its data_offsets span " + std::to_string(entry->bytes));
    return entry;
}

Result<std::map<std::string, std::string, std::less<>>> parseMetadata(JsonValue value) {
    std::map<std::string, std::string, std::less<>> texts;
    for (const auto& [key, item] : value.members())
        if (const std::string* const text = item.text())
            texts.emplace(key, *text);
    if (!value.isObject() || texts.size() != value.size())
        return malformed("its \"__metadata__\" holds more than texts");
    return texts;
}

/// The tensors must follow each other without hole or overlap and end with the file.
Result<void> checkCoverage(std::vector<SafetensorsEntry>& tensors, std::size_t data_bytes) {
    std::ranges::sort(tensors, {}, [](const SafetensorsEntry& entry) {
        return std::pair(entry.offset, entry.bytes);
    });
    std::size_t end = 0;
    for (const SafetensorsEntry& entry : tensors) {
        if (entry.offset != end)
            return malformed("tensor '" + entry.name + "' begins at byte " +
                             std::to_string(entry.offset) + " of the data, where " +
                             (entry.offset > end ? "a hole" : "another tensor") +
                             " lies before it, expected " + std::to_string(end));
        end += entry.bytes;
    }
    if (end != data_bytes)
        return malformed("its tensors fill " + std::to_string(end) + " bytes, and " +
                         std::to_string(data_bytes) + " follow the header");
    return {};
}

Result<void> addItem(const std::string& name, JsonValue value, SafetensorsHeader& header) {
    if (name == "__metadata__") {
        auto metadata = parseMetadata(value);
        if (!metadata)
            return metadata.error();
        header.metadata = *std::move(metadata);
        return {};
    }
    if (name.empty() || name.size() > kMaxTensorNameBytes)
        return malformed("a name in it has " + std::to_string(name.size()) +
                         " bytes, expected 1 to " + std::to_string(kMaxTensorNameBytes));
    auto entry = parseEntry(name, value);
    if (!entry)
        return Error{entry.error().code, "in tensor '" + name + "' " + entry.error().message};
    header.tensors.push_back(*std::move(entry));
    return {};
}

/// Reads and checks everything but the numbers: u64 length of the header, little-endian; the
/// header, a JSON object; the tensors without hole or overlap up to the very end of the file. Error
/// messages are reasons.
Result<SafetensorsHeader> readSafetensorsHeader(const InputFile& file) {
    const auto text = readHeaderText(file);
    if (!text)
        return text.error();
    const auto document = readForeignJson(*text, kHeaderLimits);
    if (!document)
        return aboutText(document.error(), "its header", "download or save the file again", "");
    if (!document->root().isObject())
        return malformed("its header is no JSON object");
    SafetensorsHeader header;
    for (const auto& [name, value] : document->root().members())
        if (auto added = addItem(std::string(name), value, header); !added)
            return added.error();
    const std::size_t data_start = kLengthBytes + text->size();
    if (auto good = checkCoverage(header.tensors, file.size() - data_start); !good)
        return good.error();
    for (SafetensorsEntry& entry : header.tensors)
        entry.offset += data_start;
    std::ranges::sort(header.tensors, {}, &SafetensorsEntry::name);
    return header;
}

TensorInfo infoOf(const SafetensorsEntry& entry) {
    TensorInfo info{entry.name, entry.shape, entry.format->type, entry.bytes};
    if (info.type == StoredType::Other)
        info.format = entry.format->name;
    return info;
}

class SafetensorsSource final : public TensorSource {
public:
    SafetensorsSource(InputFile file, SafetensorsHeader header)
        : file_(std::move(file)), header_(std::move(header)) {
        for (const SafetensorsEntry& entry : header_.tensors)
            tensors_.push_back(infoOf(entry));
    }

    const std::filesystem::path& path() const override { return file_.path(); }
    std::vector<const InputFile*> openFiles() const override { return {&file_}; }
    std::span<const TensorInfo> tensors() const override { return tensors_; }
    std::vector<std::string> notes() const override { return sealNotes(); }

    std::optional<std::string> text(std::string_view key) const override {
        const auto found = header_.metadata.find(key);
        return found == header_.metadata.end() ? std::nullopt : std::optional(found->second);
    }

    Result<void> read(const TensorInfo& tensor, NumberTarget target,
                      std::stop_token stop) const override {
        const auto index = indexForReading(*this, tensor, target);
        if (!index)
            return index.error();
        try {
            if (auto done = readEntry(header_.tensors[*index], target, stop); !done)
                return cannotRead(path(), tensor.name, done.error());
        } catch (const std::bad_alloc&) {
            return cannotRead(path(), tensor.name, {ErrorCode::TooLarge, "memory is used up"});
        }
        return {};
    }

private:
    Result<void> readEntry(const SafetensorsEntry& entry, const NumberTarget& target,
                           const std::stop_token& stop) const {
        if (target.isWords())
            return readAsStored(entry, target.words, stop);
        if (entry.format->type == StoredType::Float32)
            return readAsStored(entry, target.floats, stop);
        if (entry.format->widen == nullptr)
            return Error{ErrorCode::Unsupported, "it holds " + std::string(entry.format->name) +
                                                     " numbers, expected F64, F32, F16 or BF16; "
                                                     "choose a version of the model that is not "
                                                     "quantised"};
        const std::size_t word = entry.format->bits / 8;
        std::vector<std::byte> words;
        return forEachSlab(target.size(), word, stop,
                           [&](std::size_t first, std::size_t count) -> Result<void> {
                               words.resize(count * word);
                               if (auto read = readBytes(entry.offset + first * word, words); !read)
                                   return read;
                               entry.format->widen(words, target.floats.subspan(first, count));
                               return {};
                           });
    }

    template <class Number>
    Result<void> readAsStored(const SafetensorsEntry& entry, std::span<Number> target,
                              const std::stop_token& stop) const {
        return forEachSlab(
            target.size(), sizeof(Number), stop, [&](std::size_t first, std::size_t count) {
                return readBytes(entry.offset + first * sizeof(Number),
                                 std::as_writable_bytes(target.subspan(first, count)));
            });
    }

    Result<void> readBytes(std::size_t offset, std::span<std::byte> target) const {
        const auto count = file_.readAt(offset, target);
        if (!count || *count < target.size())
            return Error{ErrorCode::Unreadable,
                         "its numbers cannot be read; the file has changed or its disk fails"};
        return {};
    }

    InputFile file_;
    SafetensorsHeader header_;
    std::vector<TensorInfo> tensors_; ///< in the order of the header's
};

} // namespace

Result<std::unique_ptr<TensorSource>> openSafetensorsSource(InputFile file,
                                                            std::size_t byte_budget) {
    const std::filesystem::path path = file.path();
    try {
        auto header = readSafetensorsHeader(file);
        if (!header)
            return cannotOpen(header.error().code, path, header.error().message);
        auto source = std::make_unique<SafetensorsSource>(std::move(file), *std::move(header));
        TensorBudget budget(byte_budget);
        for (const TensorInfo& tensor : source->tensors())
            if (auto fits = budget.take(tensor); !fits)
                return cannotOpen(fits.error().code, path, fits.error().message);
        return std::unique_ptr<TensorSource>(std::move(source));
    } catch (const std::bad_alloc&) {
        return cannotOpen(ErrorCode::TooLarge, path, "memory is used up");
    }
}

} // namespace headscope
