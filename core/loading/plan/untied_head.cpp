#include "core/loading/plan/untied_head.h"

#include "core/loading/plan/tensor_names.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

namespace {

/// False when one cannot be read, which reading the weights will tell.
template <class Number>
bool haveOtherNumbers(const TensorSource& file, const TensorInfo& a, const TensorInfo& b) {
    std::vector<Number> of_a(elementCount(a.shape));
    std::vector<Number> of_b(elementCount(b.shape));
    return file.read(a, std::span(of_a)) && file.read(b, std::span(of_b)) && of_a != of_b;
}

/// Tensors that lie differently are compared when the weights are read.
bool differ(const TensorSource& file, const TensorInfo& a, const TensorInfo& b) {
    if (a.shape != b.shape || a.transposed != b.transposed || !isFloat(a.type) || !isFloat(b.type))
        return false;
    return a.type == b.type && formatFor(a.type) != FloatFormat::Float32
               ? haveOtherNumbers<std::uint16_t>(file, a, b)
               : haveOtherNumbers<float>(file, a, b);
}

/// The rules of a role: what fills it first, and by old and new names what is tied to that.
std::vector<TensorRule*> rulesOf(WeightRole role, Architecture& architecture) {
    std::vector<TensorRule*> rules;
    for (TensorRule& rule : architecture.tensors)
        if (rule.role == role)
            rules.push_back(&rule);
    return rules;
}

/// A tensor, and one that is tied to it and yet has other numbers.
struct Untied {
    const TensorInfo* first = nullptr;
    const TensorInfo* other = nullptr;
};

std::optional<Untied> findUntied(const TensorSource& file, const TensorNames& names,
                                 const std::vector<TensorRule*>& rules) {
    const TensorInfo* first = nullptr;
    for (const TensorRule* const rule : rules) {
        const TensorInfo* const stored = file.find(names.inFile(*rule, 0));
        if (rule == rules.front())
            first = stored;
        else if (first != nullptr && stored != nullptr && differ(file, *first, *stored))
            return Untied{first, stored};
    }
    return std::nullopt;
}

std::string noteOf(const Untied& untied) {
    return "The config ties embedding and unembedding (tie_word_embeddings), but '" +
           untied.other->nameInFile() + "' differs from '" + untied.first->nameInFile() +
           "': the two are not tied, as in transformers.";
}

} // namespace

void untieStoredHead(ConfigReader& config, const TensorSource& file, Architecture& architecture) {
    if (!architecture.spec.tied_unembedding)
        return;
    const TensorNames names(architecture, file);
    const auto embeddings = rulesOf(WeightRole::W_E, architecture);
    if (const auto untied = findUntied(file, names, embeddings)) {
        for (std::size_t i = 1; i < embeddings.size(); ++i)
            embeddings[i]->role = WeightRole::W_U;
        architecture.spec.tied_unembedding = false;
        config.note(noteOf(*untied));
    }
    const auto biases = rulesOf(WeightRole::b_U, architecture);
    if (const auto untied = findUntied(file, names, biases)) {
        architecture.extras.push_back({"*" + biases.front()->name, "the decoder has another bias"});
        architecture.tensors.erase(architecture.tensors.begin() +
                                   (biases.front() - architecture.tensors.data()));
        config.note(noteOf(*untied));
    }
}

} // namespace headscope
