#pragma once

#include <span>

namespace headscope {

/// Activation functions, in place. The tanh form of GELU is Hugging Face's gelu_new, the erf form
/// its gelu (Hendrycks & Gimpel 2016); quick GELU is x·σ(1.702 x); SiLU is x·σ(x).
void relu(std::span<float> x);
void geluErf(std::span<float> x);
void geluTanh(std::span<float> x);
void quickGelu(std::span<float> x);
void silu(std::span<float> x);

/// x → cap · tanh(x / cap), in place: nearly x when small, never beyond ±cap (Gemma 2).
void softCap(float cap, std::span<float> x);

} // namespace headscope
