#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// Puts the values of a tensor of the file into the form that its translation promises.
using RestoreValues = std::function<void(std::span<float> values)>;

/// Texts by key.
using TranslatedTexts = std::map<std::string, std::string, std::less<>>;

/// One tensor as the model families know it, and the tensors of the file that it is made of.
struct TranslatedTensor {
    /// Name and shape after translation, and whether it is a Keras kernel.
    TensorInfo info;
    /// Names in the file. Several: matrices side by side, [rows, a] and [rows, b] to [rows, a + b].
    std::vector<std::string> parts;
    /// Several parts are stacked by rows instead.
    bool stacked = false;
    /// Names in the file that must hold the values of the only part.
    std::vector<std::string> copies = {};
    /// A part is one matrix per head, [head, rows, d_head], and shown as [rows, head · d_head].
    bool heads_first = false;
    /// It is this row of the only part, [rows, …].
    std::optional<std::size_t> row = {};
    /// On the values of all parts; empty where they are as they should be.
    RestoreValues restore = {};
};

/// The tensor of the file itself, under another name.
TranslatedTensor renamed(const TensorInfo& tensor, std::string name, bool transposed = false);

/// The name that a tensor of the file has for the model families; a pure function.
using Rename = std::function<std::string(const std::string& name)>;

/// Whether it changes a name in the file, and two tensors never get the same.
bool changesNames(const TensorSource& file, const Rename& rename);

/// The type of a tensor that now also holds the numbers of `other`. One that cannot be read stays.
void mixTypes(TensorInfo& tensor, const TensorInfo& other);

/// Shows `file` with these tensors in place of its own, and with these texts in place of those of
/// the same key. Two tensors of one name and shape are taken
/// for copies, as Keras stores shared layers with each of their owners; read() compares them. Fails
/// when they cannot be copies.
Result<std::unique_ptr<TensorSource>> translatedSource(std::unique_ptr<TensorSource> file,
                                                       std::vector<TranslatedTensor> tensors,
                                                       TranslatedTexts texts = {});

/// Shows `file` with these names.
Result<std::unique_ptr<TensorSource>> renamedSource(std::unique_ptr<TensorSource> file,
                                                    const Rename& rename);

} // namespace headscope
