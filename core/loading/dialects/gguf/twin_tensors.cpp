#include "core/loading/dialects/gguf/twin_tensors.h"

#include "core/base/text.h"
#include "core/loading/dialects/gguf/tensor_forms.h"
#include "core/tensor/tensor.h"

#include <algorithm>
#include <utility>

namespace headscope {

namespace {

/// The parts of a name in Hugging Face's files, where some parameters have no ".weight" and
/// "_bias".
NameParts torchParts(const std::string& name) {
    constexpr std::string_view bias = "_bias";
    if (name.ends_with(".weight") || name.ends_with(".bias"))
        return partsOf(name);
    return partsOf(name.ends_with(bias) ? name.substr(0, name.size() - bias.size()) + ".bias"
                                        : name + ".weight");
}

/// The shape in GGUF of a tensor with this shape in the model.
Shape ggufShape(GgufForm form, Shape shape) {
    const bool is_transposed =
        form == GgufForm::ExpertsTransposed || form == GgufForm::AlternatingExperts;
    if (is_transposed && shape.size() == 3)
        std::swap(shape[1], shape[2]);
    if (isHalf(form))
        shape[form == GgufForm::FusedRows ? 0 : 1] /= 2;
    if (form == GgufForm::Transposed)
        std::ranges::reverse(shape);
    if (form == GgufForm::OneRow)
        shape.erase(shape.begin());
    if (form == GgufForm::HeadRows)
        shape.insert(shape.begin(), 1);
    return shape;
}

} // namespace

std::vector<TwinTensor> twinsOf(const TensorInfo& tensor, std::span<const GgufName> names) {
    const NameParts parts = torchParts(tensor.name);
    std::vector<TwinTensor> twins;
    for (const GgufName& name : names) {
        const bool of_rows = name.form == GgufForm::HeadRows;
        if (name.torch != (of_rows ? parts.stem.substr(0, parts.stem.rfind('.')) : parts.stem))
            continue;
        TwinTensor twin{tensor, tensor.name, {}, name.formOf(parts.ending), !twins.empty()};
        twin.info.name = replaceAll(name.gguf, "{}", parts.layer) + parts.ending;
        twin.info.shape = ggufShape(twin.form, tensor.shape);
        twins.push_back(std::move(twin));
    }
    return twins;
}

void addTwins(std::vector<TwinTensor> found, std::vector<TwinTensor>& twins) {
    for (TwinTensor& twin : found) {
        const auto same = std::ranges::find_if(twins, [&](const TwinTensor& other) {
            return twin.form == GgufForm::HeadRows && other.info.name == twin.info.name;
        });
        if (same == twins.end())
            twins.push_back(std::move(twin));
        else
            same->info.shape.front() += 1;
    }
}

namespace {

class TwinSource final : public TensorSource {
public:
    TwinSource(std::unique_ptr<TensorSource> weights, std::shared_ptr<const Model> model,
               std::vector<TwinTensor> tensors)
        : weights_(std::move(weights)), model_(std::move(model)), twins_(std::move(tensors)) {
        std::ranges::sort(twins_, {}, [](const TwinTensor& twin) -> const std::string& {
            return twin.info.name;
        });
        for (const TwinTensor& twin : twins_)
            tensors_.push_back(twin.info);
    }

    const std::filesystem::path& path() const override { return weights_->path(); }
    std::span<const TensorInfo> tensors() const override { return tensors_; }
    std::optional<std::string> text(std::string_view) const override { return std::nullopt; }

    Result<void> read(const TensorInfo& tensor, NumberTarget target,
                      std::stop_token stop) const override {
        if (target.isWords())
            return readNarrowed(tensor, target.words, stop);
        const TensorInfo* const known = find(tensor.name);
        const TwinTensor& twin = twins_[static_cast<std::size_t>(known - tensors_.data())];
        if (twin.torch.empty()) {
            std::ranges::copy(twin.values, target.floats.begin());
            return {};
        }
        if (isHalf(twin.form))
            return readHalf(twin, target.floats, stop);
        if (twin.form == GgufForm::HeadRows)
            return readRows(twin, target.floats, stop);
        if (auto done = weights_->read(*weights_->find(twin.torch), target, std::move(stop)); !done)
            return done;
        rearrange(twin, target.floats);
        return {};
    }

private:
    Result<void> readHalf(const TwinTensor& twin, std::span<float> half,
                          const std::stop_token& stop) const {
        const TensorInfo& tensor = *weights_->find(twin.torch);
        std::vector<float> whole(elementCount(tensor.shape));
        if (auto done = weights_->read(tensor, whole, stop); !done)
            return done;
        const std::size_t n = twin.form == GgufForm::FusedRows ? 1 : tensor.shape.front();
        if (twin.form == GgufForm::AlternatingExperts)
            stackAlternateColumns(whole, n, tensor.shape.size() == 3 ? tensor.shape[1] : 1);
        const std::size_t size = half.size() / n;
        for (std::size_t i = 0; i < n; ++i)
            std::copy_n(whole.begin() +
                            static_cast<std::ptrdiff_t>((2 * i + twin.second_half) * size),
                        size, half.begin() + static_cast<std::ptrdiff_t>(i * size));
        return {};
    }

    /// `torch` is the name of one of the rows, which ends with its number and ".weight".
    Result<void> readRows(const TwinTensor& twin, std::span<float> rows,
                          const std::stop_token& stop) const {
        const NameParts parts = partsOf(twin.torch);
        const std::string stem = replaceAll(parts.stem, "{}", parts.layer);
        const std::string before = stem.substr(0, stem.rfind('.') + 1);
        const std::size_t width = twin.info.shape.back();
        for (std::size_t row = 0; row < twin.info.shape.front(); ++row) {
            const TensorInfo* const tensor =
                weights_->find(before + std::to_string(row) + parts.ending);
            if (auto done = weights_->read(*tensor, rows.subspan(row * width, width), stop); !done)
                return done;
        }
        return {};
    }

    void rearrange(const TwinTensor& twin, std::span<float> values) const {
        const ModelSpec& spec = model_->spec;
        const Shape& shape = twin.info.shape;
        const std::size_t width = shape.size() > 1 ? shape[1] : 1;
        switch (twin.form) {
        case GgufForm::Rotary:
            return pairAdjacent(values, spec.d_head, width);
        case GgufForm::QkvApart:
            return sortQkvApart(values, spec.n_heads, spec.n_kv_heads, spec.d_head, width);
        case GgufForm::GainPlusOne:
            for (float& value : values)
                value += 1.0f;
            return;
        case GgufForm::Transposed:
            if (shape.size() == 2)
                transposeEach(values, 1, shape[1]);
            return;
        case GgufForm::ExpertsTransposed:
            if (shape.size() == 3)
                transposeEach(values, shape[0], shape[2]);
            return;
        default:
            return;
        }
    }

    std::unique_ptr<TensorSource> weights_;
    std::shared_ptr<const Model> model_;
    std::vector<TwinTensor> twins_;
    std::vector<TensorInfo> tensors_; ///< of the twin with the same index
};

class HeldExperts final : public TensorSource {
public:
    HeldExperts(std::shared_ptr<const TensorSource> file, std::vector<TensorInfo> more)
        : file_(std::move(file)), tensors_(std::move(more)) {
        tensors_.insert(tensors_.end(), file_->tensors().begin(), file_->tensors().end());
        std::ranges::sort(tensors_, {}, &TensorInfo::name);
    }

    const std::filesystem::path& path() const override { return file_->path(); }
    std::span<const TensorInfo> tensors() const override { return tensors_; }
    std::optional<std::string> text(std::string_view key) const override {
        return file_->text(key);
    }
    Result<void> read(const TensorInfo& tensor, NumberTarget target,
                      std::stop_token stop) const override {
        return file_->read(tensor, target, std::move(stop));
    }

private:
    std::shared_ptr<const TensorSource> file_;
    std::vector<TensorInfo> tensors_;
};

} // namespace

std::unique_ptr<TensorSource> twinSource(std::unique_ptr<TensorSource> weights,
                                         std::shared_ptr<const Model> model,
                                         std::vector<TwinTensor> tensors) {
    return std::make_unique<TwinSource>(std::move(weights), std::move(model), std::move(tensors));
}

std::shared_ptr<const TensorSource> withHeldExperts(std::shared_ptr<const TensorSource> file,
                                                    std::span<const GgufName> names,
                                                    std::size_t n_layers) {
    const auto matrix = std::ranges::find_if(
        file->tensors(), [](const TensorInfo& tensor) { return tensor.shape.size() > 1; });
    const StoredType type = matrix == file->tensors().end() ? StoredType::Float32 : matrix->type;
    std::vector<TensorInfo> held;
    for (const GgufName& name : names)
        for (std::size_t layer = 0; layer < n_layers && hasBareName(name.form); ++layer) {
            TensorInfo tensor{name.torchName(std::to_string(layer), ".weight"), {}, type};
            if (file->find(tensor.name) == nullptr &&
                std::ranges::find(held, tensor.name, &TensorInfo::name) == held.end())
                held.push_back(std::move(tensor));
        }
    return std::make_shared<HeldExperts>(std::move(file), std::move(held));
}

} // namespace headscope
