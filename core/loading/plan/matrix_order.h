#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"
#include "core/loading/architectures/architecture.h"
#include "core/loading/plan/tensor_names.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// What a user knows of the matrices of a file where their shapes do not tell it.
struct MatrixChoice {
    bool flip_square = false;     ///< square ones are transposed compared with names and shapes
    bool transpose_heads = false; ///< those of single heads are [head, d_head, d_model]
};

/// The orientation of the weight matrices of a file. The shape tells it of a matrix that is not
/// square; the square ones follow the others, and their names where there are no others.
struct MatrixOrder {
    bool swapped = false; ///< those that are not square are transposed compared with their names
    bool square_swapped = false;  ///< the square ones are read the other way than named
    bool heads_swapped = false;   ///< each head's matrix is transposed compared with its name
    std::size_t n_square = 0;     ///< how many matrices could be read both ways
    std::string note;             ///< for the user; empty where nothing was to be decided
    std::optional<Error> refusal; ///< of a choice that the shapes contradict
};

/// Looks at the shapes of all projections (not at embeddings, whose rows are tokens). Only if every
/// projection that is not square is transposed, the file is taken to be written so; likewise for
/// matrices with an axis of heads. `choice` transposes the square ones, against what was found.
MatrixOrder findMatrixOrder(const Architecture& architecture, const TensorSource& file,
                            const TensorNames& names, const MatrixChoice& choice);

/// Whether a rule is about a whole matrix: one that a Keras kernel may fill.
bool isMatrix(const TensorRule& rule);

/// Whether that matrix is also one that files hold either way, which embedding tables are not.
bool isProjection(const TensorRule& rule);

/// Whether a rule is about matrices of single heads, which files hold either way.
bool isHeadMatrix(const TensorRule& rule);

/// AsStored for Transposed and the reverse; of single heads likewise.
Layout swapped(Layout layout);

/// The layout of a rule's tensor by its names: a kernel is transposed compared with the torch
/// weight whose name it was given.
Layout layoutInFile(const TensorRule& rule, const TensorInfo& tensor);

/// Whether `shape` becomes `expected` by leaving out axes of size 1 and joining neighbours: a
/// Keras kernel [d_model, n_heads, d_head] is a matrix [d_model, n_heads·d_head]. Both have small
/// enough products to count.
bool joinsTo(const Shape& shape, const Shape& expected);

} // namespace headscope
