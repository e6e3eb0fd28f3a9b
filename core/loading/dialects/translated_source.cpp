#include "core/loading/dialects/translated_source.h"

#include "core/base/text.h"

#include <algorithm>
#include <set>

namespace headscope {

namespace {

/// Puts `matrix` of [rows, matrix.size() / rows] into the columns of `target` that begin at
/// `column`. Returns the column after it.
std::size_t placeColumns(std::span<const float> matrix, std::size_t rows, std::size_t column,
                         std::span<float> target) {
    const std::size_t cols = matrix.size() / rows;
    const std::size_t target_cols = target.size() / rows;
    for (std::size_t row = 0; row < rows; ++row)
        std::copy_n(matrix.begin() + static_cast<std::ptrdiff_t>(row * cols), cols,
                    target.begin() + static_cast<std::ptrdiff_t>(row * target_cols + column));
    return column + cols;
}

class TranslatedSource final : public TensorSource {
public:
    TranslatedSource(std::unique_ptr<TensorSource> file, std::vector<TranslatedTensor> tensors,
                     TranslatedTexts texts)
        : file_(std::move(file)), recipes_(std::move(tensors)), texts_(std::move(texts)) {
        for (const TranslatedTensor& recipe : recipes_)
            tensors_.push_back(recipe.info);
    }

    const std::filesystem::path& path() const override { return file_->path(); }
    std::vector<std::filesystem::path> files() const override { return file_->files(); }
    std::vector<const InputFile*> openFiles() const override { return file_->openFiles(); }
    std::vector<std::string> notes() const override { return file_->notes(); }
    std::span<const TensorInfo> tensors() const override { return tensors_; }

    std::optional<std::string> text(std::string_view key) const override {
        const auto found = texts_.find(key);
        return found != texts_.end() ? found->second : file_->text(key);
    }

    Result<void> read(const TensorInfo& tensor, NumberTarget target,
                      std::stop_token stop) const override;

private:
    Result<void> readParts(const TranslatedTensor& recipe, std::span<float> target,
                           const std::stop_token& stop) const;
    Result<void> readRow(const TranslatedTensor& recipe, std::span<float> target,
                         const std::stop_token& stop) const;
    Result<void> compare(const TranslatedTensor& recipe, std::span<const float> values,
                         const std::stop_token& stop) const;
    Result<std::vector<float>> readWhole(const std::string& part,
                                         const std::stop_token& stop) const;

    std::unique_ptr<TensorSource> file_;
    std::vector<TranslatedTensor> recipes_; ///< sorted by name
    std::vector<TensorInfo> tensors_;       ///< of the recipe with the same index
    TranslatedTexts texts_;
};

Result<void> TranslatedSource::read(const TensorInfo& tensor, NumberTarget target,
                                    std::stop_token stop) const {
    const TensorInfo* const known = find(tensor.name);
    if (known == nullptr || target.size() != elementCount(known->shape))
        return Error{ErrorCode::InvalidArgument, path().filename().string() + " has no tensor '" +
                                                     tensor.name + "' of " +
                                                     std::to_string(target.size()) + " values."};
    if (target.size() == 0)
        return {};
    const TranslatedTensor& recipe = recipes_[static_cast<std::size_t>(known - tensors_.data())];
    if (recipe.parts.size() > 1 || recipe.heads_first)
        return target.isWords() ? readNarrowed(tensor, target.words, stop)
                                : readParts(recipe, target.floats, stop);
    if (recipe.row)
        return target.isWords() ? readNarrowed(tensor, target.words, stop)
                                : readRow(recipe, target.floats, stop);
    if (target.isWords() && (recipe.restore || !recipe.copies.empty()))
        return readNarrowed(tensor, target.words, stop);
    if (auto done = file_->read(*file_->find(recipe.parts.front()), target, stop); !done)
        return done.error();
    if (recipe.restore)
        recipe.restore(target.floats);
    return compare(recipe, target.floats, stop);
}

Result<void> TranslatedSource::readParts(const TranslatedTensor& recipe, std::span<float> target,
                                         const std::stop_token& stop) const {
    const bool is_flat = recipe.stacked || recipe.info.shape.size() == 1;
    const std::size_t rows = is_flat ? 1 : recipe.info.shape.front();
    std::size_t column = 0;
    for (const std::string& part : recipe.parts) {
        const auto values = readWhole(part, stop);
        if (!values)
            return values.error();
        const std::size_t n_matrices =
            recipe.heads_first ? file_->find(part)->shape.front() : std::size_t{1};
        const std::size_t size = values->size() / n_matrices;
        for (std::size_t i = 0; i < n_matrices; ++i)
            column = placeColumns(std::span(*values).subspan(i * size, size), rows, column, target);
    }
    if (recipe.restore)
        recipe.restore(target);
    return {};
}

Result<void> TranslatedSource::readRow(const TranslatedTensor& recipe, std::span<float> target,
                                       const std::stop_token& stop) const {
    const auto values = readWhole(recipe.parts.front(), stop);
    if (!values)
        return values.error();
    std::ranges::copy(std::span(*values).subspan(*recipe.row * target.size(), target.size()),
                      target.begin());
    return {};
}

Result<void> TranslatedSource::compare(const TranslatedTensor& recipe,
                                       std::span<const float> values,
                                       const std::stop_token& stop) const {
    for (const std::string& name : recipe.copies) {
        const auto copy = readWhole(name, stop);
        if (!copy)
            return copy.error();
        if (!std::ranges::equal(*copy, values))
            return Error{ErrorCode::Mismatch,
                         path().filename().string() + ": the tensors '" + recipe.parts.front() +
                             "' and '" + name +
                             "' are one tensor of the model and hold different values; export the "
                             "model again."};
    }
    return {};
}

Result<std::vector<float>> TranslatedSource::readWhole(const std::string& part,
                                                       const std::stop_token& stop) const {
    const TensorInfo& tensor = *file_->find(part);
    std::vector<float> values(elementCount(tensor.shape));
    if (auto done = file_->read(tensor, values, stop); !done)
        return done.error();
    return values;
}

} // namespace

TranslatedTensor renamed(const TensorInfo& tensor, std::string name, bool transposed) {
    TranslatedTensor translated{tensor, {tensor.name}};
    if (name == tensor.name)
        return translated;
    translated.info.stored_name = tensor.nameInFile();
    translated.info.name = std::move(name);
    translated.info.transposed = transposed;
    return translated;
}

bool changesNames(const TensorSource& file, const Rename& rename) {
    std::set<std::string> names;
    bool changes = false;
    for (const TensorInfo& tensor : file.tensors()) {
        std::string name = rename(tensor.name);
        changes = changes || name != tensor.name;
        if (!names.insert(std::move(name)).second)
            return false;
    }
    return changes;
}

void mixTypes(TensorInfo& tensor, const TensorInfo& other) {
    if (!isFloat(tensor.type) || (tensor.type == other.type && tensor.format == other.format))
        return;
    const bool can_be_read = isFloat(other.type);
    tensor.type = can_be_read ? StoredType::Quantized : other.type;
    tensor.format = can_be_read ? "mixed types" : other.format;
}

Result<std::unique_ptr<TensorSource>> translatedSource(std::unique_ptr<TensorSource> file,
                                                       std::vector<TranslatedTensor> tensors,
                                                       TranslatedTexts texts) {
    const auto name_of = [](const TranslatedTensor& tensor) -> const std::string& {
        return tensor.info.name;
    };
    std::ranges::stable_sort(tensors, {}, name_of);
    std::vector<TranslatedTensor> single;
    for (TranslatedTensor& tensor : tensors) {
        if (single.empty() || name_of(single.back()) != name_of(tensor)) {
            single.push_back(std::move(tensor));
            continue;
        }
        TranslatedTensor& first = single.back();
        if (first.info.shape != tensor.info.shape ||
            first.info.transposed != tensor.info.transposed)
            return Error{ErrorCode::Mismatch,
                         file->path().filename().string() + ": the tensors '" +
                             first.info.nameInFile() + "' " + shapeText(first.info.shape) +
                             " and '" + tensor.info.nameInFile() + "' " +
                             shapeText(tensor.info.shape) +
                             " are one tensor of the model and differ; export the model again."};
        first.copies.push_back(tensor.parts.front());
    }
    return std::unique_ptr<TensorSource>(
        std::make_unique<TranslatedSource>(std::move(file), std::move(single), std::move(texts)));
}

Result<std::unique_ptr<TensorSource>> renamedSource(std::unique_ptr<TensorSource> file,
                                                    const Rename& rename) {
    std::vector<TranslatedTensor> tensors;
    for (const TensorInfo& tensor : file->tensors())
        tensors.push_back(renamed(tensor, rename(tensor.name)));
    return translatedSource(std::move(file), std::move(tensors));
}

} // namespace headscope
