// Writes induction-circuit.h5: an attention-only GPT-2 of two layers whose weights are set by hand,
// so that every attention pattern and every score is known exactly.
//
// The residual stream is four blocks of eight dimensions. Each holds a word of four +1 and four −1:
//
//   token | position | position − 1 | previous token (empty until head 0.0 writes it)
//
// Such vectors have mean 0 and a constant variance, so LayerNorm only divides by a known number,
// which its gain undoes to the last bit. All scores are small integers, which float32 adds without
// rounding in any order. Two different words agree on 8 − 4 at most, so a head that multiplies the
// agreement by 28 leaves 112 nats between its target and everything else, and float32's exp gives 0
// below −104.

#include "core/io/hdf5_writer.h"
#include "core/tensor/tensor.h"
#include "sample_models/hand_made_head.h"

#include <nlohmann/json.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace headscope;

constexpr std::size_t kLayers = 2;
constexpr std::size_t kHeads = 4;
constexpr std::size_t kContext = 64;
constexpr std::size_t kLetters = 26;
constexpr std::size_t kBos = 0;
constexpr std::size_t kVocabulary = kLetters + 2; // <BOS>, a … z, <UNK>
constexpr double kEps = 1e-5;

// Where each block of the residual stream begins.
constexpr std::size_t kToken = 0;
constexpr std::size_t kPosition = 8;
constexpr std::size_t kPositionBefore = 16;
constexpr std::size_t kTokenBefore = 24;

/// The word whose entry i is +1 where bit i of `bits` is set.
Word wordOf(unsigned bits) {
    Word word;
    for (std::size_t i = 0; i < kWord; ++i)
        word[i] = (bits >> i & 1u) != 0 ? 1.0f : -1.0f;
    return word;
}

/// The 70 words of four +1 and four −1, by rising Σ 2^i x_i.
std::vector<Word> balancedWords() {
    std::vector<Word> words;
    for (unsigned bits = 0; bits < 256; ++bits)
        if (std::popcount(bits) == 4)
            words.push_back(wordOf(bits));
    return words;
}

/// BOS first, then words that are all orthogonal to it: two +1 in either half.
std::vector<Word> tokenWords() {
    std::vector<Word> words{wordOf(0x0F)};
    for (unsigned bits = 0; bits < 256; ++bits)
        if (std::popcount(bits & 0x0Fu) == 2 && std::popcount(bits & 0xF0u) == 2)
            words.push_back(wordOf(bits));
    words.resize(kVocabulary);
    return words;
}

Word scaled(Word word, float factor) {
    for (float& value : word)
        value *= factor;
    return word;
}

/// The gain that turns LayerNorm's division by √(variance + ε) back into 1 exactly.
float undo(double variance) {
    const auto scale = static_cast<float>(std::sqrt(variance + kEps));
    float gain = scale;
    while (1.0f / scale * gain < 1.0f)
        gain = std::nextafter(gain, 2.0f);
    return gain;
}

Layer firstLayer() {
    Layer layer;
    layer.ln_weight = Tensor({kModel}, undo(0.75)); // three blocks of four are filled

    Head previous(layer, 0);
    previous.match(kPositionBefore, kPosition, 28.0f);
    previous.copy(kToken, kTokenBefore, 1.0f);

    // The same token, and of several the first: positions are numbered by rising Σ 2^i x_i, which
    // steps by 2 at least, so 56 keeps 112 nats between them. A match must outweigh the whole range
    // of 2 · (212 − 15) · 56 = 22064.
    Head duplicate(layer, 1);
    duplicate.match(kToken, kToken, 5600.0f);
    duplicate.prefer(kPosition, scaled({1, 2, 4, 8, 16, 32, 64, 128}, -56.0f));

    Head sink(layer, 2);
    sink.prefer(kPosition, scaled(balancedWords().front(), 28.0f));

    return layer; // head 0.3 stays empty: all scores 0
}

/// The query's token matched with the token before the key, at 56 per unit: 0 for a match, −224 at
/// most without. BOS gets −448 + 336 = −112, a place to rest; letters are orthogonal to it.
void buildInduction(Layer& layer, std::size_t head) {
    const Word bos = tokenWords()[kBos];
    Head induction(layer, head);
    induction.match(kToken, kTokenBefore, 56.0f);
    induction.prefer(kToken, scaled(bos, 42.0f));
    induction.copy(kToken, kToken, 2.0f, bos);
}

Layer secondLayer() {
    Layer layer;
    layer.ln_weight = Tensor({kModel}, undo(1.0)); // all four blocks are filled

    buildInduction(layer, 0);

    Head eraser(layer, 1);
    eraser.match(kPosition, kPosition, 28.0f);
    eraser.copy(kToken, kToken, -1.0f);

    Head same_token(layer, 2);
    same_token.match(kToken, kToken, 28.0f);

    buildInduction(layer, 3);
    return layer;
}

void putWord(Tensor& table, std::size_t row, std::size_t block, const Word& word) {
    for (std::size_t i = 0; i < kWord; ++i)
        table(row, block + i) = word[i];
}

Tensor tokenEmbedding() {
    Tensor table({kVocabulary, kModel});
    for (std::size_t id = 0; id < kVocabulary; ++id)
        putWord(table, id, kToken, tokenWords()[id]);
    return table;
}

/// Position p and position p − 1; what stands before position 0 is a word of its own.
Tensor positionEmbedding() {
    const auto words = balancedWords();
    Tensor table({kContext, kModel});
    for (std::size_t p = 0; p < kContext; ++p) {
        putWord(table, p, kPosition, words[p]);
        putWord(table, p, kPositionBefore, words[p == 0 ? kContext : p - 1]);
    }
    return table;
}

std::string configText() {
    return nlohmann::json{
        {"model_type", "gpt2"},
        {"vocab_size", kVocabulary},
        {"n_positions", kContext},
        {"n_embd", kModel},
        {"n_layer", kLayers},
        {"n_head", kHeads},
        {"n_inner", 0},
        {"layer_norm_epsilon", kEps},
        {"scale_attn_weights", false},
        {"tie_word_embeddings", true},
        {"bos_token_id", kBos},
    }
        .dump();
}

std::string tokenizerText() {
    nlohmann::json vocabulary{{"<BOS>", kBos}, {"<UNK>", kVocabulary - 1}};
    for (std::size_t i = 0; i < kLetters; ++i)
        vocabulary[std::string(1, static_cast<char>('a' + i))] = i + 1;
    auto added = nlohmann::json::array();
    for (const char* special : {"<BOS>", "<UNK>"})
        added.push_back({{"id", vocabulary[special]},
                         {"content", special},
                         {"single_word", false},
                         {"lstrip", false},
                         {"rstrip", false},
                         {"normalized", false},
                         {"special", true}});
    return nlohmann::json{
        {"version", "1.0"},
        {"truncation", nullptr},
        {"padding", nullptr},
        {"added_tokens", added},
        {"normalizer", {{"type", "Lowercase"}}},
        {"pre_tokenizer", {{"type", "Whitespace"}}},
        {"post_processor", nullptr},
        {"decoder", nullptr},
        {"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "<UNK>"}}},
    }
        .dump();
}

Result<void> writeCircuit(const std::filesystem::path& path) {
    const std::array layers{firstLayer(), secondLayer()};
    const Tensor wte = tokenEmbedding();
    const Tensor wpe = positionEmbedding();
    const Tensor ln_f_weight({kModel}, 2.0f); // how sure the predictions are
    const Tensor ln_f_bias({kModel});

    std::vector<Hdf5Array> arrays;
    const auto add = [&](const std::string& name, const Tensor& tensor) {
        arrays.push_back({"transformer/" + name, tensor.shape(), tensor.values()});
    };
    add("wte/weight", wte);
    add("wpe/weight", wpe);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::string block = "h/" + std::to_string(i) + "/";
        add(block + "ln_1/weight", layers[i].ln_weight);
        add(block + "ln_1/bias", layers[i].ln_bias);
        add(block + "attn/c_attn/weight", layers[i].c_attn_weight);
        add(block + "attn/c_attn/bias", layers[i].c_attn_bias);
        add(block + "attn/c_proj/weight", layers[i].c_proj_weight);
        add(block + "attn/c_proj/bias", layers[i].c_proj_bias);
    }
    add("ln_f/weight", ln_f_weight);
    add("ln_f/bias", ln_f_bias);

    const std::array<Hdf5Attribute, 5> attributes{{
        {"config", configText()},
        {"description", "induction-circuit: two attention-only layers with weights set by hand; "
                        "type letters with spaces between them"},
        {"format", "headscope"},
        {"format_version", "1"},
        {"tokenizer", tokenizerText()},
    }};
    return writeHdf5(path, arrays, attributes);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: make_induction_circuit FILE.h5\n";
        return 2;
    }
    if (const auto written = writeCircuit(argv[1]); !written) {
        std::cerr << written.error().message << '\n';
        return 1;
    }
    return 0;
}
