#include "core/model/architectures/common.h"

namespace headscope {

namespace {

void readLlama3Scaling(ConfigReader& scaling, const ModelSpec& spec, RotarySpec& rotary) {
    rotary.scaling = RotaryScalingKind::Llama3;
    rotary.factor = scaling.positiveOr({"factor"}, 8.0);
    rotary.low_freq_factor = scaling.positiveOr({"low_freq_factor"}, 1.0);
    rotary.high_freq_factor = scaling.positiveOr({"high_freq_factor"}, 4.0);
    rotary.original_context =
        static_cast<double>(scaling.sizeOr({"original_max_position_embeddings"}, spec.n_ctx));
    if (rotary.high_freq_factor <= rotary.low_freq_factor)
        scaling.fail(ErrorCode::Malformed,
                     "has a rotary high_freq_factor that is not above its low_freq_factor; correct "
                     "the config.");
}

void readScaling(ConfigReader& scaling, const ModelSpec& spec, RotarySpec& rotary) {
    rotary.base = scaling.positiveOr({"rope_theta"}, rotary.base);
    const std::string type = scaling.textOr({"rope_type", "type"}, "default");
    if (scaling.positiveOr({"partial_rotary_factor"}, 1.0) != 1.0)
        scaling.fail(ErrorCode::Unsupported,
                     "has a partial_rotary_factor other than 1, and rotating a part of each head "
                     "is not supported for this family.");
    if (type == "llama3") {
        readLlama3Scaling(scaling, spec, rotary);
    } else if (type == "linear") {
        rotary.scaling = RotaryScalingKind::Linear;
        rotary.factor = scaling.positiveOr({"factor"}, 1.0);
    } else if (type != "default") {
        scaling.fail(ErrorCode::Unsupported,
                     "asks for rotary embeddings of the type '" + type +
                         "', expected default, linear or llama3; open a model without it.");
    }
}

} // namespace

RotarySpec readRotary(ConfigReader& config, const ModelSpec& spec) {
    RotarySpec rotary;
    rotary.d_rotary = spec.d_head;
    rotary.base = config.positiveOr({"rope_theta"}, 10000.0);
    auto scaling = config.object("rope_parameters");
    if (!scaling)
        scaling = config.object("rope_scaling");
    if (scaling)
        readScaling(*scaling, spec, rotary);
    return rotary;
}

} // namespace headscope
