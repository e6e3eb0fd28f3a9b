#include "core/datasets/indirect_object.h"

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/datasets/token_alignment.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

/// {1} and {2} are IO and S1 in one order or the other; a space comes before each name. Any place
/// and object fits any template.
constexpr std::array<std::string_view, 8> kTemplates{
    "When {1} and {2} walked to the {place}, {S} handed a {object} to",
    "After {1} and {2} came home from the {place}, {S} passed a {object} to",
    "While {1} and {2} were waiting at the {place}, {S} offered a {object} to",
    "Yesterday {1} and {2} played near the {place} until {S} gave a {object} to",
    "Because {1} and {2} were alone at the {place}, {S} lent a {object} to",
    "At the {place} {1} sat down next to {2}, and then {S} showed a {object} to",
    "On the way to the {place} {1} talked with {2}, and later {S} sold a {object} to",
    "One morning {1} met {2} at the {place}, where {S} brought a {object} to"};
constexpr std::array<std::string_view, 12> kPlaces{"store", "school",  "park",   "garden",
                                                   "river", "station", "market", "library",
                                                   "beach", "forest",  "farm",   "museum"};
constexpr std::array<std::string_view, 12> kObjects{"book", "ball", "drink", "letter",
                                                    "cake", "map",  "cup",   "flower",
                                                    "hat",  "box",  "lamp",  "kite"};
constexpr std::array<std::string_view, 48> kNames{
    "Mary",   "John",   "Alice",  "Tom",    "Anna",   "James",  "Emma",  "Paul",
    "Sarah",  "David",  "Lucy",   "Peter",  "Kate",   "Jack",   "Jane",  "Adam",
    "Maria",  "Simon",  "Clara",  "Henry",  "Ella",   "Oscar",  "Ruth",  "Leo",
    "Nina",   "Sam",    "Lily",   "Max",    "Rose",   "Ben",    "Grace", "Mark",
    "Laura",  "Robert", "Helen",  "Daniel", "Susan",  "George", "Julia", "Martin",
    "Sophie", "Thomas", "Rachel", "Kevin",  "Martha", "Frank",  "Diana", "Charles"};
/// IO and S, and the three names of the corrupted run.
constexpr std::size_t kNamesPerPrompt = 5;

struct Name {
    std::string text;
    TokenId token = 0;
};

Result<std::vector<Name>> namesOf(const Model& model) {
    if (!model.tokenizer)
        return noTokenizer(ErrorCode::InvalidArgument, model,
                           ", so it cannot read the prompts of the indirect-object task.");
    std::vector<Name> names;
    names.reserve(kNames.size());
    for (const std::string_view name : kNames)
        if (const auto token = tokenOfWord(*model.tokenizer, name))
            names.push_back({std::string(name), *token});
    if (names.size() < kNamesPerPrompt)
        return Error{ErrorCode::Unsupported,
                     "The indirect-object task needs " + std::to_string(kNamesPerPrompt) +
                         " first names of one token each, and of " + std::to_string(kNames.size()) +
                         " common ones the tokenizer of " + model.name + " has " +
                         std::to_string(names.size()) + "."};
    return names;
}

/// Puts `count` names drawn without replacement in front (Fisher–Yates, stopped early).
void drawNames(std::vector<Name>& names, std::size_t count, Random& random) {
    for (std::size_t i = 0; i < count; ++i)
        std::swap(names[i], names[i + random.below(names.size() - i)]);
}

/// The words of a prompt, without links, and where its names are among them.
struct WrittenPrompt {
    Sentence sentence;
    std::size_t first = 0;
    std::size_t second = 0;
    std::size_t subject = 0;
};

void append(WrittenPrompt& prompt, std::string_view form) {
    Sentence& sentence = prompt.sentence;
    if (!sentence.text.empty())
        sentence.text += ' ';
    Word word;
    word.form = form;
    word.begin = sentence.text.size();
    sentence.text += form;
    word.end = sentence.text.size();
    sentence.words.push_back(std::move(word));
}

/// `io` and `s` in a template with place and object filled in.
WrittenPrompt written(std::string_view filled, bool io_first, const Name& io, const Name& s) {
    WrittenPrompt prompt;
    for (const std::string& part : split(filled, ' ')) {
        const std::size_t index = prompt.sentence.words.size();
        if (part.starts_with("{1}"))
            prompt.first = index;
        else if (part.starts_with("{2}"))
            prompt.second = index;
        else if (part.starts_with("{S}"))
            prompt.subject = index;
        std::string form = replaceAll(part, "{1}", io_first ? io.text : s.text);
        form = replaceAll(form, "{2}", io_first ? s.text : io.text);
        append(prompt, replaceAll(form, "{S}", s.text));
    }
    return prompt;
}

/// `names` are IO, S and the three of the corrupted run.
Result<IndirectObjectPrompt> prompted(const Model& model, const WrittenPrompt& words, bool io_first,
                                      const std::vector<Name>& names, BosMode bos) {
    auto read = probeText(model, words.sentence, bos);
    if (!read)
        return read.error();
    const auto first_token = [&](std::size_t word) { return read->words[word].first; };
    IndirectObjectPrompt prompt;
    prompt.text = words.sentence.text;
    prompt.has_bos = read->has_bos;
    prompt.io_first = io_first;
    prompt.io = first_token(io_first ? words.first : words.second);
    prompt.s1 = first_token(io_first ? words.second : words.first);
    prompt.s1_next = prompt.s1 + 1;
    prompt.s2 = first_token(words.subject);
    prompt.end = read->words.back().end - 1;
    prompt.io_token = names[0].token;
    prompt.s_token = names[1].token;
    prompt.ids = std::move(read->ids);
    if (read->words.back().empty() || prompt.ids[prompt.io] != prompt.io_token ||
        prompt.ids[prompt.s1] != prompt.s_token || prompt.ids[prompt.s2] != prompt.s_token)
        return Error{ErrorCode::Unsupported, "The tokenizer of " + model.name +
                                                 " joins a name with its neighbours in '" +
                                                 prompt.text + "'."};
    prompt.abc_ids = prompt.ids;
    prompt.abc_ids[prompt.io] = names[2].token;
    prompt.abc_ids[prompt.s1] = names[3].token;
    prompt.abc_ids[prompt.s2] = names[4].token;
    return prompt;
}

} // namespace

Result<std::vector<IndirectObjectPrompt>>
indirectObjectPrompts(const Model& model, std::size_t count, std::uint64_t seed, BosMode bos) {
    auto names = namesOf(model);
    if (!names)
        return names.error();
    Random random(seed);
    std::vector<IndirectObjectPrompt> prompts;
    prompts.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        drawNames(*names, kNamesPerPrompt, random);
        const bool io_first = i % 2 == 0;
        std::string filled = replaceAll(kTemplates[i / 2 % kTemplates.size()], "{place}",
                                        kPlaces[random.below(kPlaces.size())]);
        filled = replaceAll(filled, "{object}", kObjects[random.below(kObjects.size())]);
        auto prompt = prompted(model, written(filled, io_first, (*names)[0], (*names)[1]), io_first,
                               *names, bos);
        if (!prompt)
            return prompt.error();
        prompts.push_back(*std::move(prompt));
    }
    return prompts;
}

} // namespace headscope
