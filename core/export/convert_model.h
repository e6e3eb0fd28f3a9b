#pragma once

#include "core/export/formats/model_file.h"
#include "core/loading/load_model.h"
#include "core/model/model.h"

#include <filesystem>
#include <stop_token>
#include <string>

namespace headscope {

struct ConvertedModel {
    WrittenModel written;
    std::string config_source;
    std::string tokenizer_source; ///< empty: no tokenizer is inside, for the reason in the note
    std::string tokenizer_note;   ///< one sentence
};

/// Opens whatever can be opened and writes it as a native HDF5 file with config and tokenizer
/// inside; loading that gives the model that loading `input` with these options gives. Of a file
/// whose names were translated only what the network uses is written. Fails when there is no
/// config, or when `output` is one of the files that are read.
Result<ConvertedModel> convertModel(const std::filesystem::path& input,
                                    const std::filesystem::path& output, FloatFormat format,
                                    const LoadOptions& options = {}, const Progress& progress = {},
                                    const std::stop_token& stop = {});

} // namespace headscope
