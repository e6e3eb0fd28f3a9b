#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/export/convert_model.h"
#include "core/model/model.h"
#include "core/pruning/smaller_model.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

namespace headscope {

struct SavedModel {
    std::shared_ptr<const Model> model; ///< that the file holds
    /// Largest difference of a logit (of the last residual where there are none) between the model
    /// that was read back and the whole one with the same heads at zero and the same repairs, over
    /// the largest one.
    double difference = 0.0;
    std::size_t predicted_bytes = 0; ///< before anything was written
    std::size_t bytes = 0;           ///< of the file
    std::string note;                ///< as in ConvertedModel
    /// Why transformers opens the folder by its load_model.py only (HuggingFaceConfig); else empty.
    std::string loader_reason;
};

/// The largest SavedModel::difference that saveSmallerModel() accepts.
inline constexpr double kSameLogits = 1e-5;

/// modelFormOf(), or why there is none.
Result<ModelForm> smallerModelForm(const std::filesystem::path& path);

/// Writes the model without the removed heads in the form that the name of `output` says. Before,
/// and again after it was read back, it is compared on `check_on` with the masked model; when they
/// differ by more than kSameLogits, or anything else fails, nothing is left behind. The model must
/// have been loaded from a file, whose config and tokenizer go along.
Result<SavedModel> saveSmallerModel(const std::shared_ptr<const Model>& model, const Cut& cut,
                                    const std::filesystem::path& output,
                                    std::span<const TokenIds> check_on,
                                    const Progress& progress = {},
                                    const std::stop_token& stop = {});

} // namespace headscope
