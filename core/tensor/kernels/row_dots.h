#pragma once

#include "core/tensor/kernels.h"
#include "core/tensor/kernels/row_lines.h"

// Local to each including file, as vector_loops.h explains.
namespace headscope {
namespace {

/// C = A · Bᵀ of few rows, where B is read once, in its own order: every sum is as many sums as a
/// vector has lanes, added up at the end.
template <class Arch>
class RowDots {
    using Batch = xsimd::batch<float, Arch>;
    static constexpr std::size_t kLanes = Batch::size;
    static constexpr std::size_t kSums = kSumsOf<Batch>;
    static constexpr std::size_t kColumns = kLanes >= 16 ? 4 : 3; ///< of C at once
    static constexpr std::size_t kTileRows = kSums / kColumns;
    static constexpr std::size_t kDepth = 512;
    static constexpr std::size_t kRowSums = kColumns * kLanes;

    using Dots = void (*)(const float* a, std::size_t a_stride, const float* b,
                          std::size_t b_stride, std::size_t depth, const LinesAhead& ahead,
                          float* sums);

    /// sums [Rows, kColumns, kLanes] += the products of the lanes of `depth` numbers.
    template <std::size_t Rows, std::size_t Columns>
    static void dots(const float* a, std::size_t a_stride, const float* b, std::size_t b_stride,
                     std::size_t depth, const LinesAhead& ahead, float* sums) {
        Batch totals[Rows][Columns];
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t c = 0; c < Columns; ++c)
                totals[r][c] = Batch::load_unaligned(sums + (r * kColumns + c) * kLanes);
        const auto add = [&](auto load, std::size_t k) {
            Batch columns[Columns];
            for (std::size_t c = 0; c < Columns; ++c)
                columns[c] = load(b + c * b_stride + k);
            for (std::size_t r = 0; r < Rows; ++r) {
                const Batch row = load(a + r * a_stride + k);
                for (std::size_t c = 0; c < Columns; ++c)
                    totals[r][c] = multiplyAdd(row, columns[c], totals[r][c]);
            }
        };
        std::size_t k = 0;
        for (; k + kLanes <= depth; k += kLanes) {
            ahead.ask(k / kLanes);
            add([](const float* x) { return Batch::load_unaligned(x); }, k);
        }
        if (k < depth)
            add([rest = depth - k](const float* x) { return loadPart<Batch>(x, rest, 0.0f); }, k);
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t c = 0; c < Columns; ++c)
                totals[r][c].store_unaligned(sums + (r * kColumns + c) * kLanes);
    }

    template <std::size_t Columns>
    static Dots dotsOf(std::size_t rows) {
        static_assert(kTileRows == 4 || kTileRows == 6);
        static constexpr Dots kDots[] = {dots<1, Columns>, dots<2, Columns>, dots<3, Columns>,
                                         dots<4, Columns>, dots<5, Columns>, dots<6, Columns>};
        return kDots[rows - 1];
    }

    static Dots dotsOf(std::size_t rows, std::size_t columns) {
        switch (columns) {
        case 1:
            return dotsOf<1>(rows);
        case 2:
            return dotsOf<2>(rows);
        case 3:
            return dotsOf<3>(rows);
        default:
            return dotsOf<kColumns>(rows);
        }
    }

    /// Some columns of C.
    template <FloatFormat Format>
    static void multiplyColumns(const RowProduct& product, std::size_t column,
                                std::size_t columns) {
        const Number<Format>* const b =
            static_cast<const Number<Format>*>(product.b) + column * product.b_stride;
        const bool are_last = column + columns == product.cols;
        const std::size_t blocks = (product.rows + kTileRows - 1) / kTileRows;
        const std::size_t b_bytes = product.b_stride * sizeof(Number<Format>);
        alignas(kLine) float wide[kColumns * kDepth];
        alignas(kLine) float sums[kMostRowsTransposed * kRowSums] = {};
        for (std::size_t k = 0; k < product.inner; k += kDepth) {
            const std::size_t depth = smaller(kDepth, product.inner - k);
            const float* part = wide;
            std::size_t stride = kDepth;
            if constexpr (kIsWide<Format>) {
                part = b + k;
                stride = product.b_stride;
            } else {
                for (std::size_t c = 0; c < columns; ++c)
                    widenNumbers<Format>(b + c * product.b_stride + k, wide + c * kDepth, depth);
            }
            const Number<Format>* const ahead =
                are_last ? nullptr : b + columns * product.b_stride + k;
            for (std::size_t block = 0; block < blocks; ++block) {
                const std::size_t row = block * kTileRows;
                dotsOf(smaller(kTileRows, product.rows - row), columns)(
                    product.a + row * product.a_stride + k, product.a_stride, part, stride, depth,
                    LinesAhead::shared(ahead, kLanes * sizeof(Number<Format>), columns, b_bytes,
                                       block, blocks),
                    sums + row * kRowSums);
            }
        }
        addUp(product, sums, column, columns);
    }

    static float sumOfLanes(const float* lanes) {
        float four[4] = {};
        for (std::size_t i = 0; i < kLanes; i += 4)
            for (std::size_t j = 0; j < 4; ++j)
                four[j] += lanes[i + j];
        return (four[0] + four[1]) + (four[2] + four[3]);
    }

    /// The lanes of each of sums [rows, kColumns, kLanes].
    static void addUp(const RowProduct& product, const float* sums, std::size_t column,
                      std::size_t columns) {
        for (std::size_t row = 0; row < product.rows; ++row) {
            float* const c = product.c + row * product.c_stride + column;
            for (std::size_t i = 0; i < columns; ++i) {
                const float sum = product.scale * sumOfLanes(sums + row * kRowSums + i * kLanes);
                c[i] = product.adds ? c[i] + sum : sum;
            }
        }
    }

    template <FloatFormat Format>
    static void multiplyOf(const RowProduct& product) {
        for (std::size_t column = 0; column < product.cols; column += kColumns)
            multiplyColumns<Format>(product, column, smaller(kColumns, product.cols - column));
    }

public:
    static void multiply(const RowProduct& product) {
        withFormat(product.format, [&]<FloatFormat Format>() { multiplyOf<Format>(product); });
    }
};

} // namespace
} // namespace headscope
