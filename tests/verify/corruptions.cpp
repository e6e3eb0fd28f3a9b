#include "tests/verify/corruptions.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <utility>

namespace headscope::test {

namespace {

constexpr const char* kGpt2 = "gpt2-mini-6l";
constexpr const char* kLlama = "llama-mini-gqa-4l";
constexpr const char* kBert = "bert-mini-4l";
constexpr const char* kAttention = "attn-only-2l";

void exchangeQueriesAndKeys(Model& model) {
    const std::size_t width = model.spec.n_heads * model.spec.d_head;
    for (LayerWeights& layer : model.weights.layers) {
        Tensor& W = layer.attn.W_QKV.floats();
        for (std::size_t c = 0; c < width; ++c) {
            for (std::size_t r = 0; r < model.spec.d_model; ++r)
                std::swap(W(r, c), W(r, width + c));
            if (!layer.attn.b_QKV.empty())
                std::swap(layer.attn.b_QKV(c), layer.attn.b_QKV(width + c));
        }
    }
}

void transposeOutputs(Model& model) {
    for (LayerWeights& layer : model.weights.layers) {
        Tensor& W = layer.attn.W_O.floats();
        for (std::size_t r = 0; r < W.dim(0); ++r)
            for (std::size_t c = 0; c < r; ++c)
                std::swap(W(r, c), W(c, r));
    }
}

/// The rows of W_O of eight heads in an order of no pattern.
void permuteHeads(Model& model) {
    constexpr std::array<std::size_t, 8> kOrder{3, 6, 0, 5, 1, 7, 2, 4};
    const std::size_t d = model.spec.d_head;
    for (LayerWeights& layer : model.weights.layers) {
        const Tensor before = layer.attn.W_O.widened();
        Tensor& W = layer.attn.W_O.floats();
        for (std::size_t r = 0; r < W.dim(0); ++r)
            for (std::size_t c = 0; c < W.dim(1); ++c)
                W(r, c) = before(kOrder[r / d] * d + r % d, c);
    }
}

void reverseHeads(Model& model) {
    const std::size_t d = model.spec.d_head;
    for (LayerWeights& layer : model.weights.layers) {
        const Tensor before = layer.attn.W_O.widened();
        Tensor& W = layer.attn.W_O.floats();
        for (std::size_t r = 0; r < W.dim(0); ++r)
            for (std::size_t c = 0; c < W.dim(1); ++c)
                W(r, c) = before((model.spec.n_heads - 1 - r / d) * d + r % d, c);
    }
}

/// Query heads in the order 0, 4, 1, 5, … of two groups of four, with the rows of W_O.
void regroupHeads(Model& model) {
    const std::size_t d = model.spec.d_head;
    const std::size_t group = model.spec.n_heads / model.spec.n_kv_heads;
    const auto source = [&](std::size_t column) {
        const std::size_t head = column / d;
        return ((head % model.spec.n_kv_heads) * group + head / model.spec.n_kv_heads) * d +
               column % d;
    };
    for (LayerWeights& layer : model.weights.layers) {
        const Tensor before = layer.attn.W_QKV.widened();
        const Tensor outputs = layer.attn.W_O.widened();
        Tensor& W = layer.attn.W_QKV.floats();
        Tensor& W_O = layer.attn.W_O.floats();
        for (std::size_t c = 0; c < model.spec.n_heads * d; ++c)
            for (std::size_t r = 0; r < model.spec.d_model; ++r) {
                W(r, c) = before(r, source(c));
                W_O(c, r) = outputs(source(c), r);
            }
    }
}

void multiplyHeads(Model& model, double factor) {
    ModelSpec& spec = model.spec;
    spec.n_heads = static_cast<std::size_t>(static_cast<double>(spec.n_heads) * factor);
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = static_cast<std::size_t>(static_cast<double>(spec.d_head) / factor);
    for (double& scale : spec.attention_scale)
        scale = 1.0 / std::sqrt(static_cast<double>(spec.d_head));
}

void addNoise(Tensor& values, std::mt19937_64& random) {
    double squares = 0.0;
    for (const float value : values.values())
        squares += double{value} * double{value};
    const double deviation = 0.3 * std::sqrt(squares / static_cast<double>(values.size()));
    std::normal_distribution<double> noise(0.0, deviation);
    for (float& value : values.values())
        value += static_cast<float>(noise(random));
}

/// 30 % of each matrix's size.
void addNoiseEverywhere(Model& model) {
    std::mt19937_64 random(7);
    for (LayerWeights& layer : model.weights.layers) {
        addNoise(layer.attn.W_QKV.floats(), random);
        addNoise(layer.attn.W_O.floats(), random);
        addNoise(layer.mlp.W_in.floats(), random);
        addNoise(layer.mlp.W_out.floats(), random);
    }
}

void movePositions(Model& model, std::ptrdiff_t by) {
    const Tensor before = model.weights.W_pos.widened();
    Tensor& W = model.weights.W_pos.floats();
    const auto rows = static_cast<std::ptrdiff_t>(W.dim(0));
    for (std::ptrdiff_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < W.dim(1); ++c)
            W(static_cast<std::size_t>(r), c) =
                before(static_cast<std::size_t>((r + by + rows) % rows), c);
}

void exchangeTokens(Model& model, const char* first, const char* second) {
    Tensor& W = model.weights.W_E.floats();
    const auto a = static_cast<std::size_t>(model.tokenizer->id(first).value());
    const auto b = static_cast<std::size_t>(model.tokenizer->id(second).value());
    for (std::size_t c = 0; c < W.dim(1); ++c)
        std::swap(W(a, c), W(b, c));
}

void addToGains(Model& model, float addend) {
    for (LayerWeights& layer : model.weights.layers)
        for (NormWeights* norm : {&layer.ln1, &layer.ln2})
            for (float& gain : norm->weight.values())
                gain += addend;
    for (float& gain : model.weights.ln_final.weight.values())
        gain += addend;
}

} // namespace

const std::vector<Corruption>& corruptions() {
    static const std::vector<Corruption> all{
        {"W_Q and W_K exchanged", kGpt2, exchangeQueriesAndKeys,
         "Queries, keys and values exchanged", "queries and keys exchanged", true},
        {"W_Q and W_K exchanged, bidirectional", kBert, exchangeQueriesAndKeys,
         "Queries, keys and values exchanged", "queries and keys exchanged"},
        {"W_O transposed", kGpt2, transposeOutputs, "Square matrices transposed", "W_O transposed"},
        {"heads permuted", kGpt2, permuteHeads, "Heads in another order", "of W_O exchanged"},
        {"heads reversed", kGpt2, reverseHeads, "Heads in another order",
         "rows of W_O in reverse order of heads"},
        {"heads regrouped", kLlama, regroupHeads, "Heads in another order", "regrouped"},
        {"rotary pairs", kLlama,
         [](Model& model) { model.spec.rotary.pairs = RotaryPairs::Adjacent; },
         "Another rotation of queries and keys", "rotary pairs of halves in place of neighbours",
         true},
        {"rotary base 500,000", kLlama, [](Model& model) { model.spec.rotary.base = 500'000.0; },
         "Another rotation of queries and keys", "the rotary base 10000 in place of 500000"},
        {"rotary base 1,000,000", kLlama,
         [](Model& model) { model.spec.rotary.base = 1'000'000.0; },
         "Another rotation of queries and keys", "the rotary base 10000 in place of 1000000"},
        {"epsilon × 10", kGpt2, [](Model& model) { model.spec.norm.eps *= 10.0; },
         "Another epsilon of the norms", ""},
        {"epsilon ÷ 10", kLlama, [](Model& model) { model.spec.norm.eps /= 10.0; },
         "Another epsilon of the norms", ""},
        {"epsilon 0.1", kGpt2, [](Model& model) { model.spec.norm.eps = 0.1; },
         "Another epsilon of the norms", "in place of 0.1"},
        {"ReLU", kGpt2, [](Model& model) { model.spec.activation = Activation::Relu; },
         "Another activation", "GELU by tanh in place of ReLU"},
        {"SiLU to GELU", kLlama, [](Model& model) { model.spec.activation = Activation::GeluTanh; },
         "Another activation", "SiLU in place of GELU by tanh"},
        {"GELU by erf", kGpt2, [](Model& model) { model.spec.activation = Activation::GeluErf; },
         "Another activation", ""},
        {"layers 2 and 3 exchanged", kGpt2,
         [](Model& model) { std::swap(model.weights.layers[2], model.weights.layers[3]); },
         "Layers in another order", "layers 2 and 3 exchanged"},
        {"layers 1 and 2 exchanged", kLlama,
         [](Model& model) { std::swap(model.weights.layers[1], model.weights.layers[2]); },
         "Layers in another order", "layers 1 and 2 exchanged"},
        // gpt2-mini-6l is hardly worse with them on these texts, so that nobody can tell.
        {"half the heads", kGpt2, [](Model& model) { multiplyHeads(model, 0.5); },
         "Another number of heads", ""},
        {"half the heads, attention only", kAttention,
         [](Model& model) { multiplyHeads(model, 0.5); }, "Another number of heads",
         "8 heads in place of 4"},
        {"twice the heads", kAttention, [](Model& model) { multiplyHeads(model, 2.0); },
         "Another number of heads", "8 heads in place of 16", true},
        {"positions zeroed", kGpt2,
         [](Model& model) {
             for (float& value : model.weights.W_pos.floats().values())
                 value = 0.0f;
         },
         "Positions moved", "all tokens at one position", true},
        {"positions one later", kGpt2, [](Model& model) { movePositions(model, 1); },
         "Positions moved", "positions one earlier"},
        {"30 % noise", kGpt2, addNoiseEverywhere, "", ""},
        {"wrong BOS", kGpt2,
         [](Model& model) { model.spec.bos_token = model.tokenizer->id("Ġthe"); },
         "Another beginning of texts", "in front in place of"},
        {"two tokens exchanged", kGpt2, [](Model& model) { exchangeTokens(model, "Ġthe", "Ġof"); },
         "Tokens with other ids", "exchanged", true},
        {"two rare tokens exchanged", kGpt2,
         [](Model& model) { exchangeTokens(model, "Ġriver", "Ġking"); }, "Tokens with other ids",
         ""},
        {"gate and input exchanged", kLlama,
         [](Model& model) {
             for (LayerWeights& layer : model.weights.layers)
                 std::swap(layer.mlp.W_gate, layer.mlp.W_in);
         },
         "Gate and input of the MLP exchanged", "gate and input of the MLP exchanged"},
        {"gains less 1", kLlama, [](Model& model) { addToGains(model, -1.0f); }, "Other norms",
         "1 added to the gains of norms"},
        {"scores not divided", kAttention,
         [](Model& model) {
             for (double& scale : model.spec.attention_scale)
                 scale = 1.0;
         },
         "Another scale of attention", "divided by the root of d_head", true},
        {"attention and MLP side by side", kGpt2,
         [](Model& model) { model.spec.parallel_residual = true; },
         "Attention and MLP one after the other or side by side",
         "the MLP after attention, not beside it"},
    };
    return all;
}

} // namespace headscope::test
