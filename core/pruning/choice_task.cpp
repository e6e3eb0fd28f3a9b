#include "core/pruning/choice_task.h"

#include "core/datasets/agreement_pairs.h"
#include "core/datasets/indirect_object.h"
#include "core/model/prompt.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace headscope {

namespace {

constexpr std::array kTaskKinds{ChoiceTaskKind::IndirectObject, ChoiceTaskKind::Agreement};
constexpr std::size_t kPromptsFromTemplates = 40;
/// Fewer say little.
constexpr std::size_t kFewestPrompts = 20;

void addPrompt(PassageSet& set, TokenIds ids, TokenId right, TokenId wrong) {
    Passage passage;
    passage.document = set.documents++;
    passage.targets = {{ids.size() - 1, right}, {ids.size() - 1, wrong}};
    passage.ids = std::move(ids);
    set.tokens += passage.ids.size();
    set.targets += 2;
    set.passages.push_back(std::move(passage));
}

void addIndirectObjects(const Model& model, PassageSet& set) {
    const auto prompts = indirectObjectPrompts(model, kPromptsFromTemplates);
    if (!prompts)
        return;
    for (const IndirectObjectPrompt& prompt : *prompts)
        addPrompt(set, prompt.ids, prompt.io_token, prompt.s_token);
}

/// The one token of a word after a space.
std::optional<TokenId> tokenOfWord(const Tokenizer& tokenizer, const std::string& beginning,
                                   const std::string& word, const TokenIds& before) {
    const auto encoding = tokenizer.encode(beginning + " " + word, false);
    if (!encoding || encoding->ids.size() != before.size() + 1 ||
        !std::ranges::equal(before, std::span(encoding->ids).first(before.size())))
        return std::nullopt;
    return encoding->ids.back();
}

void addAgreementPair(const Model& model, const AgreementPair& pair, PassageSet& set) {
    const auto before = model.tokenizer->encode(pair.beginning, false);
    auto prompt = promptFromText(model, pair.beginning, BosMode::Auto);
    if (!before || !prompt)
        return;
    const auto right = tokenOfWord(*model.tokenizer, pair.beginning, pair.right, before->ids);
    const auto wrong = tokenOfWord(*model.tokenizer, pair.beginning, pair.wrong, before->ids);
    if (right && wrong && *right != *wrong)
        addPrompt(set, std::move(prompt->ids), *right, *wrong);
}

} // namespace

std::span<const ChoiceTaskKind> choiceTaskKinds() {
    return kTaskKinds;
}

std::string_view choiceTaskKey(ChoiceTaskKind kind) {
    return kind == ChoiceTaskKind::IndirectObject ? "indirect_object" : "verb_agreement";
}

PassageSet choicePassages(const Model& model, ChoiceTaskKind kind) {
    PassageSet set;
    set.name = choiceTaskKey(kind);
    if (!model.tokenizer || !model.spec.predictsNextToken())
        return set;
    if (kind == ChoiceTaskKind::IndirectObject) {
        addIndirectObjects(model, set);
    } else {
        for (const AgreementPair& pair : bundledAgreementPairs())
            addAgreementPair(model, pair, set);
        for (const AgreementPair& pair : agreementPairs(kPromptsFromTemplates))
            addAgreementPair(model, pair, set);
    }
    if (set.passages.size() >= kFewestPrompts)
        return set;
    PassageSet none;
    none.name = set.name;
    return none;
}

ChoiceReading choiceReading(ChoiceTaskKind kind, const TargetReadings& readings) {
    ChoiceReading reading{kind};
    const std::size_t prompts = readings.loss.size() / 2;
    for (std::size_t i = 0; i < prompts; ++i) {
        const double difference = double{readings.loss[2 * i + 1]} - double{readings.loss[2 * i]};
        reading.right += difference > 0.0 ? 1.0 : 0.0;
        reading.difference += difference;
    }
    if (prompts > 0) {
        reading.right /= static_cast<double>(prompts);
        reading.difference /= static_cast<double>(prompts);
    }
    return reading;
}

} // namespace headscope
