#include "tests/support/model_variant.h"

#include "core/io/tensor_source.h"
#include "core/loading/load_model.h"
#include "core/model/weight_role.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace headscope::test {

namespace {

Storage storageOf(StoredType type) {
    switch (type) {
    case StoredType::Float32:
        return Storage::Float32;
    case StoredType::Float16:
        return Storage::Float16;
    default:
        throw std::runtime_error("a fixture holds only float32 and float16");
    }
}

void writeText(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

} // namespace

ModelVariant without(const std::string& model, const std::string& part) {
    ModelVariant variant(model);
    std::erase_if(variant.tensors, [&](const FileTensor& tensor) {
        return tensor.name.find(part) != std::string::npos;
    });
    return variant;
}

void transpose(FileTensor& matrix) {
    const std::size_t rows = matrix.shape[0];
    const std::size_t cols = matrix.shape[1];
    std::vector<float> turned(matrix.values.size());
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < cols; ++c)
            turned[c * rows + r] = matrix.values[r * cols + c];
    matrix.values = std::move(turned);
    std::swap(matrix.shape[0], matrix.shape[1]);
}

std::filesystem::path modelPath(const std::string& name) {
    const std::filesystem::path fixture = HEADSCOPE_TEST_DATA "/fixtures/" + name + ".h5";
    if (std::filesystem::exists(fixture))
        return fixture;
    return HEADSCOPE_SAMPLE_MODELS "/" + name + ".h5";
}

std::shared_ptr<const Model> loadUnchanged(const std::string& name) {
    auto model = loadModel(modelPath(name));
    if (!model)
        throw std::runtime_error(model.error().message);
    return *model;
}

ModelVariant::ModelVariant(const std::string& name)
    : name_(name), folder_(std::make_shared<QTemporaryDir>()) {
    const auto source = openTensorSource(modelPath(name));
    if (!source)
        throw std::runtime_error(source.error().message);
    for (const TensorInfo& info : (*source)->tensors()) {
        std::vector<float> values(elementCount(info.shape));
        if (const auto done = (*source)->read(info, values); !done)
            throw std::runtime_error(done.error().message);
        tensors.push_back({info.name, info.shape, std::move(values), storageOf(info.type)});
    }
    config = nlohmann::json::parse((*source)->text("config").value());
    tokenizer = (*source)->text("tokenizer");
}

FileTensor& ModelVariant::tensor(const std::string& name) {
    const auto found = std::ranges::find(tensors, name, &FileTensor::name);
    if (found == tensors.end())
        throw std::runtime_error("no tensor " + name);
    return *found;
}

void ModelVariant::remove(const std::string& name) {
    tensor(name);
    std::erase_if(tensors, [&](const FileTensor& t) { return t.name == name; });
}

void ModelVariant::add(const std::string& name, Shape shape, float value) {
    const std::size_t size = elementCount(shape);
    tensors.push_back({name, std::move(shape), std::vector<float>(size, value)});
}

std::filesystem::path ModelVariant::write() const {
    const std::filesystem::path folder = folder_->path().toStdString();
    const auto path = folder / (name_ + ".h5");
    std::vector<FileAttribute> attributes;
    const std::string text = config_text.value_or(config.dump());
    if (config_inside)
        attributes.push_back({"config", text});
    else
        writeText(folder / "config.json", text);
    if (tokenizer && tokenizer_inside)
        attributes.push_back({"tokenizer", *tokenizer});
    else if (tokenizer)
        writeText(folder / "tokenizer.json", *tokenizer);
    writeModelFile(path, tensors, attributes, naming);
    return path;
}

Result<std::shared_ptr<const Model>> ModelVariant::load() const {
    return loadModel(write());
}

std::shared_ptr<const Model> ModelVariant::loaded() const {
    auto model = load();
    if (!model)
        throw std::runtime_error(model.error().message);
    return *model;
}

std::string ModelVariant::refusal() const {
    const auto model = load();
    return model ? std::string() : model.error().message;
}

bool sameWeights(const Model& a, const Model& b) {
    if (a.spec.n_layers != b.spec.n_layers)
        return false;
    for (const RoleInfo& role : weightRoles())
        for (std::size_t layer = 0; layer < (role.isPerLayer() ? a.spec.n_layers : 1); ++layer)
            if (!std::ranges::equal(widened(matrixOf(role.tensor.read(a.weights, layer))).values(),
                                    widened(matrixOf(role.tensor.read(b.weights, layer))).values()))
                return false;
    return true;
}

} // namespace headscope::test
