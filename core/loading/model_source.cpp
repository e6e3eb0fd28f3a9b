#include "core/loading/model_source.h"

#include "core/loading/architectures/architecture.h"
#include "core/loading/plan/described_model.h"
#include "core/loading/plan/file_view.h"
#include "core/loading/plan/tensor_plan.h"
#include "core/loading/plan/untied_head.h"
#include "core/tensor/half.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// A role that fills a tensor, or half of one.
struct SourcePart {
    WeightRole role{};
    std::size_t layer = 0;
    /// The expert of a role that every expert has, or the head of Layout::OneHead; nothing: all of
    /// them.
    std::optional<std::size_t> expert;
    Layout layout = Layout::AsStored;
    double factor = 1.0;
};

/// Whether a narrow format holds all of these numbers exactly.
bool fit(std::span<const float> values, FloatFormat format) {
    return std::ranges::all_of(
        values, [format](float value) { return value == widen(format, narrow(format, value)); });
}

class ModelSource : public TensorSource {
public:
    ModelSource(std::shared_ptr<const Model> model, std::shared_ptr<const TensorSource> like,
                ModelSpec spec)
        : model_(std::move(model)), like_(std::move(like)), spec_(std::move(spec)) {}

    Result<void> add(const TensorRule& rule, std::size_t layer) {
        for (std::size_t expert = 0; expert < rule.tensorsIn(spec_, layer); ++expert)
            if (auto added = add(rule, layer, expert); !added)
                return added;
        return {};
    }

    Result<void> add(const TensorRule& rule, std::size_t layer, std::size_t expert) {
        const RoleInfo& role = roleInfo(rule.role);
        const ModelSpec in_file = specInFile(spec_, layer);
        if (std::ranges::count(role.shape(in_file), 0u) > 0 || isLeftOut(rule.role, layer))
            return {};
        const Shape shape = fileShape(rule.role, rule.layout, in_file);
        const std::string name = atExpert(atLayer(rule.name, layer), expert);
        if (shapeOf(role.tensor.read(model_->weights, layer)) != role.tensorShape(spec_, layer))
            return Error{ErrorCode::Mismatch, model_->name + " has no weights for the tensor '" +
                                                  name +
                                                  "' that its config asks for; save it "
                                                  "with a config of its own."};
        std::vector<SourcePart>& parts = parts_[name];
        parts.push_back({rule.role, layer,
                         holdsOneOfSeveral(rule) ? std::optional(expert) : std::nullopt,
                         rule.layout, rule.factor});
        if (parts.size() == 1)
            tensors_.push_back(
                {name, shape, StoredType::Float32, elementCount(shape) * sizeof(float)});
        return {};
    }

    void finish() {
        for (TensorInfo& tensor : tensors_) {
            const TensorInfo* const before = like_->find(tensor.name);
            const FloatFormat format = before ? formatFor(before->type) : FloatFormat::Float32;
            if (format == FloatFormat::Float32)
                continue;
            std::vector<float> values(elementCount(tensor.shape));
            if (read(tensor, values, {}) && fit(values, format)) {
                tensor.type = before->type;
                tensor.stored_bytes = values.size() * sizeof(std::uint16_t);
            }
        }
        std::ranges::sort(tensors_, {}, &TensorInfo::name);
    }

    const std::filesystem::path& path() const override { return like_->path(); }
    std::span<const TensorInfo> tensors() const override { return tensors_; }
    std::optional<std::string> text(std::string_view key) const override {
        return like_->text(key);
    }

    Result<void> read(const TensorInfo& tensor, NumberTarget target,
                      std::stop_token stop) const override {
        if (target.isWords())
            return readNarrowed(tensor, target.words, stop);
        for (const SourcePart& part : parts_.at(tensor.name)) {
            if (stop.stop_requested())
                return Error{ErrorCode::Cancelled, "Reading the weights was cancelled."};
            const RoleInfo& role = roleInfo(part.role);
            const WeightMatrix whole = matrixOf(role.tensor.read(model_->weights, part.layer));
            const bool of_head = part.layout == Layout::OneHead;
            const std::size_t number = part.expert.value_or(0);
            const std::size_t first =
                of_head ? number * spec_.d_head : dimSize(role.first_col, spec_, part.layer);
            const std::size_t first_row =
                of_head ? 0 : number * dimSize(role.rows, spec_, part.layer);
            PlannedTensor planned{&tensor, part.role, part.layer, part.layout};
            planned.factor = part.factor;
            const FileView view = fileView(planned, spec_);
            for (const FileView::Line row : view.rows) {
                const WidenedMatrix line(whole.rowRange(first_row + row.index, 1));
                for (const FileView::Line col : view.cols)
                    target.floats[row.offset + col.offset] =
                        ((*line)(0, first + col.index) - view.addend) / view.factor;
            }
        }
        return {};
    }

private:
    /// What a base model lacks, and one that is open as weights. Of experts single ones may lack.
    bool isLeftOut(WeightRole role, std::size_t layer) const {
        const bool runs = model_->spec.cannot_run.empty();
        const bool is_whole = runs && model_->spec.output != OutputHead::None;
        if (is_whole || isCircuit(role) || (runs && !isHead(role)))
            return false;
        const RoleInfo& info = roleInfo(role);
        return shapeOf(info.tensor.read(model_->weights, layer)).empty() ||
               (!runs && info.isPerExpert());
    }

    std::shared_ptr<const Model> model_;
    std::shared_ptr<const TensorSource> like_;
    ModelSpec spec_; ///< as the config describes it
    std::vector<TensorInfo> tensors_;
    std::map<std::string, std::vector<SourcePart>, std::less<>> parts_; ///< by name of the tensor
};

/// Whether a role, which each layer has once, holds the same numbers in all layers.
bool isSameInAllLayers(const RoleInfo& role, const Model& model) {
    const auto numbersOf = [&](std::size_t layer) {
        return widened(matrixOf(role.tensor.read(model.weights, layer)));
    };
    const Tensor first = numbersOf(0);
    for (std::size_t layer = 1; layer < model.spec.n_layers; ++layer)
        if (!std::ranges::equal(first.values(), numbersOf(layer).values()))
            return false;
    return true;
}

} // namespace

Result<std::unique_ptr<TensorSource>> modelSource(std::shared_ptr<const Model> model,
                                                  const std::string& config,
                                                  std::shared_ptr<const TensorSource> like) {
    auto reader = ConfigReader::parse(config, "The config of " + model->name);
    if (!reader)
        return reader.error();
    auto architecture = describeArchitecture(*reader, *like);
    if (!architecture)
        return architecture.error();
    tieAsIn(model->spec, *architecture);
    auto source = std::make_unique<ModelSource>(model, std::move(like), architecture->spec);
    std::set<WeightRole> filled;
    for (const TensorRule& rule : architecture->tensors) {
        if (!filled.insert(rule.role).second)
            continue; // another name of the same tensor
        const RoleInfo& role = roleInfo(rule.role);
        const bool shared = role.isPerLayer() && rule.name.find("{}") == std::string::npos;
        if (shared && !isSameInAllLayers(role, *model))
            return Error{ErrorCode::Unsupported, model->name +
                                                     " cannot be written, since its layers "
                                                     "differ and its file holds '" +
                                                     rule.name + "' once for all of them."};
        const std::size_t copies = role.isPerLayer() && !shared ? architecture->spec.n_layers : 1;
        for (std::size_t layer = 0; layer < copies; ++layer)
            if (auto added = source->add(rule, layer); !added)
                return added.error();
    }
    source->finish();
    return std::unique_ptr<TensorSource>(std::move(source));
}

} // namespace headscope
