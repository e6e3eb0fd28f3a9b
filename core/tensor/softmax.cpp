#include "core/tensor/softmax.h"

#include <algorithm>
#include <cmath>

namespace headscope {

float softmaxInPlace(std::span<float> scores) {
    const float largest = *std::max_element(scores.begin(), scores.end());
    float sum = 0.0f;
    for (float& score : scores) {
        score = std::exp(score - largest);
        sum += score;
    }
    const float inverse = 1.0f / sum;
    for (float& score : scores)
        score *= inverse;
    return largest + std::log(sum);
}

void expMinus(float lse, std::span<float> scores) {
    for (float& score : scores)
        score = std::exp(score - lse);
}

double logSumExp(std::span<const float> scores) {
    const double largest = *std::max_element(scores.begin(), scores.end());
    double sum = 0.0;
    for (const float score : scores)
        sum += std::exp(static_cast<double>(score) - largest);
    return largest + std::log(sum);
}

} // namespace headscope
