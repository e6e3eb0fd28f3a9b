#include "core/export/named_array.h"

#include "core/export/formats/numpy.h"
#include "core/export/formats/text_arrays.h"
#include "core/io/atomic_file.h"
#include "core/io/file_error.h"
#include "core/io/hdf5_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <functional>
#include <utility>

namespace headscope {

namespace {

constexpr std::string_view kInputIds = "input_ids";

constexpr std::array<std::pair<std::string_view, ArrayFormat>, 6> kExtensions{{
    {".npz", ArrayFormat::Npz},
    {".npy", ArrayFormat::Npy},
    {".h5", ArrayFormat::Hdf5},
    {".hdf5", ArrayFormat::Hdf5},
    {".csv", ArrayFormat::Csv},
    {".json", ArrayFormat::Json},
}};

/// The array a file of one array is about: the only one besides input_ids. Null when there are
/// several.
const NamedArray* soleArray(std::span<const NamedArray> arrays) {
    if (arrays.size() == 1)
        return &arrays[0];
    const auto wanted = [](const NamedArray& array) { return array.name != kInputIds; };
    if (std::ranges::count_if(arrays, wanted) != 1)
        return nullptr;
    return &*std::ranges::find_if(arrays, wanted);
}

bool isPositionMatrix(const NamedArray& array, const Provenance& provenance) {
    const std::size_t positions = provenance.pieces.size();
    return array.shape == Shape{positions, positions};
}

void writeCsv(std::ostream& out, std::span<const NamedArray> arrays, const Provenance& provenance) {
    const NamedArray* sole = soleArray(arrays);
    if (sole != nullptr && isPositionMatrix(*sole, provenance))
        writeCsvMatrix(out, *sole, provenance.pieces);
    else
        writeCsvLong(out, arrays);
}

/// False when the system refused to write; errno tells why.
bool writeStream(const std::filesystem::path& file,
                 const std::function<void(std::ostream&)>& write) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    write(out);
    out.close();
    return out.good();
}

/// False when the system refused to write; errno tells why.
bool writeFormat(const std::filesystem::path& file, ArrayFormat format,
                 std::span<const NamedArray> arrays, const Provenance& provenance) {
    errno = 0;
    return writeStream(file, [&](std::ostream& out) {
        if (format == ArrayFormat::Npz)
            writeNpz(out, arrays, provenance);
        else if (format == ArrayFormat::Npy)
            writeNpy(out, *soleArray(arrays));
        else if (format == ArrayFormat::Csv)
            writeCsv(out, arrays, provenance);
        else
            writeJsonArrays(out, arrays, provenance);
    });
}

Result<void> writeHdf5Arrays(const std::filesystem::path& path, std::span<const NamedArray> arrays,
                             const Provenance& provenance) {
    std::vector<Hdf5Array> datasets;
    for (const NamedArray& array : arrays) {
        Hdf5Array dataset{array.name, array.shape, {}};
        std::ranges::replace(dataset.path, '.', '/');
        std::visit([&](const auto& values) { dataset.values = std::span(values); }, array.values);
        datasets.push_back(std::move(dataset));
    }
    const std::array<Hdf5Attribute, 1> attributes{{{"provenance", provenance.json()}}};
    return writeHdf5(path, datasets, attributes);
}

} // namespace

NamedArray namedArray(std::string name, const Tensor& tensor) {
    const std::span<const float> values = tensor.values();
    return {std::move(name), tensor.shape(), std::vector<float>(values.begin(), values.end())};
}

NamedArray namedArray(std::string name, std::span<const TokenId> ids) {
    return {std::move(name), {ids.size()}, std::vector<std::int32_t>(ids.begin(), ids.end())};
}

std::optional<ArrayFormat> arrayFormatOf(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    const auto found =
        std::ranges::find(kExtensions, extension, &decltype(kExtensions)::value_type::first);
    if (found == kExtensions.end())
        return std::nullopt;
    return found->second;
}

std::string_view extensionOf(ArrayFormat format) {
    return std::ranges::find(kExtensions, format, &decltype(kExtensions)::value_type::second)
        ->first;
}

Result<void> writeArrays(const std::filesystem::path& path, ArrayFormat format,
                         std::span<const NamedArray> arrays, const Provenance& provenance) {
    if (format == ArrayFormat::Hdf5)
        return writeHdf5Arrays(path, arrays, provenance);
    if (format == ArrayFormat::Npy && soleArray(arrays) == nullptr)
        return Error{ErrorCode::InvalidArgument,
                     "A .npy file holds one array and " + std::to_string(arrays.size()) +
                         " were to be written to " + path.string() +
                         "; choose one head or one layer, or a .npz file."};

    const bool sidecar = format == ArrayFormat::Npy || format == ArrayFormat::Csv;
    return writeFileAtomically(path, [&](const std::filesystem::path& file) -> Result<void> {
        if (!writeFormat(file, format, arrays, provenance))
            return cannotWrite(path, errno == 0 ? EIO : errno);
        if (!sidecar)
            return {};
        return writeFileAtomically(path.string() + ".json", provenance.json() + "\n");
    });
}

} // namespace headscope
