#include "core/io/hdf5/written_outline.h"

#include "core/io/file_error.h"
#include "core/io/sealed/file_description.h"
#include "core/io/sealed/reader_process.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope {

namespace {

StoredType storedTypeFor(WrittenType type) {
    switch (type) {
    case WrittenType::Float16:
        return StoredType::Float16;
    case WrittenType::BFloat16:
        return StoredType::BFloat16;
    case WrittenType::Float32:
        return StoredType::Float32;
    case WrittenType::Float64:
        return StoredType::Float64;
    case WrittenType::Int32:
    case WrittenType::Int64:
        return StoredType::Integer;
    case WrittenType::Text:
        break;
    }
    return StoredType::Other;
}

bool isAsTold(const DatasetDescription& found, const PlannedArray& told) {
    return found.shape == told.shape && found.type == storedTypeFor(told.type) && !found.big_endian;
}

bool hasChunksAt(const ChunkedStorage& found, const PlannedArray& told,
                 const std::vector<BytePlace>& places) {
    const std::vector filters{ChunkFilter::Shuffle, ChunkFilter::Deflate};
    return !told.packed_bytes.empty() && found.chunk_shape == told.chunk_shape &&
           found.filters == filters &&
           std::ranges::equal(found.places, places,
                              [](const ChunkPlace& chunk, const BytePlace& place) {
                                  return chunk.offset == place.offset &&
                                         chunk.bytes == place.bytes && chunk.skipped_filters == 0;
                              });
}

bool liesAt(const DatasetDescription& found, const PlannedArray& told,
            const std::vector<BytePlace>& places) {
    if (places.empty() || places.front().bytes == 0)
        return true;
    if (const auto* const chunks = std::get_if<ChunkedStorage>(&found.storage))
        return hasChunksAt(*chunks, told, places);
    const auto* const piece = std::get_if<ContiguousStorage>(&found.storage);
    return piece != nullptr && told.chunk_shape.empty() && piece->offset == places.front().offset;
}

Error otherThanTold(const std::filesystem::path& shown, const std::string& what) {
    return cannotWrite(shown, "HDF5 has written " + what +
                                  " in another way than it was told to; please report this");
}

} // namespace

Result<void> checkOutline(const InputFile& outline, const Hdf5Plan& plan, const Hdf5Layout& layout,
                          const std::filesystem::path& shown) {
    const auto answer = askReader(outline, Parser::Hdf5, {});
    const auto* const found = answer ? std::get_if<Hdf5Description>(&*answer) : nullptr;
    if (found == nullptr)
        return otherThanTold(shown, "a file");
    std::map<std::string_view, const DatasetDescription*> by_path;
    for (const DatasetDescription& dataset : found->datasets)
        by_path.emplace(dataset.path, &dataset);
    for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
        const PlannedArray& array = plan.arrays[i];
        const auto at = by_path.find(array.path);
        if (at == by_path.end() || !isAsTold(*at->second, array))
            return otherThanTold(shown, "array '" + array.path + "'");
        if (!liesAt(*at->second, array, layout.places[i]))
            return otherThanTold(shown, "the numbers of array '" + array.path + "'");
    }
    for (const auto& [name, written] : plan.texts)
        if (const auto text = found->texts.find(name);
            text == found->texts.end() || text->second != written)
            return otherThanTold(shown, "the text '" + name + "'");
    return {};
}

} // namespace headscope
