#pragma once

#include <span>

namespace headscope {

/// Activation functions, in place and of each number by itself. The tanh form of GELU is Hugging
/// Face's gelu_new, the erf form its gelu (Hendrycks & Gimpel 2016); quick GELU is x·σ(1.702 x);
/// SiLU is x·σ(x); squared ReLU is max(x, 0)² (So et al. 2021).
void relu(std::span<float> x);
void reluSquared(std::span<float> x);
void geluErf(std::span<float> x);
void geluTanh(std::span<float> x);
void quickGelu(std::span<float> x);
void silu(std::span<float> x);

/// x ⊙ softmax(x) of one row (Elhage et al. 2022).
void solu(std::span<float> x);

/// x → cap · tanh(x / cap), in place: nearly x when small, never beyond ±cap (Gemma 2).
void softCap(float cap, std::span<float> x);

/// grad = grad · f′(x), with x as it entered f and equally many gradients. ReLU's slope at 0 is 0.
void reluBackward(std::span<const float> x, std::span<float> grad);
void reluSquaredBackward(std::span<const float> x, std::span<float> grad);
void geluErfBackward(std::span<const float> x, std::span<float> grad);
void geluTanhBackward(std::span<const float> x, std::span<float> grad);
void quickGeluBackward(std::span<const float> x, std::span<float> grad);
void siluBackward(std::span<const float> x, std::span<float> grad);
void soluBackward(std::span<const float> x, std::span<float> grad);
void softCapBackward(float cap, std::span<const float> x, std::span<float> grad);

} // namespace headscope
