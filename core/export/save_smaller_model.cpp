#include "core/export/save_smaller_model.h"

#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/export/formats/gguf_file.h"
#include "core/export/formats/hugging_face_folder.h"
#include "core/export/formats/model_file.h"
#include "core/export/formats/weight_stream.h"
#include "core/io/atomic_file.h"
#include "core/loading/gguf_twin.h"
#include "core/loading/load_model.h"
#include "core/loading/model_source.h"

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
    RunItem item;
    item.ids = ids;
    addAblation(item.hooks, HeadMask::of(at_zero, AblationKind::Zero), model->spec);
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

/// A smaller model beside the masked one that it must agree with.
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

// What is written around each tensor and each text, about.
constexpr std::size_t kHdf5BytesAround = 500;
constexpr std::size_t kSafetensorsBytesAround = 120;

/// One smaller model on its way into a file or folder.
class SmallerModelFile {
public:
    SmallerModelFile(std::shared_ptr<const Model> smaller, Origin origin, const fs::path& output,
                     const Progress& progress, const std::stop_token& stop)
        : smaller_(std::move(smaller)), origin_(std::move(origin)), output_(output),
          progress_(progress), stop_(stop) {
        saved_.model = smaller_;
        saved_.note = origin_.tokenizer_note;
    }

    Result<SavedModel> write(ModelForm form, const InspectFile& inspect) {
        const auto written = [&]() -> Result<void> {
            switch (form) {
            case ModelForm::HuggingFace:
                return writeFolder(inspect);
            case ModelForm::Gguf:
                return writeGguf(inspect);
            case ModelForm::Hdf5:
                break;
            }
            return writeHdf5(inspect);
        }();
        if (!written)
            return written.error();
        saved_.bytes = bytesAt(output_);
        return std::move(saved_);
    }

private:
    Result<void> writeHdf5(const InspectFile& inspect) {
        auto config = cutConfig(origin_.texts.config, *smaller_);
        if (!config)
            return config.error();
        origin_.texts.config = *std::move(config);
        const auto source = modelSource(smaller_, origin_.texts.config, origin_.file);
        if (!source)
            return source.error();
        const double packed_share = std::min(packedShare(*origin_.file), 1.0);
        saved_.predicted_bytes = hdf5Bytes(**source, packed_share);
        const auto written = writeModelFile(output_, **source, origin_.texts, std::nullopt,
                                            packed_share < 1.0, progress_, stop_, inspect);
        return written ? Result<void>() : written.error();
    }

    Result<void> writeFolder(const InspectFile& inspect) {
        const auto config = huggingFaceConfig(origin_.texts.config, *smaller_);
        if (!config)
            return config.error();
        const auto source = modelSource(smaller_, config->text, origin_.file);
        if (!source)
            return source.error();
        const FloatFormat format = commonFormat(**source);
        saved_.loader_reason = config->loader_reason;
        saved_.predicted_bytes = folderBytes(**source, format, *config);
        return writeHuggingFaceFolder(output_, **source, format, *config, origin_.texts, progress_,
                                      stop_, inspect);
    }

    Result<void> writeGguf(const InspectFile& inspect) {
        const auto config = cutConfig(origin_.texts.config, *smaller_);
        if (!config)
            return config.error();
        const auto twin = ggufTwin(smaller_, *config, origin_.file);
        if (!twin)
            return twin.error();
        const auto written =
            writeGgufFile(output_, *twin, std::nullopt,
                          {origin_.texts.tokenizer, bosOf(*smaller_), origin_.tokenizer_note},
                          progress_, stop_, [&](const fs::path& path) {
                              const auto same =
                                  checkGgufTwin(path, smaller_->spec, *config, *origin_.file);
                              return same ? inspect(path) : same;
                          });
        if (!written)
            return written.error();
        saved_.predicted_bytes = written->predicted_bytes;
        saved_.note = written->note;
        return {};
    }

    /// As if what stays were packed like the whole.
    std::size_t hdf5Bytes(const TensorSource& tensors, double packed_share) const {
        std::size_t bytes = origin_.texts.config.size() + tokenizerBytes() +
                            origin_.texts.description.size() + 8 * kHdf5BytesAround;
        for (const TensorInfo& tensor : tensors.tensors())
            bytes +=
                static_cast<std::size_t>(static_cast<double>(tensor.stored_bytes) * packed_share) +
                kHdf5BytesAround;
        return bytes;
    }

    std::size_t folderBytes(const TensorSource& tensors, FloatFormat format,
                            const HuggingFaceConfig& config) const {
        std::size_t bytes = config.text.size() + tokenizerBytes() +
                            (config.loader_reason.empty() ? 0 : loadModelScript().size());
        for (const TensorInfo& tensor : tensors.tensors())
            bytes += elementCount(tensor.shape) * bytesPerNumber(format) + kSafetensorsBytesAround;
        return bytes;
    }

    std::size_t tokenizerBytes() const {
        return origin_.texts.tokenizer.size() + origin_.texts.tokenizer_config.size();
    }

    std::shared_ptr<const Model> smaller_;
    Origin origin_;
    const fs::path& output_;
    const Progress& progress_;
    const std::stop_token& stop_;
    SavedModel saved_;
};

} // namespace

Result<ModelForm> smallerModelForm(const fs::path& path) {
    if (const auto form = modelFormOf(path))
        return *form;
    return Error{ErrorCode::InvalidArgument,
                 "A smaller model is written as .h5, as .gguf, or as a folder for transformers, "
                 "whose name has no extension, not as " +
                     path.filename().string() + "."};
}

Result<SavedModel> saveSmallerModel(const std::shared_ptr<const Model>& model, const Cut& cut,
                                    const fs::path& output, std::span<const TokenIds> check_on,
                                    const Progress& progress, const std::stop_token& stop) {
    const auto form = smallerModelForm(output);
    if (!form)
        return form.error();
    auto smaller = smallerModel(*model, cut);
    if (!smaller)
        return smaller.error();
    auto origin = openOrigin(model->path, stop);
    if (!origin)
        return origin.error();
    if (auto is_new = checkNotRead(*origin->file, output, "that heads are removed from"); !is_new)
        return is_new.error();
    report(progress, 0.0, "comparing the smaller model with the masked one");
    const Comparison comparison(*model, cut, check_on);
    if (auto same = comparison.with(*smaller, "before it was written", stop); !same)
        return same.error();

    double difference = 0.0;
    const auto compareAgain = [&](const fs::path& written) -> Result<void> {
        const auto loaded = loadModel(written, {}, partOf(progress, 0.6, 0.8), stop);
        if (!loaded)
            return loaded.error();
        const auto found = comparison.with(*loaded, "after it was read back", stop);
        if (!found)
            return found.error();
        difference = *found;
        return {};
    };
    const Progress writing = partOf(progress, 0.3, 0.6);
    auto saved = SmallerModelFile(*smaller, *std::move(origin), output, writing, stop)
                     .write(*form, compareAgain);
    if (saved)
        saved->difference = difference;
    return saved;
}

} // namespace headscope
