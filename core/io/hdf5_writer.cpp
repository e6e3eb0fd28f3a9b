#include "core/io/hdf5_writer.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/io/atomic_file.h"
#include "core/io/file_error.h"
#include "core/io/files/new_path.h"
#include "core/io/files/open_file.h"
#include "core/io/hdf5/written_chunks.h"
#include "core/io/hdf5/written_outline.h"
#include "core/io/sealed/hdf5_layout.h"
#include "core/io/sealed/reader_process.h"
#include "core/io/sealed/wire.h"
#include "core/io/slabs.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <new>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace headscope {

namespace {

namespace fs = std::filesystem;

/// The numbers of one place of an array.
struct Extent {
    std::size_t array = 0;
    std::size_t part = 0; ///< of its chunks
    std::size_t offset = 0;
    std::size_t bytes = 0;
};
using ProducePart = std::function<Result<void>(const Extent& extent, const AppendBytes& append)>;

/// A file in which only the numbers are missing. It lives in memory, where what is missing takes no
/// room.
struct Outline {
    InputFile file;
    Hdf5Layout layout;

    /// By offset.
    std::vector<Extent> extents() const {
        std::vector<Extent> all;
        for (std::size_t array = 0; array < layout.places.size(); ++array)
            for (std::size_t part = 0; part < layout.places[array].size(); ++part)
                if (const BytePlace& place = layout.places[array][part]; place.bytes > 0)
                    all.push_back({array, part, place.offset, place.bytes});
        std::ranges::sort(all, {}, &Extent::offset);
        return all;
    }
};

/// A file in memory counts as a file: where these are limited, that is the likely reason.
Error cannotHold(const fs::path& shown) {
    rlimit limit{};
    const bool limited = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? cannotWrite(shown, EFBIG)
                   : cannotWrite(shown, "there is no room for it in memory; free some memory");
}

Result<Hdf5Layout> askForLayout(const fs::path& shown, const Hdf5Plan& plan) {
    const auto file =
        InputFile::inMemory(shown, [&](const auto& append) { return append(encodePlan(plan)); });
    if (!file)
        return cannotHold(shown);
    auto answer = askReader(*file, Parser::Hdf5Plan, {});
    if (!answer)
        return cannotWrite(shown, answer.error().message);
    if (const auto* const refusal = std::get_if<Refusal>(&*answer))
        return cannotWrite(shown, refusal->reason.message);
    auto* const layout = std::get_if<Hdf5Layout>(&*answer);
    if (layout == nullptr)
        return cannotWrite(shown, "its layout is none; please report this");
    if (auto good = checkLayout(plan, *layout); !good)
        return cannotWrite(shown, good.error().message + "; please report this");
    return std::move(*layout);
}

Result<void> writeRest(const Hdf5Layout& layout, OutputFile& to) {
    std::uint64_t end = 0;
    for (const BytesAt& part : layout.rest) {
        if (auto done = to.appendAt(part.offset, part.bytes); !done)
            return done;
        end = part.offset + part.bytes.size();
    }
    constexpr std::array last{std::byte{}};
    return end < layout.bytes ? to.appendAt(layout.bytes - 1, last) : Result<void>();
}

Result<Outline> makeOutline(const fs::path& shown, const Hdf5Plan& plan) {
    auto layout = askForLayout(shown, plan);
    if (!layout)
        return layout.error();
    auto memory = InputFile::inMemory(shown, [](const auto&) { return Result<void>(); });
    if (!memory)
        return cannotHold(shown);
    auto file = OutputFile::open(memory->pathToOpen(), shown);
    if (!file)
        return file.error();
    if (auto written = writeRest(*layout, *file); !written)
        return written.error();
    memory->measure();
    return Outline{*std::move(memory), *std::move(layout)};
}

Result<void> copyBytes(const InputFile& from, std::size_t begin, std::size_t end, OutputFile& to) {
    std::vector<std::byte> buffer(std::min(kSlabBytes, end - begin));
    return forEachSlab(end - begin, 1, {},
                       [&](std::size_t first, std::size_t count) -> Result<void> {
                           const auto slab = std::span(buffer).first(count);
                           if (auto read = from.readAt(begin + first, slab); !read)
                               return read.error();
                           return to.append(slab);
                       });
}

/// `produce` must give as many bytes as the extent has.
Result<void> appendPart(const Extent& extent, const ProducePart& produce, const AppendBytes& to,
                        const fs::path& shown) {
    std::size_t left = extent.bytes;
    const auto append = [&](std::span<const std::byte> bytes) -> Result<void> {
        if (bytes.size() > left)
            return cannotWrite(shown, "an array has more numbers than its shape says");
        left -= bytes.size();
        return to(bytes);
    };
    if (auto done = produce(extent, append); !done)
        return done;
    if (left > 0)
        return cannotWrite(shown, "an array has fewer numbers than its shape says");
    return {};
}

/// From the first byte to the last: the outline, and the numbers in their places.
Result<void> writeThrough(const Outline& outline, const ProducePart& produce, const fs::path& path,
                          const fs::path& shown) {
    auto file = OutputFile::open(path, shown);
    if (!file)
        return file.error();
    const auto append = [&](std::span<const std::byte> bytes) { return file->append(bytes); };
    std::size_t position = 0;
    for (const Extent& extent : outline.extents()) {
        if (auto copied = copyBytes(outline.file, position, extent.offset, *file); !copied)
            return copied;
        if (auto written = appendPart(extent, produce, append, shown); !written)
            return written;
        position = extent.offset + extent.bytes;
    }
    const std::size_t end = std::max(outline.file.size(), position);
    if (auto copied = copyBytes(outline.file, position, end, *file); !copied)
        return copied;
    return file->close();
}

Result<void> checkRoom(const fs::path& path, std::size_t bytes) {
    std::error_code failure;
    const fs::path folder = folderOf(path);
    const fs::space_info space = fs::space(folder, failure);
    if (!failure && space.available < bytes)
        return cannotWrite(path, "it needs " + byteText(bytes) + ", and only " +
                                     byteText(space.available) +
                                     " are free in its folder; free some space or choose another "
                                     "folder");
    return {};
}

Result<void> writeFile(const fs::path& path, const Outline& outline, const ProducePart& produce,
                       const InspectFile& inspect) {
    if (auto room = checkRoom(path, outline.file.size()); !room)
        return room;
    return writeFileAtomically(path, [&](const fs::path& temporary) -> Result<void> {
        if (auto written = writeThrough(outline, produce, temporary, path); !written)
            return written;
        return inspect ? inspect(temporary) : Result<void>();
    });
}

Result<void> addTexts(const fs::path& path, std::span<const Hdf5Attribute> attributes,
                      Hdf5Plan& plan) {
    for (const Hdf5Attribute& attribute : attributes) {
        if (attribute.text.find('\0') != std::string::npos)
            return Error{ErrorCode::InvalidArgument,
                         "Cannot write '" + path.string() + "': the text of attribute '" +
                             attribute.name + "' holds a zero byte, which HDF5 texts cannot."};
        plan.texts.emplace_back(attribute.name, attribute.text);
    }
    return {};
}

// Arrays whose numbers are in memory.

bool valid(const Hdf5Array& array) {
    const auto elements = checkedProduct(array.shape);
    const auto size = std::visit([](const auto& values) { return values.size(); }, array.values);
    return elements && *elements == size;
}

/// The values of an array as they are in the file.
struct StoredValues {
    WrittenType type = WrittenType::Float32;
    std::size_t element_bytes = 0;
    std::span<const std::byte> numbers;
    std::string padded; ///< all texts, each as long as the longest

    std::span<const std::byte> bytes() const {
        return type == WrittenType::Text ? std::as_bytes(std::span(padded)) : numbers;
    }
};

struct ValuesForHdf5 {
    StoredValues operator()(std::span<const float> numbers) const {
        return {WrittenType::Float32, 4, std::as_bytes(numbers), {}};
    }
    StoredValues operator()(std::span<const double> numbers) const {
        return {WrittenType::Float64, 8, std::as_bytes(numbers), {}};
    }
    StoredValues operator()(std::span<const std::int32_t> numbers) const {
        return {WrittenType::Int32, 4, std::as_bytes(numbers), {}};
    }
    StoredValues operator()(std::span<const std::int64_t> numbers) const {
        return {WrittenType::Int64, 8, std::as_bytes(numbers), {}};
    }
    StoredValues operator()(std::span<const std::string> texts) const {
        std::size_t longest = 1; // HDF5 has no text of no length
        for (const std::string& text : texts)
            longest = std::max(longest, text.size());
        StoredValues values{WrittenType::Text, longest, {}, {}};
        for (const std::string& text : texts)
            values.padded.append(text).append(longest - text.size(), '\0');
        return values;
    }
};

Result<void> writeArrays(const fs::path& path, std::span<const Hdf5Array> arrays, Hdf5Plan plan) {
    std::vector<StoredValues> values;
    for (const Hdf5Array& array : arrays) {
        const StoredValues& stored = values.emplace_back(std::visit(ValuesForHdf5(), array.values));
        plan.arrays.push_back({array.path, array.shape, stored.type, stored.element_bytes,
                               chunkShape(array.shape, stored.element_bytes)});
    }
    const auto outline = makeOutline(path, plan);
    if (!outline)
        return outline.error();
    const auto produce = [&](const Extent& extent, const AppendBytes& append) {
        const PlannedArray& array = plan.arrays[extent.array];
        const auto bytes = values[extent.array].bytes();
        if (array.chunk_shape.empty())
            return append(bytes);
        return append(chunkBytes(array, bytes, extent.part));
    };
    return writeFile(path, *outline, produce, {});
}

} // namespace

Result<void> writeHdf5(const fs::path& path, std::span<const Hdf5Array> arrays,
                       std::span<const Hdf5Attribute> attributes) {
    for (const Hdf5Array& array : arrays)
        if (!valid(array))
            return Error{ErrorCode::InvalidArgument,
                         "Cannot write '" + path.string() + "': array '" + array.path +
                             "' has not as many values as its shape says."};
    try {
        Hdf5Plan plan;
        if (auto added = addTexts(path, attributes, plan); !added)
            return added;
        return writeArrays(path, arrays, std::move(plan));
    } catch (const std::bad_alloc&) {
        return cannotWrite(path, "memory is used up; write less at a time");
    }
}

namespace {

WrittenType writtenType(FloatFormat format) {
    switch (format) {
    case FloatFormat::Float16:
        return WrittenType::Float16;
    case FloatFormat::BFloat16:
        return WrittenType::BFloat16;
    case FloatFormat::Float32:
        break;
    }
    return WrittenType::Float32;
}

/// Less is packed into hardly fewer bytes than HDF5's list of its chunks takes.
constexpr std::size_t kLeastToPack = std::size_t{16} << 10;

bool isWorthPacking(const StreamedArray& array) {
    return array.packed && !array.shape.empty() &&
           elementCount(array.shape) * bytesPerNumber(array.format) >= kLeastToPack;
}

/// Packed chunks in a file of their own: HDF5 must know how many bytes each has before it lays out
/// any.
struct PackedChunks {
    InputFile file;
    std::vector<std::vector<BytePlace>> places; ///< [array, chunk]
};

/// Packs the arrays for which that is worth while, and says so in their plan. The file with the
/// chunks is on the disk of `path` and goes with the last who has it open.
Result<PackedChunks> packChunks(const fs::path& path, std::span<const StreamedArray> arrays,
                                const ProduceArray& produce, Hdf5Plan& plan) {
    const auto scratch = NewPath::file(path, path);
    if (!scratch)
        return scratch.error();
    auto out = OutputFile::open(scratch->path(), path);
    if (!out)
        return out.error();
    std::vector<std::vector<BytePlace>> places(arrays.size());
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (!isWorthPacking(arrays[i]))
            continue;
        PlannedArray& array = plan.arrays[i];
        array.chunk_shape = chunkShape(array.shape, array.element_bytes);
        ChunkPacker packer(array, *out, end);
        const Extent whole{i, 0, 0, elementCount(array.shape) * array.element_bytes};
        const auto all = [&](const Extent& extent, const AppendBytes& append) {
            return produce(extent.array, append);
        };
        const auto pack = [&](std::span<const std::byte> bytes) { return packer.append(bytes); };
        if (auto packed = appendPart(whole, all, pack, path); !packed)
            return packed.error();
        places[i] = std::move(packer).places();
        for (const BytePlace& place : places[i])
            array.packed_bytes.push_back(place.bytes);
        end = places[i].back().offset + places[i].back().bytes;
    }
    if (auto closed = out->close(); !closed)
        return closed.error();
    auto file = InputFile::open(scratch->path());
    if (!file)
        return file.error();
    return PackedChunks{*std::move(file), std::move(places)};
}

Result<void> appendPacked(const PackedChunks& packed, const Extent& extent,
                          const AppendBytes& append) {
    const BytePlace& place = packed.places[extent.array][extent.part];
    Bytes chunk(place.bytes);
    const auto read = packed.file.readAt(place.offset, chunk);
    return read ? append(std::span(chunk).first(*read)) : read.error();
}

} // namespace

Result<void> writeHdf5Streamed(const fs::path& path, std::span<const StreamedArray> arrays,
                               std::span<const Hdf5Attribute> attributes,
                               const ProduceArray& produce, const InspectFile& inspect) {
    Hdf5Plan plan;
    for (const StreamedArray& array : arrays)
        plan.arrays.push_back(
            {array.name, array.shape, writtenType(array.format), bytesPerNumber(array.format), {}});
    if (auto added = addTexts(path, attributes, plan); !added)
        return added;
    std::optional<PackedChunks> packed;
    if (std::ranges::any_of(arrays, isWorthPacking)) {
        auto chunks = packChunks(path, arrays, produce, plan);
        if (!chunks)
            return chunks.error();
        packed = *std::move(chunks);
    }
    const auto outline = makeOutline(path, plan);
    if (!outline)
        return outline.error();
    if (auto good = checkOutline(outline->file, plan, outline->layout, path); !good)
        return good;
    const auto produce_part = [&](const Extent& extent, const AppendBytes& append) {
        if (!plan.arrays[extent.array].packed_bytes.empty())
            return appendPacked(*packed, extent, append);
        return produce(extent.array, append);
    };
    return writeFile(path, *outline, produce_part, inspect);
}

} // namespace headscope
