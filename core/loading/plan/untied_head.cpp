#include "core/loading/plan/untied_head.h"

#include "core/loading/plan/tensor_names.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

namespace {

/// What fills a role first, and by old and new names what is tied to that.
std::vector<TensorRule*> rulesOf(WeightRole role, Architecture& architecture) {
    std::vector<TensorRule*> rules;
    for (TensorRule& rule : architecture.tensors)
        if (rule.role == role)
            rules.push_back(&rule);
    return rules;
}

/// False when one cannot be read, which reading the weights will tell.
bool differ(const TensorSource& file, const TensorInfo& a, const TensorInfo& b) {
    if (a.shape != b.shape || !isFloat(a.type) || !isFloat(b.type))
        return false;
    std::vector<float> of_a(elementCount(a.shape));
    std::vector<float> of_b(elementCount(b.shape));
    return file.read(a, of_a) && file.read(b, of_b) && of_a != of_b;
}

} // namespace

bool mayBeUntied(const PlannedTensor& planned, const ModelSpec& spec) {
    return spec.tied_unembedding && planned.role == WeightRole::W_E && planned.copy_of != nullptr;
}

void untieHead(Architecture& architecture) {
    const auto embeddings = rulesOf(WeightRole::W_E, architecture);
    for (std::size_t i = 1; i < embeddings.size(); ++i)
        embeddings[i]->role = WeightRole::W_U;
    architecture.spec.tied_unembedding = false;
}

void tieAsIn(const ModelSpec& loaded, Architecture& architecture) {
    if (architecture.spec.tied_unembedding && !loaded.tied_unembedding)
        untieHead(architecture);
}

std::string untiedNote(const TensorInfo& first, const TensorInfo& other) {
    return "The config ties embedding and unembedding (tie_word_embeddings), but '" +
           other.nameInFile() + "' differs from '" + first.nameInFile() +
           "': the two are not tied, as in transformers.";
}

void untieStoredBias(ConfigReader& config, const TensorSource& file, Architecture& architecture) {
    if (!architecture.spec.tied_unembedding)
        return;
    const auto biases = rulesOf(WeightRole::b_U, architecture);
    if (biases.size() < 2)
        return;
    const TensorNames names(architecture, file);
    const TensorInfo* const first = file.find(names.inFile(*biases[0], 0));
    const TensorInfo* const other = file.find(names.inFile(*biases[1], 0));
    if (first == nullptr || other == nullptr || !differ(file, *first, *other))
        return;
    config.note(untiedNote(*first, *other));
    architecture.extras.push_back({"*" + biases[0]->name, "the decoder has another bias"});
    architecture.tensors.erase(architecture.tensors.begin() +
                               (biases[0] - architecture.tensors.data()));
}

} // namespace headscope
