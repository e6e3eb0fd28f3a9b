#include "core/export/save_smaller_model.h"

#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/export/formats/cut_config.h"
#include "core/export/formats/model_file.h"
#include "core/export/formats/origin.h"
#include "core/loading/dialect.h"
#include "core/loading/load_model.h"
#include "core/loading/model_source.h"
#include "core/loading/model_texts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

namespace fs = std::filesystem;

/// Logits [position, d_vocab] with some heads at zero; the last residual where there are none.
Result<Tensor> outputsOf(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                         const HeadSet& at_zero, const std::stop_token& stop) {
    HeadMask mask;
    for (const LayerHead head : at_zero)
        mask.set(head, AblationKind::Zero);
    RunItem item;
    item.ids = ids;
    addAblation(item.hooks, mask, model->spec);
    const HookPoint last{HookKind::ResidPost, model->spec.n_layers - 1};
    const bool has_logits = model->spec.output != OutputHead::None;
    if (!has_logits)
        item.hooks.capture(last);
    Request request;
    request.logits = has_logits;
    request.keep_attention = false;
    const auto runs = runBatch(model, {&item, 1}, request, stop);
    if (!runs)
        return runs.error();
    return has_logits ? runs->front()->logits : runs->front()->captured.at(last);
}

/// A smaller model beside the masked one that it stands for.
class Comparison {
public:
    Comparison(const Model& whole, const Cut& cut, std::span<const TokenIds> check_on)
        : masked_(repairedModel(whole, cut)), removed_(cut.removed), check_on_(check_on) {}

    /// SavedModel::difference, or that it is too large.
    Result<double> with(const std::shared_ptr<const Model>& smaller, std::string_view when,
                        const std::stop_token& stop) const {
        double furthest = 0.0;
        double largest = 0.0;
        for (const TokenIds& ids : check_on_) {
            const auto expected = outputsOf(masked_, ids, removed_, stop);
            if (!expected)
                return expected.error();
            const auto found = outputsOf(smaller, ids, {}, stop);
            if (!found)
                return found.error();
            for (std::size_t i = 0; i < expected->size(); ++i) {
                const double value = expected->data()[i];
                furthest = std::max(furthest, std::abs(value - double{found->data()[i]}));
                largest = std::max(largest, std::abs(value));
            }
        }
        const double relative = largest > 0.0 ? furthest / largest : furthest;
        if (relative <= kSameLogits)
            return relative;
        return Error{ErrorCode::Mismatch, "The smaller model was not kept: " + std::string(when) +
                                              " it differs from the masked model by " +
                                              numberText(relative) +
                                              " of the largest logit, expected at most " +
                                              numberText(kSameLogits) + "; please report this."};
    }

private:
    std::shared_ptr<const Model> masked_;
    const HeadSet& removed_;
    std::span<const TokenIds> check_on_;
};

/// What HDF5 writes around each tensor and each text, about.
constexpr std::size_t kBytesAround = 500;

std::size_t predictedBytes(const TensorSource& weights, const ModelFileTexts& texts) {
    std::size_t bytes =
        texts.config.size() + texts.tokenizer.size() + texts.description.size() + 8 * kBytesAround;
    for (const TensorInfo& tensor : weights.tensors())
        bytes += tensor.stored_bytes + kBytesAround;
    return bytes;
}

/// The file that a model came from, with its config.
struct Origin {
    std::shared_ptr<const TensorSource> file;
    ModelFileTexts texts;
    std::string tokenizer_note;
};

Result<Origin> openOrigin(const Model& model, const std::stop_token& stop) {
    auto opened = openTranslated(model.path, stop);
    if (!opened)
        return opened.error();
    Origin origin;
    origin.file = std::move(opened->file);
    const auto config = findConfig(*origin.file);
    if (!config)
        return config.error();
    origin.texts.config = *config ? (*config)->content : "";
    origin.texts.description = origin.file->text("description").value_or("");
    TokenizerInside tokenizer = tokenizerInside(*origin.file);
    origin.texts.tokenizer = std::move(tokenizer.json);
    origin.tokenizer_note = std::move(tokenizer.note);
    return origin;
}

} // namespace

Result<SavedModel> saveSmallerModel(const std::shared_ptr<const Model>& model, const Cut& cut,
                                    const fs::path& output, std::span<const TokenIds> check_on,
                                    const Progress& progress, const std::stop_token& stop) {
    auto smaller = smallerModel(*model, cut);
    if (!smaller)
        return smaller.error();
    auto origin = openOrigin(*model, stop);
    if (!origin)
        return origin.error();
    if (auto is_new = checkNotRead(*origin->file, output, "that heads are removed from"); !is_new)
        return is_new.error();
    report(progress, 0.0, "comparing the smaller model with the masked one");
    const Comparison comparison(*model, cut, check_on);
    if (auto same = comparison.with(*smaller, "before it was written", stop); !same)
        return same.error();

    origin->texts.config = cutConfig(origin->texts.config, **smaller);
    const auto source = modelSource(*smaller, origin->texts.config, origin->file);
    if (!source)
        return source.error();
    SavedModel saved;
    saved.predicted_bytes = predictedBytes(**source, origin->texts);
    saved.model = *smaller;
    saved.tokenizer_note = origin->tokenizer_note;
    const auto compareAgain = [&](const fs::path& written) -> Result<void> {
        const auto loaded = loadModel(written, {}, partOf(progress, 0.6, 0.8), stop);
        if (!loaded)
            return loaded.error();
        const auto difference = comparison.with(*loaded, "after it was read back", stop);
        if (!difference)
            return difference.error();
        saved.difference = *difference;
        return {};
    };
    const auto written = writeModelFile(output, **source, origin->texts, std::nullopt,
                                        partOf(progress, 0.3, 0.6), stop, compareAgain);
    if (!written)
        return written.error();
    std::error_code ignored;
    saved.bytes = static_cast<std::size_t>(fs::file_size(output, ignored));
    return saved;
}

} // namespace headscope
