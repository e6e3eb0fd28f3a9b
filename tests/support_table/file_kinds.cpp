#include "tests/support_table/file_kinds.h"

#include "tests/support/models.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>

namespace headscope::test {

namespace {

namespace fs = std::filesystem;

void writeText(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

Storage storageOf(Precision precision) {
    switch (precision) {
    case Precision::Float32:
        return Storage::Float32;
    case Precision::Float16:
        return Storage::Float16;
    case Precision::BFloat16:
        return Storage::BFloat16;
    }
    return Storage::Float32;
}

std::vector<FileTensor> storedAs(const ModelVariant& model, Precision precision) {
    std::vector<FileTensor> tensors = model.tensors;
    for (FileTensor& tensor : tensors)
        tensor.storage = storageOf(precision);
    return tensors;
}

fs::path writeNative(const fs::path& folder, const ModelVariant& model, Precision precision) {
    writeModelFile(folder / "native.h5", storedAs(model, precision),
                   {{"config", model.config.dump()}});
    return folder / "native.h5";
}

/// One dataset for each entry of a checkpoint, with the config beside it.
fs::path writeDump(const fs::path& folder, const ModelVariant& model, Precision precision) {
    std::vector<FileTensor> tensors = storedAs(model, precision);
    for (FileTensor& tensor : tensors)
        tensor.name = "state_dict._orig_mod." + tensor.name;
    writeModelFile(folder / "dump.h5", tensors, {}, Naming::FlatDots);
    writeText(folder / "config.json", model.config.dump());
    return folder / "dump.h5";
}

/// IEEE binary16 of a value that it holds exactly.
std::uint16_t halfWord(float value) {
    if (value == 0.0f)
        return 0;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 31 << 15;
    const std::uint32_t exponent = ((bits >> 23 & 0xffu) - 127 + 15) << 10;
    return static_cast<std::uint16_t>(sign | exponent | (bits >> 13 & 0x3ffu));
}

void appendWord(std::string& bytes, float value, Precision precision) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto append = [&](const auto& word) {
        bytes.append(reinterpret_cast<const char*>(&word), sizeof(word));
    };
    if (precision == Precision::Float32)
        append(bits);
    else if (precision == Precision::Float16)
        append(halfWord(value));
    else
        append(static_cast<std::uint16_t>(bits >> 16));
}

void writeSafetensors(const fs::path& path, std::span<const FileTensor> tensors,
                      Precision precision) {
    const char* const type = precision == Precision::Float32   ? "F32"
                             : precision == Precision::Float16 ? "F16"
                                                               : "BF16";
    nlohmann::json header;
    std::string data;
    for (const FileTensor& tensor : tensors) {
        const std::size_t begin = data.size();
        for (const float value : tensor.values)
            appendWord(data, value, precision);
        header[tensor.name] = {
            {"dtype", type}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
    }
    const std::string text = header.dump();
    const std::uint64_t length = text.size();
    writeText(path,
              std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + text + data);
}

fs::path writeSafetensorsFile(const fs::path& folder, const ModelVariant& model,
                              Precision precision) {
    writeSafetensors(folder / "model.safetensors", model.tensors, precision);
    writeText(folder / "config.json", model.config.dump());
    return folder / "model.safetensors";
}

/// Two shards and their index, opened as a folder.
fs::path writeShards(const fs::path& folder, const ModelVariant& model, Precision precision) {
    const std::span<const FileTensor> all = model.tensors;
    const std::size_t half = all.size() / 2;
    const std::pair<std::string, std::span<const FileTensor>> shards[] = {
        {"model-00001-of-00002.safetensors", all.first(half)},
        {"model-00002-of-00002.safetensors", all.subspan(half)}};
    nlohmann::json index;
    std::size_t total_size = 0;
    for (const auto& [name, tensors] : shards) {
        writeSafetensors(folder / name, tensors, precision);
        for (const FileTensor& tensor : tensors) {
            index["weight_map"][tensor.name] = name;
            total_size += tensor.values.size() * (precision == Precision::Float32 ? 4 : 2);
        }
    }
    index["metadata"]["total_size"] = total_size;
    writeText(folder / "model.safetensors.index.json", index.dump());
    writeText(folder / "config.json", model.config.dump());
    return folder;
}

} // namespace

std::string precisionName(Precision precision) {
    switch (precision) {
    case Precision::Float32:
        return "f32";
    case Precision::Float16:
        return "f16";
    case Precision::BFloat16:
        return "bf16";
    }
    return "";
}

std::vector<FileKind> writtenKinds() {
    return {{"HDF5", writeNative},
            {"HDF5 dump", writeDump},
            {"safetensors", writeSafetensorsFile},
            {"sharded folder", writeShards}};
}

void makeExact(ModelVariant& model) {
    for (FileTensor& tensor : model.tensors)
        for (float& value : tensor.values) {
            const auto upper_half = std::bit_cast<std::uint32_t>(value) & 0xffff0000u;
            value = std::abs(value) < 0x1p-14f ? 0.0f : std::bit_cast<float>(upper_half);
        }
}

std::vector<RecordedKind> recordedKinds() {
    return {{"tf_model.h5", "tensorflow", Precision::Float32},
            {"KerasHub", "keras", Precision::Float32},
            {"GGUF (read)", "gguf", Precision::Float16}};
}

namespace {

/// llama.gguf or its first part beside llama.reference.h5.
std::optional<RecordedModel> recordedGguf(const fs::path& reference) {
    constexpr std::string_view ending = ".reference.h5";
    std::string name = reference.string();
    if (!name.ends_with(ending))
        return std::nullopt;
    name.resize(name.size() - ending.size());
    for (const char* part : {".gguf", "-00001-of-00003.gguf"})
        if (fs::exists(name + part))
            return RecordedModel{name + part, reference};
    return std::nullopt;
}

} // namespace

std::vector<RecordedModel> recordedModels(const RecordedKind& kind) {
    std::vector<RecordedModel> models;
    for (const auto& entry : fs::directory_iterator(fs::path(HEADSCOPE_TEST_DATA) / kind.folder)) {
        if (const auto gguf = recordedGguf(entry.path()))
            models.push_back(*gguf);
        if (!entry.is_directory())
            continue;
        std::string fixture = entry.path().filename().string();
        while (!fixture.empty() && !fs::exists(fixtureReference(fixture))) {
            const std::size_t dash = fixture.rfind('-');
            fixture.resize(dash == std::string::npos ? 0 : dash);
        }
        const fs::path own = entry.path() / "reference.h5";
        if (fs::exists(own))
            models.push_back({entry.path(), own});
        else if (!fixture.empty())
            models.push_back({entry.path(), fixtureReference(fixture)});
    }
    std::ranges::sort(models, {}, &RecordedModel::path);
    return models;
}

} // namespace headscope::test
