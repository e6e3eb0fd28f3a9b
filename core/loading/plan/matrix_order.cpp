#include "core/loading/plan/matrix_order.h"

#include "core/loading/plan/tensor_plan.h"

#include <algorithm>
#include <vector>

namespace headscope {

namespace {

/// How many projections of a file have one orientation or the other.
struct Census {
    std::size_t as_named = 0;
    std::size_t other_way = 0;
    std::size_t square = 0;
    std::string example; ///< the first that tells

    void count(const TensorInfo& tensor, Layout layout, WeightRole role, const ModelSpec& spec) {
        const Shape named = fileShape(role, layout, spec);
        const Shape reversed = fileShape(role, swapped(layout), spec);
        const bool fits = joinsTo(tensor.shape, named);
        if (named == reversed) {
            square += fits ? 1 : 0;
            return;
        }
        const bool fits_reversed = joinsTo(tensor.shape, reversed);
        if (!fits && !fits_reversed)
            return;
        (fits ? as_named : other_way) += 1;
        if (example.empty())
            example = tensor.nameInFile();
    }
};

std::string noteOnSquares(const Census& census, const MatrixOrder& order, bool flip_square) {
    const std::string like = " (such as '" + census.example + "')";
    if (census.square == 0)
        return order.swapped
                   ? "The weight matrices are stored the other way than their names mean" + like +
                         " and are transposed."
                   : "";
    const std::string squares = census.square == 1 ? "One weight matrix is square and read "
                                                   : std::to_string(census.square) +
                                                         " weight matrices are square and read ";
    const std::string way =
        order.square_swapped ? "the other way than named" : "the way their names mean";
    if (flip_square)
        return squares + way + ", against what names and shapes suggest, as was asked for.";
    if (census.as_named + census.other_way == 0)
        return squares + way +
               "; no shape tells whether that is right, so compare with the other "
               "way round if attention looks like noise.";
    return squares + way + ", as those are whose shape tells" + like + ".";
}

/// The note on matrices with an axis of heads.
std::string noteOnHeads(const Census& census, const MatrixOrder& order) {
    const bool square = census.as_named + census.other_way == 0 && census.square > 0;
    if (order.heads_swapped)
        return "The matrices of single heads are stored as [head, d_head, d_model]" +
               std::string(square ? ", as was asked for," : " (such as '" + census.example + "')") +
               " and are transposed.";
    return square ? "d_head is d_model, so no shape tells which way the matrices of single heads "
                    "are stored; they are read as [head, d_model, d_head], and --transpose-heads "
                    "reads them the other way."
                  : "";
}

/// A choice about single heads that their shapes contradict.
std::optional<Error> refusalOf(const Census& heads, const std::string& file) {
    if (heads.as_named > 0)
        return Error{ErrorCode::InvalidArgument,
                     file + ": '" + heads.example +
                         "' lies as [head, d_model, d_head], so there is nothing to transpose; "
                         "open the file without --transpose-heads."};
    if (heads.as_named + heads.other_way + heads.square == 0)
        return Error{ErrorCode::InvalidArgument,
                     file + " has no matrices of single heads; open it without "
                            "--transpose-heads."};
    return std::nullopt;
}

/// What the file has of those that a rule names in a layer: one for each expert, or one.
std::vector<const TensorInfo*> tensorsOf(const TensorRule& rule, std::size_t layer,
                                         const ModelSpec& spec, const TensorSource& file,
                                         const TensorNames& names) {
    std::vector<const TensorInfo*> tensors;
    for (std::size_t expert = 0; expert < rule.tensorsIn(spec, layer); ++expert)
        if (const TensorInfo* tensor = file.find(names.inFile(rule, layer, expert)))
            tensors.push_back(tensor);
    return tensors;
}

} // namespace

MatrixOrder findMatrixOrder(const Architecture& architecture, const TensorSource& file,
                            const TensorNames& names, const MatrixChoice& choice) {
    const std::size_t n_layers = architecture.spec.n_layers;
    Census census;
    Census heads;
    for (const TensorRule& rule : architecture.tensors) {
        if (!isProjection(rule) && !isHeadMatrix(rule))
            continue;
        Census& counted = isHeadMatrix(rule) ? heads : census;
        const std::size_t copies = roleInfo(rule.role).isPerLayer() ? n_layers : 1;
        for (std::size_t layer = 0; layer < copies; ++layer)
            for (const TensorInfo* tensor : tensorsOf(rule, layer, architecture.spec, file, names))
                counted.count(*tensor, layoutInFile(rule, *tensor), rule.role,
                              specInFile(architecture.spec, layer));
    }
    MatrixOrder order;
    order.swapped = census.as_named == 0 && census.other_way > 0;
    order.square_swapped = order.swapped != choice.flip_square;
    order.heads_swapped = heads.as_named == 0 &&
                          (heads.other_way > 0 || (heads.square > 0 && choice.transpose_heads));
    order.n_square = census.square;
    const std::string notes[] = {noteOnSquares(census, order, choice.flip_square),
                                 noteOnHeads(heads, order)};
    order.note = notes[0] + (notes[0].empty() || notes[1].empty() ? "" : " ") + notes[1];
    if (choice.transpose_heads)
        order.refusal = refusalOf(heads, file.path().filename().string());
    return order;
}

bool isMatrix(const TensorRule& rule) {
    return !roleInfo(rule.role).isVector() &&
           (rule.layout == Layout::AsStored || rule.layout == Layout::Transposed);
}

bool isProjection(const TensorRule& rule) {
    const Dim rows = roleInfo(rule.role).rows;
    const bool is_table = rows == Dim::Vocab || rows == Dim::Outputs || rows == Dim::Context ||
                          rows == Dim::TokenTypes || rows == Dim::TaskTypes;
    return isMatrix(rule) && !is_table;
}

bool isHeadMatrix(const TensorRule& rule) {
    return rule.layout == Layout::PerHead && !roleInfo(rule.role).isVector();
}

Layout swapped(Layout layout) {
    if (layout == Layout::PerHead || layout == Layout::PerHeadTransposed)
        return layout == Layout::PerHead ? Layout::PerHeadTransposed : Layout::PerHead;
    return layout == Layout::AsStored ? Layout::Transposed : Layout::AsStored;
}

Layout layoutInFile(const TensorRule& rule, const TensorInfo& tensor) {
    return tensor.transposed && isMatrix(rule) ? swapped(rule.layout) : rule.layout;
}

bool joinsTo(const Shape& shape, const Shape& expected) {
    if (elementCount(shape) != elementCount(expected))
        return false;
    std::size_t axis = 0;
    for (const std::size_t wanted : expected) {
        std::size_t joined = 1;
        while (joined < wanted && axis < shape.size())
            joined *= shape[axis++];
        if (joined != wanted)
            return false;
    }
    return true;
}

} // namespace headscope
