#pragma once

#include "core/tensor/tensor.h"

#include <limits>
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

/// Subtracts each row's mean.
void centreRows(MutableMatrixView x);

/// sqrt(mean(x²) + eps) of each row into `scale` [rows]: the denominator of RMSNorm (Zhang &
/// Sennrich 2019), and of LayerNorm (Ba et al. 2016) when the rows are centred.
void rmsOfRows(MatrixView x, double eps, std::span<float> scale);

/// Divides each row by its `scale`.
void divideRows(MutableMatrixView x, std::span<const float> scale);

/// Multiplies every row by `weight` [cols] and adds `bias` [cols]; an empty one is left out.
void scaleAndShift(MutableMatrixView x, std::span<const float> weight, std::span<const float> bias);

// Reverse of the steps of a norm. Those of centreRows and of scaleAndShift's weight are these
// functions themselves, applied to the gradient.

/// The gradient of the scale in y = x / scale by rows, where the scale is a variable of its own:
/// d_scale = −Σ d_y ∘ y / scale.
void scaleGradient(MatrixView y, std::span<const float> scale, MatrixView d_y,
                   std::span<float> d_scale);

/// d_y → d_x in place, of y = x / rms(x) by rows: d_y / scale + d_scale · y / cols. The first term
/// is by x itself, the second by x inside the scale.
void divideByRmsBackward(MatrixView y, std::span<const float> scale, std::span<const float> d_scale,
                         MutableMatrixView d);

/// log Σ exp(score) of a row, in two parts: one float of the sum would be rounded by 6e-8·|lse|,
/// and that would be the relative error of every weight computed from it.
struct RowLse {
    float largest = 0.0f; ///< of the scores
    float log_sum = 0.0f; ///< ln Σ exp(score − largest)

    double value() const { return static_cast<double>(largest) + static_cast<double>(log_sum); }
    bool operator==(const RowLse&) const = default;
};

inline constexpr float kNoSink = -std::numeric_limits<float>::infinity();

/// Replaces scores by their softmax, in place, and returns log Σ exp(score). Entries of −∞ become
/// 0. The largest score is subtracted first, so no finite score overflows. A row with NaN or +∞, or
/// with nothing but −∞, becomes NaN throughout. `sink` is one more score of the row that has no
/// entry.
RowLse softmaxInPlace(std::span<float> scores, float sink = kNoSink);

/// Replaces every score by exp(score − lse): a part of the softmax of a row whose log Σ exp(score)
/// is known.
void expMinus(RowLse lse, std::span<float> scores);

/// log Σ exp(score) without changing the scores, summed in double; off by less than 1e-6 for a
/// hundred thousand scores.
double logSumExp(std::span<const float> scores);

} // namespace headscope
