#pragma once

#include "core/tensor/tensor.h"
#include "tests/trust/draw.h"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace headscope::test {

/// An orthogonal map: stages of plane rotations that bring every number together with every other.
class Turn {
public:
    Turn(std::size_t size, Draw& draw) {
        for (std::size_t step = 1; step < size; step *= 2)
            for (std::size_t i = 0; i < size; ++i)
                if (const std::size_t j = i ^ step; j > i && j < size) {
                    const double angle = draw.between(0.0, 2.0 * std::numbers::pi);
                    planes_.push_back({i, j, static_cast<float>(std::cos(angle)),
                                       static_cast<float>(std::sin(angle))});
                }
    }

    void applyToRows(MutableMatrixView matrix) const {
        for (std::size_t row = 0; row < matrix.rows; ++row)
            for (const Plane& plane : planes_)
                plane.turn(matrix(row, plane.i), matrix(row, plane.j));
    }
    void applyToColumns(MutableMatrixView matrix) const {
        for (const Plane& plane : planes_)
            for (std::size_t col = 0; col < matrix.cols; ++col)
                plane.turn(matrix(plane.i, col), matrix(plane.j, col));
    }

private:
    struct Plane {
        std::size_t i = 0;
        std::size_t j = 0;
        float cosine = 1.0f;
        float sine = 0.0f;

        void turn(float& a, float& b) const {
            const float old = a;
            a = cosine * old - sine * b;
            b = sine * old + cosine * b;
        }
    };

    std::vector<Plane> planes_;
};

} // namespace headscope::test
