#pragma once

#include "core/tensor/kernels.h"
#include "core/tensor/kernels/row_lines.h"

// Local to each including file, as vector_loops.h explains.
namespace headscope {
namespace {

/// C = A · B, where B is read once, in its own order. OpenBLAS copies B into an order of its own
/// first, which takes longer than the product itself while rows are few. Every sum grows by one row
/// of B after another, so that it is the same to the bit however rows, columns and inner dimension
/// are cut.
template <class Arch>
class RowTiles {
    using Batch = xsimd::batch<float, Arch>;
    static constexpr std::size_t kLanes = Batch::size;
    static constexpr std::size_t kSums = kSumsOf<Batch>;
    static constexpr std::size_t kTileRows = kLanes >= 16 ? 8 : 6; ///< of a tile at most
    static constexpr std::size_t kWidest = 8;                      ///< vectors of columns in a tile
    static constexpr std::size_t kNarrow = 2 * kLanes; ///< columns of the narrowest tile
    static constexpr std::size_t kPart = 6144; ///< numbers of B in use at once, at most: 24 KB
    static constexpr std::size_t kDepth = 256; ///< rows of B in use at once, at most
    static constexpr std::size_t kRowsAtOnce = 128;

    /// Vectors of columns in a tile of so many rows: whole lines of the cache.
    template <FloatFormat Format>
    static constexpr std::size_t widthOf(std::size_t rows) {
        const std::size_t most = smaller(kWidest, kSums / rows);
        const bool is_whole = kLanes * sizeof(Number<Format>) % kLine == 0 && most <= 3;
        return is_whole ? most : most / 2 * 2;
    }

    /// Rows of B in a part of so many columns. Each is on a page of its own, and processors foresee
    /// few pages at once, which counts where little is computed between them. Measured at up to 32
    /// rows: half a part doubles the speed on Intel's Xeon and costs AMD's a twentieth.
    static constexpr std::size_t depthOf(std::size_t rows, std::size_t columns) {
        const std::size_t most = rows <= 2 ? 16 : rows <= 8 ? 64 : kDepth;
        return smaller(most, (rows <= 32 ? kPart / 2 : kPart) / columns);
    }

    /// Numbers [depth, columns] of B as float32.
    struct Part {
        const float* b;
        std::size_t stride;
        std::size_t depth;
        bool adds;
    };

    /// Rows of A, kDepth apart, times a part of B of so many vectors of columns, into C.
    using Tile = void (*)(const float* a, const Part& part, const LinesAhead& ahead, float* c,
                          std::size_t c_stride);

    template <std::size_t Rows, std::size_t Vectors>
    static void tile(const float* a, const Part& part, const LinesAhead& ahead, float* c,
                     std::size_t c_stride) {
        Batch sums[Rows][Vectors];
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t v = 0; v < Vectors; ++v)
                sums[r][v] =
                    part.adds ? Batch::load_unaligned(c + r * c_stride + v * kLanes) : Batch(0.0f);
        for (std::size_t k = 0; k < part.depth; ++k) {
            ahead.ask(k);
            Batch row[Vectors];
            for (std::size_t v = 0; v < Vectors; ++v)
                row[v] = Batch::load_unaligned(part.b + k * part.stride + v * kLanes);
            for (std::size_t r = 0; r < Rows; ++r) {
                const Batch factor(a[r * kDepth + k]);
                for (std::size_t v = 0; v < Vectors; ++v)
                    sums[r][v] = multiplyAdd(factor, row[v], sums[r][v]);
            }
        }
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t v = 0; v < Vectors; ++v)
                sums[r][v].store_unaligned(c + r * c_stride + v * kLanes);
    }

    template <std::size_t Rows, std::size_t Vectors>
    static constexpr Tile tileThatFits() {
        if constexpr (Rows <= kTileRows && Rows * Vectors <= kSums)
            return tile<Rows, Vectors>;
        else
            return nullptr;
    }

    template <std::size_t Vectors>
    static Tile tileOf(std::size_t rows) {
        static constexpr Tile kTiles[] = {tileThatFits<1, Vectors>(), tileThatFits<2, Vectors>(),
                                          tileThatFits<3, Vectors>(), tileThatFits<4, Vectors>(),
                                          tileThatFits<5, Vectors>(), tileThatFits<6, Vectors>(),
                                          tileThatFits<7, Vectors>(), tileThatFits<8, Vectors>()};
        return kTiles[rows - 1];
    }

    static Tile tileOf(std::size_t rows, std::size_t vectors) {
        switch (vectors) {
        case 2:
            return tileOf<2>(rows);
        case 3:
            return tileOf<3>(rows);
        case 4:
            return tileOf<4>(rows);
        case 6:
            return tileOf<6>(rows);
        default:
            return tileOf<8>(rows);
        }
    }

    /// The product of at most kRowsAtOnce rows.
    template <FloatFormat Format>
    class Rows {
    public:
        explicit Rows(const RowProduct& product)
            : product_(product), blocks_((product.rows + kTileRows - 1) / kTileRows),
              block_((product.rows + blocks_ - 1) / blocks_), vectors_(widthOf<Format>(block_)) {}

        void multiply() {
            const std::size_t depth = depthOf(product_.rows, vectors_ * kLanes);
            for (std::size_t k = 0; k < product_.inner; k += depth)
                multiplyDepth(k, smaller(depth, product_.inner - k));
        }

    private:
        const Number<Format>* b(std::size_t k, std::size_t column) const {
            return static_cast<const Number<Format>*>(product_.b) + k * product_.b_stride + column;
        }

        /// By rows [k, k + depth) of B.
        void multiplyDepth(std::size_t k, std::size_t depth) {
            for (std::size_t row = 0; row < product_.rows; ++row)
                std::memcpy(a_ + row * kDepth, product_.a + row * product_.a_stride + k,
                            depth * sizeof(float));
            const bool adds = product_.adds || k > 0;
            std::size_t column = 0;
            while (product_.cols - column >= kNarrow) {
                const std::size_t vectors = vectorsFor(product_.cols - column);
                Part part{nullptr, product_.b_stride, depth, adds};
                if constexpr (kIsWide<Format>)
                    part.b = b(k, column);
                else
                    widen(k, column, vectors * kLanes, vectors * kLanes, part);
                multiplyColumns(part, ahead(k, depth, column, vectors * kLanes), vectors,
                                product_.c + column, product_.c_stride);
                column += vectors * kLanes;
            }
            if (column < product_.cols)
                multiplyRest(k, column, {nullptr, 0, depth, true}, adds);
        }

        /// So that the columns after these are none or enough for a tile, where that can be.
        std::size_t vectorsFor(std::size_t columns) const {
            const std::size_t wide = vectors_ * kLanes;
            return columns == wide || columns >= wide + kNarrow ? vectors_ : 2;
        }

        /// The first `count` of `columns` columns, which are then beside each other.
        void widen(std::size_t k, std::size_t column, std::size_t count, std::size_t columns,
                   Part& part) {
            for (std::size_t i = 0; i < part.depth; ++i)
                widenNumbers<Format>(b(k + i, column), wide_ + i * columns, count);
            part.b = wide_;
            part.stride = columns;
        }

        /// The same rows of the next columns, or the first columns of the next rows.
        const Number<Format>* ahead(std::size_t k, std::size_t depth, std::size_t column,
                                    std::size_t columns) const {
            if (product_.cols - column >= 2 * columns)
                return b(k, column + columns);
            return product_.inner - k >= 2 * depth ? b(k + depth, 0) : nullptr;
        }

        void multiplyColumns(const Part& part, const Number<Format>* ahead, std::size_t vectors,
                             float* c, std::size_t c_stride) {
            const std::size_t bytes = vectors * kLanes * sizeof(Number<Format>);
            for (std::size_t block = 0; block < blocks_; ++block) {
                const std::size_t row = block * block_;
                if (row >= product_.rows)
                    return;
                const auto lines =
                    LinesAhead::shared(ahead, product_.b_stride * sizeof(Number<Format>),
                                       (bytes + kLine - 1) / kLine, kLine, block, blocks_);
                tileOf(smaller(block_, product_.rows - row),
                       vectors)(a_ + row * kDepth, part, lines, c + row * c_stride, c_stride);
            }
        }

        /// The last columns, too few for a tile: beside zeros.
        void multiplyRest(std::size_t k, std::size_t column, Part part, bool adds) {
            const std::size_t count = product_.cols - column;
            for (std::size_t i = 0; i < part.depth * kNarrow; ++i)
                wide_[i] = 0.0f;
            widen(k, column, count, kNarrow, part);
            float sums[kRowsAtOnce * kNarrow] = {};
            float* const c = product_.c + column;
            for (std::size_t row = 0; adds && row < product_.rows; ++row)
                std::memcpy(sums + row * kNarrow, c + row * product_.c_stride,
                            count * sizeof(float));
            multiplyColumns(part, nullptr, 2, sums, kNarrow);
            for (std::size_t row = 0; row < product_.rows; ++row)
                std::memcpy(c + row * product_.c_stride, sums + row * kNarrow,
                            count * sizeof(float));
        }

        const RowProduct& product_;
        std::size_t blocks_; ///< of rows that a tile takes
        std::size_t block_;  ///< rows of each but the last
        std::size_t vectors_;
        alignas(kLine) float a_[kRowsAtOnce * kDepth]; ///< the part of A in use
        alignas(kLine) float wide_[kPart];
    };

    template <FloatFormat Format>
    static void multiplyOf(RowProduct product) {
        const std::size_t end = product.rows;
        for (std::size_t row = 0; row < end; row += kRowsAtOnce) {
            product.rows = smaller(kRowsAtOnce, end - row);
            Rows<Format>(product).multiply();
            product.a += product.rows * product.a_stride;
            product.c += product.rows * product.c_stride;
        }
    }

public:
    static void multiply(const RowProduct& product) {
        withFormat(product.format, [&]<FloatFormat Format>() { multiplyOf<Format>(product); });
    }
};

} // namespace
} // namespace headscope
