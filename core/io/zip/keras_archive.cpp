#include "core/io/zip/keras_archive.h"

#include "core/base/text.h"
#include "core/io/file_error.h"
#include "core/io/files/weight_file.h"
#include "core/io/hdf5/hdf5_source.h"
#include "core/io/sealed/check_description.h"
#include "core/io/sealed/reader_process.h"
#include "core/io/slabs.h"
#include "core/io/zip/zip_member.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace headscope {

namespace {

constexpr const char* kWeights = "model.weights.h5";
constexpr const char* kConfig = "config.json";

/// What a zip archive without Keras weights is.
std::string refusal(const ZipDescription& archive, const std::filesystem::path& path) {
    const auto holds = [&](std::string_view ending) {
        return std::ranges::any_of(archive.members, [&](const ZipMember& member) {
            return member.name.ends_with(ending);
        });
    };
    if (holds("data.pkl"))
        return pickleRefusal(path);
    if (holds(".npy"))
        return "it is a NumPy archive (.npz), whose arrays are not read; save them in Python: "
               "import numpy, safetensors.numpy as s; s.save_file(dict(numpy.load('" +
               path.filename().string() + "')), 'model.safetensors')";
    return "it is a zip archive and no Keras model (it holds no model.weights.h5); unpack it and "
           "open the weight file inside";
}

/// Null where there is none; fails where there are two.
Result<const ZipMember*> findMember(const ZipDescription& archive, const std::string& name) {
    const auto found = std::ranges::find(archive.members, name, &ZipMember::name);
    if (found == archive.members.end())
        return nullptr;
    if (std::ranges::count(archive.members, name, &ZipMember::name) > 1)
        return Error{ErrorCode::Malformed,
                     "it holds '" + name + "' twice; download or save it again"};
    return &*found;
}

Result<ZipDescription> describe(const InputFile& file, const std::stop_token& stop) {
    auto answer = askReader(file, Parser::Zip, stop);
    if (!answer)
        return answer.error();
    if (const auto* const refusal = std::get_if<Refusal>(&*answer))
        return refusal->reason;
    auto* const archive = std::get_if<ZipDescription>(&*answer);
    if (archive == nullptr)
        return Error{ErrorCode::Malformed, "its reader answers for another kind of file; download "
                                           "or copy it again"};
    if (auto checked = checkArchive(*archive, file.size()); !checked)
        return checked.error();
    return std::move(*archive);
}

/// What is opened of the archive; error messages are reasons.
Result<Hdf5Input> takeApart(InputFile file, const ZipDescription& archive, std::size_t byte_budget,
                            const std::stop_token& stop) {
    const auto weights = findMember(archive, kWeights);
    if (!weights)
        return weights.error();
    if (*weights == nullptr)
        return Error{ErrorCode::Unsupported, refusal(archive, file.path())};
    const auto config = findMember(archive, kConfig);
    if (!config)
        return config.error();
    Texts texts;
    if (*config != nullptr) {
        auto text = readMember(file, **config, kMaxTextBytes);
        if (!text)
            return text.error();
        texts.emplace("config", *std::move(text));
    }
    auto bytes = openMember(file, **weights, byte_budget, stop);
    if (!bytes)
        return bytes.error();
    return Hdf5Input{*std::move(bytes), std::move(file), std::move(texts)};
}

} // namespace

Result<std::unique_ptr<TensorSource>> openKerasArchive(InputFile archive, std::size_t byte_budget,
                                                       const std::stop_token& stop) {
    const std::filesystem::path path = archive.path();
    const auto description = describe(archive, stop);
    if (!description)
        return cannotOpen(description.error().code, path, description.error().message);
    auto input = takeApart(std::move(archive), *description, byte_budget, stop);
    if (!input)
        return cannotOpen(input.error().code, path, input.error().message);
    return openHdf5Source(*std::move(input), byte_budget, stop);
}

} // namespace headscope
