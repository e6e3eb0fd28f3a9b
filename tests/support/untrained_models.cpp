#include "tests/support/untrained_models.h"

#include "core/model/random_model.h"
#include "tests/support/models.h"

#include <cmath>
#include <utility>

namespace headscope::test {

namespace {

constexpr double kInitialDeviation = 0.02; // of the weights that randomModel makes

ModelSpec gpt2Like(const ModelSpec& vocabulary) {
    ModelSpec spec = gpt2SmallShape(vocabulary.n_ctx);
    spec.n_layers = 4;
    spec.n_heads = spec.n_kv_heads = 8;
    spec.d_head = 16;
    spec.d_model = 128;
    spec.d_mlp = 512;
    spec.d_vocab = vocabulary.d_vocab;
    spec.bos_token = vocabulary.bos_token;
    spec.attention_scale.assign(spec.n_layers, 1.0 / std::sqrt(static_cast<double>(spec.d_head)));
    return spec;
}

ModelSpec llamaLike(const ModelSpec& vocabulary, std::size_t n_kv_heads) {
    ModelSpec spec = gpt2Like(vocabulary);
    spec.family = "llama";
    spec.n_kv_heads = n_kv_heads;
    spec.norm = {NormKind::RmsNorm, 1e-5};
    spec.positions = PositionKind::Rotary;
    spec.rotary.d_rotary = spec.d_head;
    spec.mlp = MlpKind::Gated;
    spec.activation = Activation::Silu;
    return spec;
}

std::vector<ModelSpec> tenShapes(const ModelSpec& vocabulary) {
    std::vector<ModelSpec> shapes(5, gpt2Like(vocabulary));
    shapes.push_back(gpt2Like(vocabulary));
    shapes.back().positions = PositionKind::None;
    shapes.push_back(llamaLike(vocabulary, 2));
    shapes.push_back(llamaLike(vocabulary, 1));
    shapes.push_back(llamaLike(vocabulary, 8));
    shapes.back().windows.assign(shapes.back().n_layers, 32);
    shapes.push_back(gpt2Like(vocabulary));
    shapes.back().causal = false;
    shapes.back().norm_placement = NormPlacement::Post;
    shapes.back().norm_after_embedding = true;
    shapes.back().final_norm = false;
    return shapes;
}

/// Factor on queries and on keys with which scores get the standard deviation wanted: a normed
/// input of d_model numbers makes queries and keys of deviation 0.02 √d_model.
float sharpeningFactor(const ModelSpec& spec) {
    constexpr double deviation = 3.0;
    const double now = kInitialDeviation * kInitialDeviation * static_cast<double>(spec.d_model);
    return static_cast<float>(std::sqrt(deviation / now));
}

void sharpen(Model& model) {
    const ModelSpec& spec = model.spec;
    const float factor = sharpeningFactor(spec);
    const std::size_t columns = spec.queryWidth() + spec.keyWidth();
    for (LayerWeights& layer : model.weights.layers)
        for (std::size_t row = 0; row < spec.d_model; ++row)
            for (std::size_t column = 0; column < columns; ++column)
                layer.attn.W_QKV.floats()(row, column) *= factor;
}

} // namespace

std::vector<std::shared_ptr<const Model>> untrainedModels(Sharpness sharpness) {
    const auto sample = loadSample("gpt2-mini-6l");
    std::vector<std::shared_ptr<const Model>> models;
    for (const ModelSpec& spec : tenShapes(sample->spec)) {
        auto model = std::make_shared<Model>(*headscope::randomModel(spec, models.size()));
        model->name = "untrained " + std::to_string(models.size());
        model->tokenizer = sample->tokenizer;
        model->bos_facts = sample->bos_facts;
        if (sharpness == Sharpness::AsTrained)
            sharpen(*model);
        models.push_back(std::move(model));
    }
    return models;
}

} // namespace headscope::test
