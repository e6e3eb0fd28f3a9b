#pragma once

#include "core/io/tensor_source.h"
#include "core/loading/config/config_reader.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The form of a Keras variable, seen from the torch tensor whose name it gets.
enum class KerasForm {
    AsStored,         ///< as that tensor does
    Kernel,           ///< [in, out], where the torch tensor is [out, in]
    HeadsFirstKernel, ///< [head, in, d_head], where the torch tensor is [head · d_head, in]
};

/// "This variable fills that tensor."
struct KerasName {
    std::string keras; ///< after "layers."; "{}" is "", "_1", "_2", … for the layers in order
    std::string torch; ///< "{}" is 0, 1, 2, …; variables of one tensor are its columns, in order
    KerasForm form = KerasForm::AsStored;
};

/// A Hugging Face config that says the same as one of Keras.
struct TranslatedConfig {
    std::string model_type;
    std::string json;
};

/// A network of KerasHub, told as the Hugging Face network with the same arithmetic.
struct KerasBackbone {
    std::string_view class_name;
    /// The Hugging Face config; leaves failures in the reader.
    TranslatedConfig (*config)(ConfigReader& config, const TensorSource& file);
    /// Under that config's model_type.
    std::vector<KerasName> (*names)(std::string_view model_type);
};

/// Null for a class that is none of these.
const KerasBackbone* kerasBackbone(std::string_view class_name);

/// "GPT2Backbone, LlamaBackbone, …"
std::string supportedBackbones();

} // namespace headscope
