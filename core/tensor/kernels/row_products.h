#pragma once

#include "core/tensor/kernels.h"
#include "core/tensor/kernels/vector_loops.h"

#include <type_traits>

// Local to each including file, as vector_loops.h explains.
namespace headscope {
namespace {

/// Products of few rows with a matrix B that is read once, as it lies. OpenBLAS copies B into an
/// order of its own first, which takes longer than the product itself while rows are few.
template <class Arch>
class RowProducts {
    using Batch = xsimd::batch<float, Arch>;
    static constexpr std::size_t kLanes = Batch::size;
    /// Registers that hold sums; the others hold what is multiplied.
    static constexpr std::size_t kSums = kLanes >= 16 ? 24 : 12;
    static constexpr std::size_t kPart = 2048; ///< numbers of B in use at once, at most: 8 KB
    static constexpr std::size_t kLine = 64;   ///< bytes of a line of the cache

    template <class T>
    static constexpr T smaller(T a, T b) {
        return b < a ? b : a;
    }

    template <FloatFormat Format>
    static constexpr bool kIsWide = Format == FloatFormat::Float32;

    template <FloatFormat Format>
    using Number = std::conditional_t<kIsWide<Format>, float, std::uint16_t>;

    /// Numbers of B as float32.
    template <FloatFormat Format>
    static void widen(const Number<Format>* b, float* x, std::size_t n) {
        if constexpr (kIsWide<Format>) {
            std::memcpy(x, b, n * sizeof(float));
        } else if constexpr (Format == FloatFormat::Float16) {
            std::size_t i = 0;
#ifdef __F16C__
            for (; i + 8 <= n; i += 8) {
                __m128i words;
                std::memcpy(&words, b + i, sizeof(words));
                _mm256_storeu_ps(x + i, _mm256_cvtph_ps(words));
            }
#endif
            widenFloat16(b + i, x + i, n - i);
        } else {
            widenBFloat16(b, x, n);
        }
    }

    // C = A · B: every sum grows by one row of B after another, so that it is the same to the bit
    // however rows, columns and inner dimension are cut.

    static constexpr std::size_t kWidest = 8;           ///< vectors of columns in a tile
    static constexpr std::size_t kTileRows = kSums / 2; ///< most rows of a tile
    static constexpr std::size_t kNarrow = 2 * kLanes;  ///< columns of the narrowest tile

    /// Vectors of columns in a tile of so many rows: pairs, which are whole lines of the cache,
    /// where B is read as it lies.
    static constexpr std::size_t widthOf(std::size_t rows, bool is_wide) {
        const std::size_t most = smaller(kWidest, kSums / rows);
        return is_wide || most > 3 ? most / 2 * 2 : most;
    }

    /// Rows of B in a part of so many columns. Each begins on a page of its own, and processors
    /// foresee few pages at once, which counts where little is computed between them.
    static constexpr std::size_t depthOf(std::size_t rows, std::size_t columns) {
        return smaller(rows <= 2 ? std::size_t{16} : std::size_t{64}, kPart / columns);
    }

    /// Asks for [depth, columns] of B before they are needed.
    template <class Element>
    static void fetch(const Element* b, std::size_t stride, std::size_t depth,
                      std::size_t columns) {
        for (std::size_t k = 0; k < depth; ++k)
            for (std::size_t i = 0; i < columns; i += kLine / sizeof(Element))
                __builtin_prefetch(b + k * stride + i);
    }

    /// `rows` of A [rows, depth] times B [depth, vectors · kLanes] into C.
    using Tile = void (*)(const float* a, std::size_t a_stride, const float* b,
                          std::size_t b_stride, std::size_t depth, bool adds, float* c,
                          std::size_t c_stride);

    template <std::size_t Rows, std::size_t Vectors>
    static void tile(const float* a, std::size_t a_stride, const float* b, std::size_t b_stride,
                     std::size_t depth, bool adds, float* c, std::size_t c_stride) {
        Batch sums[Rows][Vectors];
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t v = 0; v < Vectors; ++v)
                sums[r][v] =
                    adds ? Batch::load_unaligned(c + r * c_stride + v * kLanes) : Batch(0.0f);
        for (std::size_t k = 0; k < depth; ++k) {
            Batch row[Vectors];
            for (std::size_t v = 0; v < Vectors; ++v)
                row[v] = Batch::load_unaligned(b + k * b_stride + v * kLanes);
            for (std::size_t r = 0; r < Rows; ++r) {
                const Batch factor(a[r * a_stride + k]);
                for (std::size_t v = 0; v < Vectors; ++v)
                    sums[r][v] = xsimd::fma(factor, row[v], sums[r][v]);
            }
        }
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t v = 0; v < Vectors; ++v)
                sums[r][v].store_unaligned(c + r * c_stride + v * kLanes);
    }

    template <std::size_t Rows, std::size_t Vectors>
    static constexpr Tile tileThatFits() {
        if constexpr (Rows * Vectors <= kSums)
            return tile<Rows, Vectors>;
        else
            return nullptr;
    }

    template <std::size_t Vectors>
    static Tile tileOf(std::size_t rows) {
        static_assert(kTileRows == 6 || kTileRows == 12);
        static constexpr Tile kTiles[] = {
            tileThatFits<1, Vectors>(),  tileThatFits<2, Vectors>(),  tileThatFits<3, Vectors>(),
            tileThatFits<4, Vectors>(),  tileThatFits<5, Vectors>(),  tileThatFits<6, Vectors>(),
            tileThatFits<7, Vectors>(),  tileThatFits<8, Vectors>(),  tileThatFits<9, Vectors>(),
            tileThatFits<10, Vectors>(), tileThatFits<11, Vectors>(), tileThatFits<12, Vectors>()};
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

    /// Numbers [depth, columns] of B that a tile reads.
    struct Part {
        const float* b;
        std::size_t stride;
        std::size_t first; ///< row of B
        std::size_t depth;
        bool adds;
    };

    static void multiplyPart(const RowProduct& product, const Part& part, std::size_t rows_at_once,
                             std::size_t vectors, std::size_t column) {
        for (std::size_t row = 0; row < product.rows; row += rows_at_once) {
            const std::size_t rows = smaller(rows_at_once, product.rows - row);
            tileOf(rows, vectors)(product.a + row * product.a_stride + part.first, product.a_stride,
                                  part.b, part.stride, part.depth, part.adds,
                                  product.c + row * product.c_stride + column, product.c_stride);
        }
    }

    /// The last columns, too few for a tile: beside zeros.
    template <FloatFormat Format>
    static void multiplyRest(const RowProduct& product, const Number<Format>* b, Part part,
                             std::size_t rows_at_once, std::size_t column) {
        const std::size_t count = product.cols - column;
        alignas(kLine) float padded[kPart] = {};
        for (std::size_t k = 0; k < part.depth; ++k)
            widen<Format>(b + k * product.b_stride, padded + k * kNarrow, count);
        part.b = padded;
        part.stride = kNarrow;
        float sums[kTileRows * kNarrow];
        for (std::size_t row = 0; row < product.rows; row += rows_at_once) {
            const std::size_t rows = smaller(rows_at_once, product.rows - row);
            float* const c = product.c + row * product.c_stride + column;
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t i = 0; i < kNarrow; ++i)
                    sums[r * kNarrow + i] =
                        part.adds && i < count ? c[r * product.c_stride + i] : 0.0f;
            tileOf<2>(rows)(product.a + row * product.a_stride + part.first, product.a_stride,
                            part.b, part.stride, part.depth, true, sums, kNarrow);
            for (std::size_t r = 0; r < rows; ++r)
                std::memcpy(c + r * product.c_stride, sums + r * kNarrow, count * sizeof(float));
        }
    }

    template <FloatFormat Format>
    static void multiplyOf(const RowProduct& product) {
        const auto* const b = static_cast<const Number<Format>*>(product.b);
        const std::size_t blocks = (product.rows + kTileRows - 1) / kTileRows;
        const std::size_t rows_at_once = (product.rows + blocks - 1) / blocks;
        const std::size_t most_vectors = widthOf(rows_at_once, kIsWide<Format>);
        const std::size_t depth = depthOf(rows_at_once, most_vectors * kLanes);
        alignas(kLine) float wide[kPart];
        for (std::size_t k = 0; k < product.inner; k += depth) {
            Part part{nullptr, 0, k, smaller(depth, product.inner - k), product.adds || k > 0};
            const Number<Format>* const rows = b + k * product.b_stride;
            std::size_t column = 0;
            while (product.cols - column >= kNarrow) {
                const std::size_t vectors =
                    product.cols - column >= most_vectors * kLanes ? most_vectors : 2;
                const std::size_t columns = vectors * kLanes;
                if (product.cols - column >= 2 * columns)
                    fetch(rows + column + columns, product.b_stride, part.depth, columns);
                else if (product.inner - k >= 2 * depth)
                    fetch(rows + depth * product.b_stride, product.b_stride, depth, columns);
                if constexpr (kIsWide<Format>) {
                    part.b = rows + column;
                    part.stride = product.b_stride;
                } else {
                    for (std::size_t i = 0; i < part.depth; ++i)
                        widen<Format>(rows + i * product.b_stride + column, wide + i * columns,
                                      columns);
                    part.b = wide;
                    part.stride = columns;
                }
                multiplyPart(product, part, rows_at_once, vectors, column);
                column += columns;
            }
            if (column < product.cols)
                multiplyRest<Format>(product, rows + column, part, rows_at_once, column);
        }
    }

    // C = A · Bᵀ: every sum is as many sums as a vector has lanes, added up at the end.

    static constexpr std::size_t kDotColumns = kLanes >= 16 ? 4 : 3;
    static constexpr std::size_t kDotRows = kSums / kDotColumns;
    static constexpr std::size_t kDotDepth = 512;

    using Dots = void (*)(const float* a, std::size_t a_stride, const float* b,
                          std::size_t b_stride, std::size_t depth, float* sums);

    /// sums [Rows, kDotColumns, kLanes] += the products of the lanes of `depth` numbers.
    template <std::size_t Rows, std::size_t Columns>
    static void dots(const float* a, std::size_t a_stride, const float* b, std::size_t b_stride,
                     std::size_t depth, float* sums) {
        Batch totals[Rows][Columns];
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t c = 0; c < Columns; ++c)
                totals[r][c] = Batch::load_unaligned(sums + (r * kDotColumns + c) * kLanes);
        const auto add = [&](auto load, std::size_t k) {
            Batch columns[Columns];
            for (std::size_t c = 0; c < Columns; ++c)
                columns[c] = load(b + c * b_stride + k);
            for (std::size_t r = 0; r < Rows; ++r) {
                const Batch row = load(a + r * a_stride + k);
                for (std::size_t c = 0; c < Columns; ++c)
                    totals[r][c] = xsimd::fma(row, columns[c], totals[r][c]);
            }
        };
        std::size_t k = 0;
        for (; k + kLanes <= depth; k += kLanes)
            add([](const float* x) { return Batch::load_unaligned(x); }, k);
        if (k < depth)
            add([rest = depth - k](const float* x) { return loadPart<Batch>(x, rest, 0.0f); }, k);
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t c = 0; c < Columns; ++c)
                totals[r][c].store_unaligned(sums + (r * kDotColumns + c) * kLanes);
    }

    template <std::size_t Columns>
    static Dots dotsOf(std::size_t rows) {
        static_assert(kDotRows == 4 || kDotRows == 6);
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
            return dotsOf<kDotColumns>(rows);
        }
    }

    /// By halves.
    static float sumOfLanes(float* lanes) {
        for (std::size_t half = kLanes / 2; half > 0; half /= 2)
            for (std::size_t i = 0; i < half; ++i)
                lanes[i] += lanes[i + half];
        return lanes[0];
    }

    template <FloatFormat Format>
    static void multiplyTransposedOf(const RowProduct& product) {
        const auto* const b = static_cast<const Number<Format>*>(product.b);
        constexpr std::size_t kRowSums = kDotColumns * kLanes;
        alignas(kLine) float wide[kDotColumns * kDotDepth];
        for (std::size_t column = 0; column < product.cols; column += kDotColumns) {
            const std::size_t columns = smaller(kDotColumns, product.cols - column);
            alignas(kLine) float sums[kFewRows * kRowSums];
            for (std::size_t i = 0; i < product.rows * kRowSums; ++i)
                sums[i] = 0.0f;
            for (std::size_t k = 0; k < product.inner; k += kDotDepth) {
                const std::size_t depth = smaller(kDotDepth, product.inner - k);
                const Number<Format>* const part = b + column * product.b_stride + k;
                const float* lines = wide;
                std::size_t stride = kDotDepth;
                if constexpr (kIsWide<Format>) {
                    lines = part;
                    stride = product.b_stride;
                } else {
                    for (std::size_t c = 0; c < columns; ++c)
                        widen<Format>(part + c * product.b_stride, wide + c * kDotDepth, depth);
                }
                for (std::size_t row = 0; row < product.rows; row += kDotRows)
                    dotsOf(smaller(kDotRows, product.rows - row),
                           columns)(product.a + row * product.a_stride + k, product.a_stride, lines,
                                    stride, depth, sums + row * kRowSums);
            }
            for (std::size_t row = 0; row < product.rows; ++row) {
                float* const c = product.c + row * product.c_stride + column;
                for (std::size_t i = 0; i < columns; ++i) {
                    const float sum =
                        product.scale * sumOfLanes(sums + row * kRowSums + i * kLanes);
                    c[i] = product.adds ? c[i] + sum : sum;
                }
            }
        }
    }

public:
    static void multiply(const RowProduct& product) {
        switch (product.format) {
        case FloatFormat::Float32:
            return multiplyOf<FloatFormat::Float32>(product);
        case FloatFormat::Float16:
            return multiplyOf<FloatFormat::Float16>(product);
        case FloatFormat::BFloat16:
            return multiplyOf<FloatFormat::BFloat16>(product);
        }
    }

    static void multiplyTransposed(const RowProduct& product) {
        switch (product.format) {
        case FloatFormat::Float32:
            return multiplyTransposedOf<FloatFormat::Float32>(product);
        case FloatFormat::Float16:
            return multiplyTransposedOf<FloatFormat::Float16>(product);
        case FloatFormat::BFloat16:
            return multiplyTransposedOf<FloatFormat::BFloat16>(product);
        }
    }
};

} // namespace
} // namespace headscope
