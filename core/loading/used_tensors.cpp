#include "core/loading/used_tensors.h"

#include "core/loading/plan/described_model.h"
#include "core/loading/plan/partial_model.h"
#include "core/loading/plan/tensor_plan.h"

#include <algorithm>

namespace headscope {

namespace {

class UsedTensors final : public TensorSource {
public:
    UsedTensors(std::unique_ptr<TensorSource> file, std::vector<TensorInfo> tensors)
        : file_(std::move(file)), tensors_(std::move(tensors)) {}

    const std::filesystem::path& path() const override { return file_->path(); }
    std::vector<std::filesystem::path> files() const override { return file_->files(); }
    std::vector<const InputFile*> openFiles() const override { return file_->openFiles(); }
    std::vector<std::string> notes() const override { return file_->notes(); }
    std::span<const TensorInfo> tensors() const override { return tensors_; }
    std::optional<std::string> text(std::string_view key) const override {
        return file_->text(key);
    }
    Result<void> read(const TensorInfo& tensor, NumberTarget target,
                      std::stop_token stop) const override {
        return file_->read(*file_->find(tensor.name), target, std::move(stop));
    }

private:
    std::unique_ptr<TensorSource> file_;
    std::vector<TensorInfo> tensors_; ///< of file_, with other shapes; sorted by name
};

/// One for each tensor of the file, also where that fills several roles.
std::vector<TensorInfo> plannedTensors(const TensorPlan& plan, const ModelSpec& spec) {
    std::vector<TensorInfo> tensors;
    for (const PlannedTensor& planned : plan.tensors) {
        tensors.push_back(*planned.tensor);
        tensors.back().shape =
            fileShape(planned.role, planned.layout, specInFile(spec, planned.layer));
    }
    std::ranges::sort(tensors, {}, &TensorInfo::name);
    const auto same_name = [](const TensorInfo& a, const TensorInfo& b) {
        return a.name == b.name;
    };
    tensors.erase(std::unique(tensors.begin(), tensors.end(), same_name), tensors.end());
    return tensors;
}

} // namespace

Result<std::unique_ptr<TensorSource>> usedTensors(std::unique_ptr<TensorSource> file,
                                                  bool transpose_heads) {
    const bool translated = std::ranges::any_of(file->tensors(), &TensorInfo::isTranslated);
    if (!translated && !transpose_heads)
        return file;
    const auto described = describeModel(*file);
    if (!described)
        return described.error();
    const auto plan =
        planTensors(described->architecture, *file, {.transpose_heads = transpose_heads});
    if (!plan)
        return plan.error();
    if (!translated)
        return file;
    ModelSpec spec = described->architecture.spec;
    if (auto enough = withoutMissing(*plan, spec); !enough)
        return enough.error();
    auto tensors = plannedTensors(*plan, spec);
    return std::unique_ptr<TensorSource>(
        std::make_unique<UsedTensors>(std::move(file), std::move(tensors)));
}

} // namespace headscope
