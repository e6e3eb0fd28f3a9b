#include "core/loading/load_model.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/io/files_in_use.h"
#include "core/io/sealed_reading.h"
#include "core/io/sha256.h"
#include "core/io/tensor_source.h"
#include "core/loading/config/model_name.h"
#include "core/loading/dialect.h"
#include "core/loading/plan/described_model.h"
#include "core/loading/plan/memory_bill.h"
#include "core/loading/plan/tensor_plan.h"
#include "core/loading/plan/untied_head.h"
#include "core/loading/plan/weight_reader.h"
#include "core/loading/tokenizer_files.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <new>
#include <optional>
#include <vector>

namespace headscope {

namespace {

/// Bytes read so far out of all that will be read.
class ByteProgress {
public:
    ByteProgress(const Progress& progress, std::size_t total)
        : progress_(progress), total_(static_cast<double>(total)) {}

    void at(std::string_view stage) const { report(progress_, done_ / total_, stage); }
    void add(std::size_t bytes) { done_ += static_cast<double>(bytes); }

    /// Progress of a part that reads `bytes`.
    Progress part(std::size_t bytes) const {
        return [this, bytes](double fraction, std::string_view stage) {
            report(progress_, (done_ + fraction * static_cast<double>(bytes)) / total_, stage);
        };
    }

private:
    const Progress& progress_;
    double total_;
    double done_ = 0.0;
};

/// "transposed, axes joined"
std::string howRead(const PlannedTensor& planned, const ModelSpec& spec) {
    const bool joined = planned.tensor->shape !=
                        fileShape(planned.role, planned.layout, specInFile(spec, planned.layer));
    return std::string(layoutName(planned.layout)) + (joined ? ", axes joined" : "") +
           (planned.factor != 1.0 ? ", times " + numberText(planned.factor) : "");
}

/// By the size of their places in memory: while the largest are on their way there, few others are.
/// Tensors of one place stay in the order of the plan.
std::vector<const PlannedTensor*> largestFirst(const TensorPlan& plan, const ModelSpec& spec) {
    std::vector<const PlannedTensor*> order;
    for (const PlannedTensor& planned : plan.tensors)
        order.push_back(&planned);
    std::ranges::stable_sort(order, std::greater(), [&](const PlannedTensor* planned) {
        return elementCount(roleInfo(planned->role).tensorShape(spec, planned->layer));
    });
    return order;
}

/// Loading in its steps; each fails with the sentence for the user.
class Loader {
public:
    Loader(const std::filesystem::path& path, const LoadOptions& options, const Progress& progress,
           std::stop_token stop)
        : path_(path), options_(options), progress_(progress), stop_(std::move(stop)),
          model_(std::make_shared<Model>()) {}

    Result<std::shared_ptr<const Model>> load();

private:
    Result<void> readTexts();
    Result<void> describe();
    Result<TensorPlan> planWeights();
    Result<void> readWeights();
    Result<void> readUntied(const PlannedTensor& unembedding);
    Result<void> takeMemory(const TensorPlan& plan);
    void reportTensors(const TensorPlan& plan);
    std::string fileName() const { return path_.filename().string(); }

    const std::filesystem::path& path_;
    const LoadOptions& options_;
    const Progress& progress_;
    std::stop_token stop_;
    OpenedFiles opened_;
    std::shared_ptr<Model> model_;
    std::unique_ptr<TensorSource> file_;
    std::optional<BackgroundSha256> sha256_; ///< while the weights are read
    Architecture architecture_;
    std::string lacking_; ///< what that means for the user; empty where all tensors are there
};

Result<std::shared_ptr<const Model>> Loader::load() {
    for (const auto step : {&Loader::readTexts, &Loader::readWeights})
        if (auto done = (this->*step)(); !done)
            return done.error();
    model_->in_use = opened_.keepInUse();
    report(progress_, 1.0, "ready");
    return std::shared_ptr<const Model>(std::move(model_));
}

/// One sealed reader parses all of them, and is gone before the weights are read.
Result<void> Loader::readTexts() {
    const SealedReading reading(stop_);
    report(progress_, 0.0, "opening " + fileName());
    auto opened = openTranslated(path_, stop_);
    if (!opened && opened.error().code == ErrorCode::Cancelled)
        return Error{ErrorCode::Cancelled, "Loading " + fileName() + " was cancelled."};
    if (!opened)
        return opened.error();
    file_ = std::move(opened->file);
    model_->report.notes = std::move(opened->notes);
    std::ranges::move(file_->notes(), std::back_inserter(model_->report.notes));
    model_->name = modelName(file_->path());
    model_->path = file_->path();
    model_->description = file_->text("description").value_or("");
    if (auto described = describe(); !described)
        return described;
    takeTokenizer(*file_, *model_);
    return {};
}

Result<void> Loader::describe() {
    if (file_->tensors().empty())
        return Error{ErrorCode::NotFound, fileName() + " holds no tensors, expected the weights "
                                                       "of a model; open another file."};
    auto described = describeModel(*file_);
    if (!described)
        return described.error();
    const ConfigReader& config = described->config;
    architecture_ = std::move(described->architecture);
    model_->spec = architecture_.spec;
    model_->report.config_source = config.source();
    for (const std::string& note : config.notes())
        model_->report.notes.push_back(note);
    model_->report.unused_config_keys = config.unusedKeys();
    return {};
}

Result<TensorPlan> Loader::planWeights() {
    const bool flipped_in_file = file_->text(kSquareMatrices) == kFlipped;
    const bool transposed_in_file = file_->text(kHeadMatrices) == kTransposed;
    const MatrixChoice choice{options_.flip_square_matrices != flipped_in_file,
                              options_.transpose_heads || transposed_in_file};
    auto plan = planTensors(architecture_, *file_, choice);
    if (!plan)
        return plan;
    auto partial = withoutMissing(*plan, model_->spec);
    if (!partial) {
        const std::vector<std::string> notes = file_->notes(); // of shards that are not there
        return Error{partial.error().code,
                     partial.error().message + (notes.empty() ? "" : " " + join(notes, " "))};
    }
    lacking_ = *std::move(partial);
    if (auto enough = takeMemory(*plan); !enough)
        return enough.error();
    return plan;
}

Result<void> Loader::readWeights() {
    const auto plan = planWeights();
    if (!plan)
        return plan.error();
    const std::vector<const InputFile*> files = file_->openFiles();
    if (!sha256_)
        sha256_.emplace(files, stop_);
    const std::size_t hashed = totalBytes(files);
    std::size_t read = 0;
    for (const PlannedTensor& planned : plan->tensors)
        read += planned.tensor->stored_bytes;
    ByteProgress bytes(progress_, read + hashed);

    model_->weights.layers.resize(model_->spec.n_layers);
    WeightReader reader(*file_, *plan, model_->spec, stop_);
    for (const PlannedTensor* const planned : largestFirst(*plan, model_->spec)) {
        bytes.at("reading " + planned->tensor->nameInFile());
        const auto done = reader.read(*planned, model_->weights);
        if (!done && done.error().code == ErrorCode::Mismatch &&
            mayBeUntied(*planned, model_->spec))
            return readUntied(*planned);
        if (!done)
            return done.error();
        bytes.add(planned->tensor->stored_bytes);
    }
    reportTensors(*plan);
    auto sha256 = sha256_->take(bytes.part(hashed));
    if (!sha256)
        return sha256.error();
    model_->sha256 = std::move(*sha256);
    return {};
}

/// From the start again, which embedding and unembedding are, being the largest.
Result<void> Loader::readUntied(const PlannedTensor& unembedding) {
    model_->report.notes.push_back(untiedNote(*unembedding.copy_of, *unembedding.tensor));
    untieHead(architecture_);
    model_->spec.tied_unembedding = false;
    model_->weights = {};
    return readWeights();
}

Result<void> Loader::takeMemory(const TensorPlan& plan) {
    const auto bill = memoryBill(plan, model_->spec, fileName());
    if (!bill)
        return bill.error();
    model_->report.weight_bytes = bill->weights;
    const auto available = availableMemory();
    if (!available)
        return {};
    report(progress_, 0.0,
           byteText(bill->weights) + " of weights, " + byteText(*available) + " of memory free");
    return checkMemory(*bill, *available, fileName());
}

void Loader::reportTensors(const TensorPlan& plan) {
    LoadReport& told = model_->report;
    if (!lacking_.empty() && model_->spec.cannot_run.empty())
        told.notes.insert(told.notes.begin(), lacking_);
    told.ignored = plan.ignored;
    for (const MissingTensor& missing : plan.missing)
        told.missing.push_back({missing.name, missing.expected});
    for (const PlannedTensor& planned : plan.tensors) {
        const TensorInfo& tensor = *planned.tensor;
        if (planned.copy_of != nullptr)
            told.ignored.push_back({tensor.nameInFile(),
                                    "the same values as '" + planned.copy_of->nameInFile() + "'"});
        else
            told.used.push_back({planned.roleName(), tensor.nameInFile(), tensor.shape,
                                 storedTypeText(tensor), howRead(planned, model_->spec)});
    }
    told.square_matrices = plan.order.n_square;
    if (!plan.order.note.empty())
        told.notes.push_back(plan.order.note);
    if (model_->spec.tied_unembedding && model_->spec.output != OutputHead::None)
        told.notes.emplace_back("The unembedding is the token embedding (tied).");
}

} // namespace

Result<std::shared_ptr<const Model>> loadModel(const std::filesystem::path& path,
                                               const LoadOptions& options, const Progress& progress,
                                               std::stop_token stop) {
    try {
        return Loader(path, options, progress, std::move(stop)).load();
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::TooLarge, "There is not enough memory to load " +
                                              path.filename().string() +
                                              "; close other programs or open a smaller model."};
    }
}

} // namespace headscope
