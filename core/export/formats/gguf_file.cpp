#include "core/export/formats/gguf_file.h"

#include "core/base/text.h"
#include "core/io/slabs.h"
#include "core/model/prompt.h"
#include "core/tokenizer/from_ggml.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// GGML_QUANT_VERSION and llama_ftype, which readers ask for.
constexpr std::uint32_t kQuantisationVersion = 2;
std::uint32_t fileType(GgufFormat format) {
    switch (format) {
    case GgufFormat::Float32:
        return 0;
    case GgufFormat::Float16:
        return 1;
    case GgufFormat::Q8:
        return 7;
    case GgufFormat::BFloat16:
        break;
    }
    return 32;
}

/// As llama.cpp's conversion chooses.
GgufFormat formatIn(const TensorInfo& tensor, std::optional<GgufFormat> wanted) {
    const bool stays_full =
        tensor.shape.size() < 2 || !tensor.name.ends_with(".weight") ||
        tensor.name.ends_with(".ffn_gate_inp.weight") || tensor.name.ends_with("_norm.weight") ||
        tensor.name == "position_embd.weight" || tensor.name == "token_types.weight";
    if (stays_full)
        return GgufFormat::Float32;
    const bool has_blocks = tensor.shape.back() % 32 == 0;
    const GgufFormat format = wanted.value_or(ggufFormatOf(tensor));
    return format == GgufFormat::Q8 && !has_blocks ? GgufFormat::Float16 : format;
}

std::vector<GgufStreamedTensor> streamedTensors(const TensorSource& source,
                                                std::optional<GgufFormat> wanted) {
    std::vector<GgufStreamedTensor> tensors;
    tensors.reserve(source.tensors().size());
    for (const TensorInfo& tensor : source.tensors())
        tensors.push_back({tensor.name, tensor.shape, formatIn(tensor, wanted)});
    return tensors;
}

/// The format of the largest tensor.
GgufFormat mainFormat(std::span<const GgufStreamedTensor> tensors) {
    const auto largest = std::ranges::max_element(
        tensors, {}, [](const GgufStreamedTensor& tensor) { return elementCount(tensor.shape); });
    return largest == tensors.end() ? GgufFormat::Float32 : largest->format;
}

} // namespace

std::optional<TokenId> bosOf(const Model& model) {
    return bosRule(model).add ? model.spec.bos_token : std::nullopt;
}

GgufFormat ggufFormatOf(const TensorInfo& tensor) {
    if (tensor.type == StoredType::Float16)
        return GgufFormat::Float16;
    return tensor.type == StoredType::BFloat16 ? GgufFormat::BFloat16 : GgufFormat::Float32;
}

Result<WrittenGguf> writeGgufFile(const std::filesystem::path& path, const GgufTwin& twin,
                                  std::optional<GgufFormat> format, const GgufTokenizer& tokenizer,
                                  const Progress& progress, const std::stop_token& stop,
                                  const InspectFile& inspect) {
    const std::vector<GgufStreamedTensor> tensors = streamedTensors(*twin.tensors, format);
    WrittenGguf result;
    result.tensors = tensors.size();
    std::vector<GgufEntry> metadata = twin.metadata;
    metadata.push_back({"general.quantization_version", kQuantisationVersion});
    metadata.push_back({"general.file_type", fileType(format.value_or(mainFormat(tensors)))});
    std::vector<std::string> notes{tokenizer.note, twin.caution};
    if (tokenizer.json.empty())
        metadata.push_back({"tokenizer.ggml.model", std::string(kGgmlNoTokenizer)});
    else if (!addGgufTokens(tokenizer, metadata))
        notes.insert(notes.begin(), "The tokenizer is inside for Headscope alone: llama.cpp has no "
                                    "exact form of its kind and takes token ids.");
    std::erase(notes, std::string());
    result.note = join(notes, " ");
    result.predicted_bytes = ggufFileBytes(metadata, tensors);
    const auto produce = [&](std::size_t index, const AppendNumbers& append) -> Result<void> {
        const TensorInfo& tensor = twin.tensors->tensors()[index];
        report(progress, static_cast<double>(index) / static_cast<double>(tensors.size()),
               "writing " + tensor.name);
        std::vector<float> values(elementCount(tensor.shape));
        if (auto read = twin.tensors->read(tensor, values, stop); !read)
            return read;
        return forEachSlab(values.size(), sizeof(float), stop,
                           [&](std::size_t first, std::size_t count) {
                               return append(std::span<const float>(values).subspan(first, count));
                           });
    };
    if (auto written = writeGguf(path, metadata, tensors, produce, inspect); !written)
        return written.error();
    return result;
}

bool addGgufTokens(const GgufTokenizer& tokenizer, std::vector<GgufEntry>& metadata) {
    const auto lists = ggmlOf(tokenizer.json);
    const auto add = [&](const char* key, GgufEntry::Value value) {
        metadata.push_back({std::string("tokenizer.ggml.") + key, std::move(value)});
    };
    if (lists) {
        add("model", lists->model);
        add("pre", lists->pre_tokenizer);
        add("tokens", lists->tokens);
        std::vector<std::int32_t> types;
        for (const GgmlTokenType type : lists->types)
            types.push_back(static_cast<std::int32_t>(type));
        add("token_type", std::move(types));
        add("merges", lists->merges);
        if (lists->eos)
            add("eos_token_id", static_cast<std::uint32_t>(*lists->eos));
        add("add_eos_token", lists->add_eos.value_or(false));
    }
    if (!lists)
        add("model", std::string(kGgmlNoTokenizer));
    if (const auto bos = tokenizer.bos ? tokenizer.bos : lists ? lists->bos : std::nullopt)
        add("bos_token_id", static_cast<std::uint32_t>(*bos));
    add("add_bos_token", tokenizer.bos.has_value());
    metadata.push_back({"tokenizer.huggingface.json", tokenizer.json});
    return lists.has_value();
}

} // namespace headscope
