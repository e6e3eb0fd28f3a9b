#pragma once

#include "tests/support/model_variant.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::test {

/// How the numbers of a written model are stored.
enum class Precision { Float32, Float16, BFloat16 };
inline constexpr Precision kPrecisions[] = {Precision::Float32, Precision::Float16,
                                            Precision::BFloat16};
/// "f32", "f16", "bf16"
std::string precisionName(Precision precision);

/// A kind of weight file, as people have them.
struct FileKind {
    std::string name;
    /// Writes a model into an empty folder, with its config, and returns what to open.
    std::filesystem::path (*write)(const std::filesystem::path& folder, const ModelVariant& model,
                                   Precision precision);
};

/// The kinds that any model can be written as, without any code of the product.
std::vector<FileKind> writtenKinds();

/// Values of at most 8 significant bits, none smaller than 2⁻¹⁴, which all precisions hold exactly.
void makeExact(ModelVariant& model);

/// Kinds that only their own libraries write, in tests/data/FOLDER.
struct RecordedKind {
    std::string name;
    std::string folder;
    Precision precision;
};
std::vector<RecordedKind> recordedKinds();

/// A model as its own library wrote it.
struct RecordedModel {
    std::filesystem::path path;      ///< a folder, or a file of GGUF
    std::filesystem::path reference; ///< of the fixture it was made from, or one of its own
};
/// Folders that are named after a fixture ("gpt2-sharded"), and files beside their references.
std::vector<RecordedModel> recordedModels(const RecordedKind& kind);

} // namespace headscope::test
