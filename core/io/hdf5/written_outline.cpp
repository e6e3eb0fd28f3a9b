#include "core/io/hdf5/written_outline.h"

#include "core/io/file_error.h"
#include "core/io/sealed/reader_process.h"

#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace headscope {

namespace {

StoredType storedTypeFor(FloatFormat format) {
    switch (format) {
    case FloatFormat::Float16:
        return StoredType::Float16;
    case FloatFormat::BFloat16:
        return StoredType::BFloat16;
    case FloatFormat::Float32:
        break;
    }
    return StoredType::Float32;
}

bool isAsTold(const DatasetDescription& found, const StreamedArray& told) {
    return found.shape == told.shape && found.type == storedTypeFor(told.format) &&
           !found.big_endian;
}

bool liesAt(const DatasetDescription& found, std::size_t offset) {
    const auto* const place = std::get_if<ContiguousStorage>(&found.storage);
    return place != nullptr && place->offset == offset;
}

Error otherThanTold(const std::filesystem::path& shown, const std::string& what) {
    return cannotWrite(shown, "HDF5 has written " + what +
                                  " in another way than it was told to; please report this");
}

} // namespace

Result<void> checkOutline(const InputFile& outline, std::span<const StreamedArray> arrays,
                          std::span<const Extent> extents,
                          std::span<const Hdf5Attribute> attributes,
                          const std::filesystem::path& shown) {
    const auto answer = askReader(outline, Parser::Hdf5, {});
    const auto* const refusal = answer ? std::get_if<Refusal>(&*answer) : nullptr;
    if (!answer || refusal != nullptr) {
        const Error& why = refusal != nullptr ? refusal->reason : answer.error();
        return why.code == ErrorCode::Unreadable ? Result<void>() : otherThanTold(shown, "a file");
    }
    const auto* const found = std::get_if<Hdf5Description>(&*answer);
    if (found == nullptr)
        return otherThanTold(shown, "a file");
    std::map<std::string_view, const DatasetDescription*> by_path;
    for (const DatasetDescription& dataset : found->datasets)
        by_path.emplace(dataset.path, &dataset);
    for (const StreamedArray& array : arrays)
        if (const auto at = by_path.find(array.name);
            at == by_path.end() || !isAsTold(*at->second, array))
            return otherThanTold(shown, "array '" + array.name + "'");
    for (const Extent& extent : extents)
        if (const std::string& name = arrays[extent.array].name;
            !liesAt(*by_path.at(name), extent.offset))
            return otherThanTold(shown, "the numbers of array '" + name + "'");
    for (const Hdf5Attribute& attribute : attributes)
        if (const auto text = found->texts.find(attribute.name);
            text == found->texts.end() || text->second != attribute.text)
            return otherThanTold(shown, "the text '" + attribute.name + "'");
    return {};
}

} // namespace headscope
