#pragma once

#include "core/model/model.h"
#include "tests/support/hdf5_files.h"

#include <QTemporaryDir>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::test {

/// A fixture or sample model taken apart: a test changes something, writes it and loads it.
/// Everything throws std::runtime_error when the test itself is wrong.
class ModelVariant {
public:
    /// "gpt2" of tests/data/fixtures, or a sample model.
    explicit ModelVariant(const std::string& name);

    std::vector<FileTensor> tensors;
    nlohmann::json config;
    std::optional<std::string> config_text; ///< written in place of `config`
    std::optional<std::string> tokenizer;
    bool config_inside = true;    ///< as an attribute, else as config.json beside the file
    bool tokenizer_inside = true; ///< likewise
    Naming naming = Naming::Groups;

    FileTensor& tensor(const std::string& name);
    void remove(const std::string& name);
    /// A new tensor full of one value.
    void add(const std::string& name, Shape shape, float value = 0.5f);

    /// The folder of the written file lives as long as the variant.
    std::filesystem::path write() const;
    Result<std::shared_ptr<const Model>> load() const;
    std::shared_ptr<const Model> loaded() const;
    /// The error's message; an empty one when the model loads.
    std::string refusal() const;

private:
    std::string name_;
    std::shared_ptr<QTemporaryDir> folder_;
};

/// Without the tensors whose names have a part.
ModelVariant without(const std::string& model, const std::string& part);

/// A matrix the other way: [rows, cols] to [cols, rows].
void transpose(FileTensor& matrix);

/// tests/data/fixtures/NAME.h5, else sample_models/NAME.h5.
std::filesystem::path modelPath(const std::string& name);

/// That file as it is.
std::shared_ptr<const Model> loadUnchanged(const std::string& name);

/// Whether all tensors hold the same numbers.
bool sameWeights(const Model& a, const Model& b);

} // namespace headscope::test
