#include "core/loading/dialects/gguf/gguf_model.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/io/sealed_json.h"
#include "core/loading/dialects/gguf/gguf_families.h"
#include "core/loading/dialects/gguf/gguf_metadata.h"
#include "core/loading/dialects/gguf/tensor_forms.h"
#include "core/loading/dialects/translated_source.h"
#include "core/loading/model_texts.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace headscope {

namespace {

using Json = nlohmann::json;

/// Tensors that say nothing that the config does not: rotary factors are read into it, and the
/// others follow from it.
constexpr std::array<std::string_view, 4> kRotaryTensors{
    "rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight",
    "blk.*.attn_rot_embd.weight"};

/// The sizes by which rows are put back.
struct HeadCounts {
    std::size_t n_heads = 1;
    std::size_t n_kv_heads = 1;
    std::size_t d_head = 1;
};

/// What puts the numbers of a tensor back into the form of Hugging Face; empty where they are in
/// it. Fails where the shape does not go with the heads.
Result<RestoreValues> restoring(GgufForm form, const TensorInfo& tensor, const HeadCounts& heads) {
    const std::size_t rows = tensor.shape.empty() ? 1 : tensor.shape.front();
    const std::size_t width = tensor.shape.size() > 1 ? tensor.shape[1] : 1;
    const auto [n_heads, n_kv_heads, d_head] = heads;
    const std::size_t all_heads = n_heads + 2 * n_kv_heads;
    switch (form) {
    case GgufForm::Rotary:
        if (tensor.shape.size() > 2 || d_head % 2 != 0 || rows % d_head != 0)
            break;
        return RestoreValues([heads, width](std::span<float> values) {
            undoAdjacentPairs(values, heads.d_head, width);
        });
    case GgufForm::QkvApart:
        if (tensor.shape.size() > 2 || n_heads % n_kv_heads != 0 || rows != all_heads * d_head)
            break;
        return RestoreValues([heads, width](std::span<float> values) {
            undoQkvApart(values, heads.n_heads, heads.n_kv_heads, heads.d_head, width);
        });
    case GgufForm::ExpertsTransposed:
        if (tensor.shape.size() < 3)
            return RestoreValues();
        return RestoreValues(
            [rows, width](std::span<float> values) { transposeEach(values, rows, width); });
    case GgufForm::GainPlusOne:
        return RestoreValues([](std::span<float> values) {
            for (float& value : values)
                value -= 1.0f;
        });
    default:
        return RestoreValues();
    }
    return Error{ErrorCode::Mismatch,
                 "the tensor '" + tensor.name + "' is " + shapeText(tensor.shape) +
                     ", which does not go with " + std::to_string(n_heads) + " heads and " +
                     std::to_string(n_kv_heads) + " key-value heads of " + std::to_string(d_head) +
                     " dimensions; convert the model again"};
}

class GgufTranslator {
public:
    explicit GgufTranslator(std::unique_ptr<TensorSource> file)
        : file_(std::move(file)), name_(file_->path().filename().string()) {}

    Result<Translation> translate();

private:
    Result<void> parseMetadata();
    Result<void> describe();
    Result<void> translateTensors(const GgufKeys& keys, const HeadCounts& heads);
    Result<void> addTranslated(const TensorInfo& tensor,
                               const std::map<std::string, GgufName>& names,
                               const HeadCounts& heads);
    Result<void> addRows(const TensorInfo& tensor, const GgufName& name, const NameParts& parts);
    Result<void> fuse(TranslatedTensor& gates, const TensorInfo& gated, GgufForm form) const;
    /// Files of other programs have no norm before attention in a layer without heads.
    void addNormsOfNoHeads();
    /// Whether it is of the head of zeros in a layer that has no heads (gguf_twin.h).
    bool standsForNoHeads(const TensorInfo& tensor) const;
    Json keysFor(const std::string& architecture) const;
    void addTokens(Json& config) const;
    void takeTokenizer(TranslatedTexts& texts);
    Error fail(ErrorCode code, const std::string& message) const {
        return {code, name_ + " " + message};
    }

    std::unique_ptr<TensorSource> file_;
    std::string name_;
    std::optional<JsonDocument> metadata_;
    Json config_;
    std::vector<TranslatedTensor> tensors_;
    std::vector<std::string> notes_;
};

Result<Translation> GgufTranslator::translate() {
    for (const auto step : {&GgufTranslator::parseMetadata, &GgufTranslator::describe})
        if (auto done = (this->*step)(); !done)
            return done.error();
    TranslatedTexts texts{{"config", config_.dump()}};
    if (const std::string* const about = metadata_->root().member("general.description").text())
        texts.emplace("description", *about);
    takeTokenizer(texts);
    auto shown = translatedSource(std::move(file_), std::move(tensors_), std::move(texts));
    if (!shown)
        return shown.error();
    return Translation{*std::move(shown), std::move(notes_)};
}

void GgufTranslator::takeTokenizer(TranslatedTexts& texts) {
    const JsonValue metadata = metadata_->root();
    const std::string* const kind = metadata.member("tokenizer.ggml.model").text();
    const bool has_lists = kind != nullptr && *kind != kGgmlNoTokenizer && *kind != "no_vocab";
    if (!has_lists && !metadata.find("tokenizer.huggingface.json"))
        return;
    auto tokenizer = ggufTokenizer(metadata, name_);
    if (!tokenizer) {
        texts.emplace(kUnusableTokenizer, tokenizer.error().message);
        return;
    }
    texts.emplace(tokenizer->is_guess ? kGuessedTokenizer : "tokenizer",
                  std::move(tokenizer->json));
    if (const auto add = metadata.member("tokenizer.ggml.add_bos_token").boolean())
        texts.emplace("tokenizer_config", Json{{"add_bos_token", *add}}.dump());
    std::ranges::move(tokenizer->notes, std::back_inserter(notes_));
}

Result<void> GgufTranslator::parseMetadata() {
    auto document = readForeignJson(file_->text(kGgufMetadata).value_or(""));
    if (!document)
        return aboutText(document.error(), name_ + " has metadata whose text",
                         "download or save the file again");
    metadata_ = *std::move(document);
    return {};
}

/// The metadata of the network itself.
Json GgufTranslator::keysFor(const std::string& architecture) const {
    Json keys = Json::object();
    for (const auto& [key, value] : metadata_->root().members())
        if (key.starts_with(architecture + "."))
            keys[std::string(key)] = value.json();
    return keys;
}

Result<void> GgufTranslator::describe() {
    const std::string* const named = metadata_->root().member("general.architecture").text();
    const std::string architecture = named != nullptr ? *named : "";
    const GgufFamily* const family = ggufFamily(architecture);
    if (family == nullptr)
        return fail(ErrorCode::Unsupported,
                    "has the architecture " + inQuotes(architecture) +
                        ", which is no family that can be opened from GGUF; open a model of a "
                        "family that resources/models.md lists.");
    const JsonDocument document(keysFor(architecture));
    auto reader = ConfigReader::of(document, "The metadata of " + name_);
    if (!reader)
        return reader.error();
    GgufKeys keys(*std::move(reader), document.root(), architecture, *file_);
    const HeadCounts heads{keys.nHeads(), keys.nKvHeads(), keys.headSize()};
    config_ = family->config(keys);
    addTokens(config_);
    keys.refuseUnread();
    if (keys.reader.error())
        return *keys.reader.error();
    notes_ = keys.reader.notes();
    return translateTensors(keys, heads);
}

void GgufTranslator::addTokens(Json& config) const {
    for (const char* token : {"bos_token_id", "eos_token_id", "mask_token_id"})
        if (const auto id =
                metadata_->root().member("tokenizer.ggml." + std::string(token)).whole())
            config[token] = *id;
}

Result<void> GgufTranslator::translateTensors(const GgufKeys& keys, const HeadCounts& heads) {
    std::map<std::string, GgufName> names;
    for (GgufName& name : ggufFamily(keys.architecture())->names(*file_))
        names.emplace(name.gguf, std::move(name));
    for (const TensorInfo& tensor : file_->tensors()) {
        if (standsForNoHeads(tensor))
            continue;
        if (std::ranges::any_of(kRotaryTensors, [&](std::string_view glob) {
                return globMatches(glob, tensor.name);
            }))
            continue;
        if (auto added = addTranslated(tensor, names, heads); !added)
            return added.error();
    }
    addNormsOfNoHeads();
    return {};
}

void GgufTranslator::addNormsOfNoHeads() {
    const auto kept = config_.find(kKeptHeadsKey);
    if (kept == config_.end())
        return;
    for (const auto& [layer, heads] : kept->items()) {
        const TensorInfo* const like = file_->find("blk." + layer + ".ffn_norm.weight");
        if (!heads.empty() || like == nullptr ||
            file_->find("blk." + layer + ".attn_norm.weight") != nullptr)
            continue;
        TranslatedTensor& norm = tensors_.emplace_back(
            renamed(*like, "model.layers." + layer + ".input_layernorm.weight", false));
        norm.restore = [](std::span<float> gains) { std::ranges::fill(gains, 1.0f); };
        notes_.push_back("Layer " + layer +
                         " has neither heads nor the norm before them; the one in the file has "
                         "gains of 1 and no effect.");
    }
}

bool GgufTranslator::standsForNoHeads(const TensorInfo& tensor) const {
    const NameParts parts = partsOf(tensor.name);
    const auto kept = config_.find(kKeptHeadsKey);
    if (kept == config_.end() || parts.layer.empty() || parts.ending != ".weight")
        return false;
    const auto heads = kept->find(parts.layer);
    return heads != kept->end() && heads->empty() &&
           std::ranges::find(kGgufHeadMatrices, parts.stem) != kGgufHeadMatrices.end();
}

Result<void> GgufTranslator::addTranslated(const TensorInfo& tensor,
                                           const std::map<std::string, GgufName>& names,
                                           const HeadCounts& heads) {
    const NameParts parts = partsOf(tensor.name);
    const auto found = names.find(parts.stem);
    if (found == names.end() || (parts.ending != ".weight" && parts.ending != ".bias"))
        return fail(ErrorCode::Unsupported,
                    "holds the tensor " + inQuotes(tensor.name) +
                        ", which its family has not as far as Headscope describes it; open another "
                        "model.");
    const GgufName& name = found->second;
    if (name.form == GgufForm::HeadRows)
        return addRows(tensor, name, parts);
    const std::string torch_name = name.torchName(parts.layer, parts.ending);
    if (isHalf(name.form)) {
        const auto gates = std::ranges::find(
            tensors_, torch_name,
            [](const TranslatedTensor& shown) -> const std::string& { return shown.info.name; });
        if (gates != tensors_.end())
            return fuse(*gates, tensor, name.form);
    }
    auto restore = restoring(name.formOf(parts.ending), tensor, heads);
    if (!restore)
        return Error{restore.error().code, name_ + ": " + restore.error().message + "."};
    TranslatedTensor shown =
        renamed(tensor, torch_name, name.form == GgufForm::Transposed && tensor.shape.size() == 2);
    if (name.form == GgufForm::OneRow && tensor.shape.size() == 1)
        shown.info.shape.insert(shown.info.shape.begin(), 1);
    if (name.form == GgufForm::ExpertsTransposed && tensor.shape.size() == 3)
        std::swap(shown.info.shape[1], shown.info.shape[2]);
    shown.restore = *std::move(restore);
    tensors_.push_back(std::move(shown));
    return {};
}

/// [head, d_head] becomes a vector for each head.
Result<void> GgufTranslator::addRows(const TensorInfo& tensor, const GgufName& name,
                                     const NameParts& parts) {
    if (tensor.shape.size() != 2)
        return fail(ErrorCode::Mismatch, "has the tensor '" + tensor.name + "' " +
                                             shapeText(tensor.shape) +
                                             ", expected [n_heads, d_head]; convert the model "
                                             "again.");
    const std::size_t n_heads = tensor.shape.front();
    for (std::size_t head = 0; head < n_heads; ++head) {
        TranslatedTensor row = renamed(
            tensor, name.torchName(parts.layer, "." + std::to_string(head) + parts.ending), false);
        row.info.shape = {tensor.shape.back()};
        row.info.stored_bytes /= n_heads;
        row.row = head;
        tensors_.push_back(std::move(row));
    }
    return {};
}

/// `gates` [expert, d_mlp, d_model] becomes [expert, 2·d_mlp, d_model], where they alternate
/// [expert, d_model, 2·d_mlp]; without experts [d_mlp, d_model] becomes [2·d_mlp, d_model].
Result<void> GgufTranslator::fuse(TranslatedTensor& gates, const TensorInfo& gated,
                                  GgufForm form) const {
    Shape& shape = gates.info.shape;
    if (gates.parts.size() != 1 || shape != gated.shape || shape.size() < 2)
        return fail(ErrorCode::Mismatch,
                    "has the tensors '" + gates.info.nameInFile() + "' " +
                        shapeText(gates.info.shape) + " and '" + gated.name + "' " +
                        shapeText(gated.shape) +
                        ", expected gates and what they gate in one and the same shape; convert "
                        "the model again.");
    gates.parts.push_back(gated.name);
    gates.stacked = form == GgufForm::FusedRows;
    shape[gates.stacked ? 0 : 1] *= 2;
    if (form == GgufForm::AlternatingExperts) {
        const std::size_t n_experts = shape.front();
        const std::size_t width = shape.size() == 3 ? shape[2] : 1;
        gates.restore = [n_experts, width](std::span<float> values) {
            alternateColumns(values, n_experts, width);
        };
        if (shape.size() == 3)
            std::swap(shape[1], shape[2]);
    }
    gates.info.stored_bytes += gated.stored_bytes;
    gates.info.stored_name = join(gates.parts, " + ");
    mixTypes(gates.info, gated);
    return {};
}

} // namespace

bool hasGgufMetadata(const TensorSource& file) {
    return file.text(kGgufMetadata).has_value();
}

Result<Translation> translateGguf(std::unique_ptr<TensorSource> file) {
    return GgufTranslator(std::move(file)).translate();
}

} // namespace headscope
