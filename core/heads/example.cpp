#include "core/heads/example.h"

#include "core/base/text.h"
#include "core/model/prompt.h"

#include <algorithm>

namespace headscope {

namespace {

std::string typedText(const Model& model, const TokenIds& ids) {
    if (model.tokenizer)
        return model.tokenizer->decode(ids, true);
    std::vector<std::string> numbers;
    for (const TokenId id : ids)
        numbers.push_back(std::to_string(id));
    return join(numbers, " ");
}

} // namespace

std::optional<StrongestRow::Key> chosenKey(const StrongestRow& row) {
    for (const StrongestRow::Key& key : row.keys)
        if (key.weight > 0.0f && key.key != 0 && key.key != row.query)
            return key;
    return std::nullopt;
}

ExampleList exampleList(const Model& model, std::span<const InputSequence> sequences,
                        const HeadScan& scan, const ExampleQuestion& question) {
    std::vector<float> strongest(scan.rows.size());
    std::ranges::transform(scan.rows, strongest.begin(), &StrongestRow::weight);
    ExampleList list{{}, weightHistogram(strongest, kWeightBins), scan.sums.means()};
    for (const ChosenExample& chosen :
         chooseExamples(strongest, question.kind, question.count, question.seed)) {
        HeadExample& example = list.examples.emplace_back(
            HeadExample{chosen.sequence, chosen.interval, scan.rows[chosen.sequence], {}, {}});
        const TokenIds& ids = sequences[chosen.sequence].ids;
        example.text = typedText(model, ids);
        for (const TokenId id : ids) {
            const std::string typed = typedPiece(model, id);
            example.pieces.push_back(typed.empty() ? tokenPiece(model, id) : typed);
        }
    }
    return list;
}

} // namespace headscope
