#include "core/pruning/grouping/linear_pool.h"

#include "core/tensor/linear_algebra.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

namespace headscope {

namespace {

/// What no head is read by is kept with this share of the mean weight, so that roots have inverses.
constexpr double kLeastWeight = 1e-6;
/// A share of the largest eigenvalue; what varies less is rounding, and is pooled to zero.
constexpr double kLeastVariance = 1e-12;

/// R with Rᵀ R = W + floor·I, and its inverse.
struct Root {
    DoubleMatrix root;
    DoubleMatrix inverse;
};

Result<Root> rootOf(const DoubleMatrix& W, double floor) {
    const auto eigen = symmetricEigen(W);
    if (!eigen)
        return eigen.error();
    DoubleMatrix scaled = eigen->Vt;
    DoubleMatrix inverse = eigen->Vt;
    for (std::size_t r = 0; r < W.rows; ++r) {
        const double root = std::sqrt(std::max(eigen->values[r], 0.0) + floor);
        for (std::size_t c = 0; c < W.cols; ++c) {
            scaled(r, c) *= root;
            inverse(r, c) /= root;
        }
    }
    return Root{transposedProduct(eigen->Vt, scaled), transposedProduct(eigen->Vt, inverse)};
}

/// Makes the moments of (x, y) pairs those of all their rotations, for which they are no other than
/// for the pairs as they are: means of E[x x'] and E[y y'], and of E[x y'] and −E[y x'].
void seeFromAllAngles(DoubleMatrix& moments) {
    for (std::size_t r = 0; r < moments.rows; r += 2)
        for (std::size_t c = 0; c < moments.cols; c += 2) {
            const double same = 0.5 * (moments(r, c) + moments(r + 1, c + 1));
            const double crossed = 0.5 * (moments(r, c + 1) - moments(r + 1, c));
            moments(r, c) = moments(r + 1, c + 1) = same;
            moments(r, c + 1) = crossed;
            moments(r + 1, c) = -crossed;
        }
}

class LeastSquares {
public:
    LeastSquares(const DoubleMatrix& moments, std::span<const DoubleMatrix> weights)
        : moments_(moments), weights_(weights), width_(weights.front().rows) {
        assert(moments.rows == weights.size() * width_);
        double sum = 0.0;
        for (const DoubleMatrix& weight : weights)
            sum += trace(weight);
        const double mean = sum / static_cast<double>(moments.rows);
        floor_ = mean > 0.0 ? kLeastWeight * mean : 1.0;
        maps_.in.assign(weights.size(), DoubleMatrix(width_, width_));
        maps_.out = maps_.in;
    }

    /// Some dimensions of each head go into the same ones of the pooled head.
    Result<void> pool(const std::vector<std::size_t>& dims) {
        std::vector<Root> roots;
        for (const DoubleMatrix& weight : weights_) {
            auto root = rootOf(submatrix(weight, dims, dims), floor_);
            if (!root)
                return root.error();
            roots.push_back(*std::move(root));
        }
        auto eigen = symmetricEigen(weighted(momentsOf(dims), roots));
        if (!eigen)
            return eigen.error();
        keep(dims, roots, *eigen);
        return {};
    }

    Result<void> poolPlane(const RotaryPlane& plane) {
        const std::vector<std::size_t> dims{plane.first, plane.second};
        DoubleMatrix moments = momentsOf(dims);
        seeFromAllAngles(moments);
        std::vector<Root> roots;
        for (const DoubleMatrix& weight : weights_) {
            const double root =
                std::sqrt(0.5 * (weight(dims[0], dims[0]) + weight(dims[1], dims[1])) + floor_);
            roots.push_back({scaledIdentity(2, root), scaledIdentity(2, 1.0 / root)});
        }
        auto eigen = symmetricEigen(weighted(std::move(moments), roots));
        if (!eigen)
            return eigen.error();
        // Eigenvalues come in pairs, whose vectors are the first one and that one turned by 90°.
        for (std::size_t c = 0; c < eigen->Vt.cols; c += 2) {
            eigen->Vt(1, c) = -eigen->Vt(0, c + 1);
            eigen->Vt(1, c + 1) = eigen->Vt(0, c);
        }
        keep(dims, roots, *eigen);
        return {};
    }

    PoolMaps take() { return std::move(maps_); }

private:
    static DoubleMatrix scaledIdentity(std::size_t size, double scale) {
        DoubleMatrix matrix(size, size);
        for (std::size_t i = 0; i < size; ++i)
            matrix(i, i) = scale;
        return matrix;
    }

    DoubleMatrix momentsOf(const std::vector<std::size_t>& dims) const {
        std::vector<std::size_t> columns;
        for (std::size_t head = 0; head < weights_.size(); ++head)
            for (const std::size_t dim : dims)
                columns.push_back(head * width_ + dim);
        return submatrix(moments_, columns, columns);
    }

    /// R C R, R of one block for each head.
    static DoubleMatrix weighted(DoubleMatrix moments, const std::vector<Root>& roots) {
        const std::size_t width = roots.front().root.rows;
        std::vector<std::size_t> rows(width);
        std::vector<std::size_t> cols(width);
        for (std::size_t i = 0; i < roots.size(); ++i)
            for (std::size_t j = 0; j < roots.size(); ++j) {
                std::iota(rows.begin(), rows.end(), i * width);
                std::iota(cols.begin(), cols.end(), j * width);
                const DoubleMatrix block =
                    product(roots[i].root, product(submatrix(moments, rows, cols), roots[j].root));
                for (std::size_t r = 0; r < width; ++r)
                    std::copy_n(block.values.data() + r * width, width,
                                moments.row(rows[r]) + cols.front());
            }
        return moments;
    }

    void keep(const std::vector<std::size_t>& dims, const std::vector<Root>& roots,
              const SymmetricEigen& eigen) {
        for (std::size_t head = 0; head < roots.size(); ++head) {
            DoubleMatrix U(dims.size(), dims.size()); // [pooled dimension, dimension of the head]
            for (std::size_t r = 0; r < dims.size(); ++r)
                if (eigen.values[r] > kLeastVariance * eigen.values.front())
                    for (std::size_t c = 0; c < dims.size(); ++c)
                        U(r, c) = eigen.Vt(r, head * dims.size() + c);
            const DoubleMatrix in = productTransposed(roots[head].root, U);
            const DoubleMatrix out = product(U, roots[head].inverse);
            for (std::size_t r = 0; r < dims.size(); ++r)
                for (std::size_t c = 0; c < dims.size(); ++c) {
                    maps_.in[head](dims[r], dims[c]) = in(r, c);
                    maps_.out[head](dims[r], dims[c]) = out(r, c);
                }
        }
    }

    const DoubleMatrix& moments_;
    std::span<const DoubleMatrix> weights_;
    std::size_t width_;
    double floor_ = 0.0;
    PoolMaps maps_;
};

} // namespace

PoolMaps meanPool(std::size_t heads, std::size_t width) {
    DoubleMatrix in(width, width);
    DoubleMatrix out(width, width);
    for (std::size_t i = 0; i < width; ++i) {
        in(i, i) = 1.0 / static_cast<double>(heads);
        out(i, i) = 1.0;
    }
    return {std::vector(heads, in), std::vector(heads, out)};
}

Result<PoolMaps> leastSquaresPool(const DoubleMatrix& moments,
                                  std::span<const DoubleMatrix> weights,
                                  std::span<const RotaryPlane> planes) {
    LeastSquares least(moments, weights);
    std::vector<std::size_t> free(weights.front().rows);
    std::iota(free.begin(), free.end(), std::size_t{0});
    for (const RotaryPlane& plane : planes) {
        if (auto pooled = least.poolPlane(plane); !pooled)
            return pooled.error();
        std::erase_if(free,
                      [&](std::size_t dim) { return dim == plane.first || dim == plane.second; });
    }
    if (!free.empty())
        if (auto pooled = least.pool(free); !pooled)
            return pooled.error();
    return least.take();
}

} // namespace headscope
