// The residual stream is four blocks of eight dimensions. Each holds a word of four +1 and four −1:
//
//   token | position | position − 1 | previous token (empty until head 0.0 writes it)
//
// Such vectors have mean 0 and a constant variance, so LayerNorm only divides by a known number,
// which its gain undoes to the last bit. All scores are small integers, which float32 adds without
// rounding in any order. Two different words agree on 8 − 4 at most, so a head that multiplies the
// agreement by 28 leaves 112 nats between its target and everything else, and float32's exp gives 0
// below −104.

#include "core/verify/checks/induction_circuit.h"

#include "core/model/weights.h"
#include "core/tokenizer/tokenizer.h"

#include <nlohmann/json.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <vector>

namespace headscope {

namespace {

constexpr std::size_t kWord = 8; ///< dimensions of a block of the residual stream, and of a head
constexpr std::size_t kCircuitModel = 32; ///< d_model: four blocks, and four heads

/// Four +1 and four −1.
using CodeWord = std::array<float, kWord>;

/// One head of a layer, built from a few moves. Its last dimension is 1 in every query and so adds
/// to the scores what depends on the key alone. The weights of the layer have their shapes already
/// and are 0 where no head was built.
class HandMadeHead {
public:
    HandMadeHead(AttentionWeights& weights, std::size_t head)
        : weights_(weights), q_(head * kWord) {
        weights_.b_QKV(q_ + kConstant) = 1.0f;
    }

    /// Adds strength · (a · b − 8), where a is the query's word in one block and b the key's in
    /// another: 0 where they agree, at most −4 · strength elsewhere. Seven products are enough
    /// because a word sums to 0: Σ a_i b_i over 8 is Σ a_i (b_i − b_8) over 7.
    void match(std::size_t query_block, std::size_t key_block, float strength) {
        for (std::size_t i = 0; i + 1 < kWord; ++i) {
            weights_.W_QKV.floats()(query_block + i, q_ + i) = strength;
            weights_.W_QKV.floats()(key_block + i, k() + i) = 1.0f;
            weights_.W_QKV.floats()(key_block + kWord - 1, k() + i) = -1.0f;
        }
        weights_.b_QKV(k() + kConstant) -= strength * float{kWord};
    }

    /// Adds weights · b for every query, where b is the key's word in a block.
    void prefer(std::size_t key_block, const CodeWord& preference) {
        for (std::size_t i = 0; i < kWord; ++i)
            weights_.W_QKV.floats()(key_block + i, k() + kConstant) += preference[i];
    }

    /// Moves what it attends to from one block to another, without its part along `without`.
    void copy(std::size_t from, std::size_t to, float strength, const CodeWord& without = {}) {
        for (std::size_t i = 0; i < kWord; ++i) {
            for (std::size_t j = 0; j < kWord; ++j)
                weights_.W_QKV.floats()(from + i, v() + j) =
                    (i == j ? 1.0f : 0.0f) - without[i] * without[j] / float{kWord};
            weights_.W_O.floats()(q_ + i, to + i) = strength;
        }
    }

private:
    static constexpr std::size_t kConstant = kWord - 1;

    std::size_t k() const { return kCircuitModel + q_; }
    std::size_t v() const { return 2 * kCircuitModel + q_; }

    AttentionWeights& weights_;
    std::size_t q_; // first column of its queries, and first row of its z
};

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
CodeWord wordOf(unsigned bits) {
    CodeWord word;
    for (std::size_t i = 0; i < kWord; ++i)
        word[i] = (bits >> i & 1u) != 0 ? 1.0f : -1.0f;
    return word;
}

/// The 70 words of four +1 and four −1, by rising Σ 2^i x_i.
std::vector<CodeWord> balancedWords() {
    std::vector<CodeWord> words;
    for (unsigned bits = 0; bits < 256; ++bits)
        if (std::popcount(bits) == 4)
            words.push_back(wordOf(bits));
    return words;
}

/// BOS first, then words that are all orthogonal to it: two +1 in either half.
std::vector<CodeWord> tokenWords() {
    std::vector<CodeWord> words{wordOf(0x0F)};
    for (unsigned bits = 0; bits < 256; ++bits)
        if (std::popcount(bits & 0x0Fu) == 2 && std::popcount(bits & 0xF0u) == 2)
            words.push_back(wordOf(bits));
    words.resize(kVocabulary);
    return words;
}

CodeWord scaled(CodeWord word, float factor) {
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

/// A layer without a head yet, after a norm with this gain.
LayerWeights emptyLayer(float gain) {
    LayerWeights layer;
    layer.ln1 = {Tensor({kCircuitModel}, gain), Tensor({kCircuitModel})};
    layer.attn.W_QKV = Tensor({kCircuitModel, 3 * kCircuitModel});
    layer.attn.b_QKV = Tensor({3 * kCircuitModel});
    layer.attn.W_O = Tensor({kCircuitModel, kCircuitModel});
    layer.attn.b_O = Tensor({kCircuitModel});
    return layer;
}

LayerWeights firstLayer() {
    LayerWeights layer = emptyLayer(undo(0.75)); // three blocks of four are filled

    HandMadeHead previous(layer.attn, 0);
    previous.match(kPositionBefore, kPosition, 28.0f);
    previous.copy(kToken, kTokenBefore, 1.0f);

    // The same token, and of several the first: positions are numbered by rising Σ 2^i x_i, which
    // steps by 2 at least, so 56 keeps 112 nats between them. A match must outweigh the whole range
    // of 2 · (212 − 15) · 56 = 22064.
    HandMadeHead duplicate(layer.attn, 1);
    duplicate.match(kToken, kToken, 5600.0f);
    duplicate.prefer(kPosition, scaled({1, 2, 4, 8, 16, 32, 64, 128}, -56.0f));

    HandMadeHead sink(layer.attn, 2);
    sink.prefer(kPosition, scaled(balancedWords().front(), 28.0f));

    return layer; // head 0.3 stays empty: all scores 0
}

/// The query's token matched with the token before the key, at 56 per unit: 0 for a match, −224 at
/// most without. BOS gets −448 + 336 = −112, a place to rest; letters are orthogonal to it.
void buildInduction(LayerWeights& layer, std::size_t head) {
    const CodeWord bos = tokenWords()[kBos];
    HandMadeHead induction(layer.attn, head);
    induction.match(kToken, kTokenBefore, 56.0f);
    induction.prefer(kToken, scaled(bos, 42.0f));
    induction.copy(kToken, kToken, 2.0f, bos);
}

LayerWeights secondLayer() {
    LayerWeights layer = emptyLayer(undo(1.0)); // all four blocks are filled

    buildInduction(layer, 0);

    HandMadeHead eraser(layer.attn, 1);
    eraser.match(kPosition, kPosition, 28.0f);
    eraser.copy(kToken, kToken, -1.0f);

    HandMadeHead same_token(layer.attn, 2);
    same_token.match(kToken, kToken, 28.0f);

    buildInduction(layer, 3);
    return layer;
}

void putWord(Tensor& table, std::size_t row, std::size_t block, const CodeWord& word) {
    for (std::size_t i = 0; i < kWord; ++i)
        table(row, block + i) = word[i];
}

Tensor tokenEmbedding() {
    Tensor table({kVocabulary, kCircuitModel});
    for (std::size_t id = 0; id < kVocabulary; ++id)
        putWord(table, id, kToken, tokenWords()[id]);
    return table;
}

/// Position p and position p − 1; what comes before position 0 is a word of its own.
Tensor positionEmbedding() {
    const auto words = balancedWords();
    Tensor table({kContext, kCircuitModel});
    for (std::size_t p = 0; p < kContext; ++p) {
        putWord(table, p, kPosition, words[p]);
        putWord(table, p, kPositionBefore, words[p == 0 ? kContext : p - 1]);
    }
    return table;
}

ModelSpec circuitSpec() {
    ModelSpec spec;
    spec.family = "gpt2";
    spec.n_layers = kLayers;
    spec.d_model = kCircuitModel;
    spec.n_heads = kHeads;
    spec.n_kv_heads = kHeads;
    spec.d_head = kWord;
    spec.d_vocab = kVocabulary;
    spec.n_ctx = kContext;
    spec.norm.eps = kEps;
    spec.mlp = MlpKind::None;
    spec.attention_scale.assign(kLayers, 1.0);
    spec.tied_unembedding = true;
    spec.bos_token = TokenId{kBos};
    return spec;
}

} // namespace

std::shared_ptr<const Model> inductionCircuit() {
    auto model = std::make_shared<Model>();
    model->name = "induction-circuit";
    model->spec = circuitSpec();
    model->weights.W_E = tokenEmbedding();
    model->weights.W_pos = positionEmbedding();
    model->weights.layers = {firstLayer(), secondLayer()};
    model->weights.ln_final = {Tensor({kCircuitModel}, 2.0f), // how sure the predictions are
                               Tensor({kCircuitModel})};
    model->tokenizer = *readTokenizerJson(inductionCircuitTokenizer(), model->name);
    model->bos_facts.config_token = model->spec.bos_token;
    return model;
}

std::string inductionCircuitConfig() {
    return nlohmann::json{
        {"model_type", "gpt2"},
        {"vocab_size", kVocabulary},
        {"n_positions", kContext},
        {"n_embd", kCircuitModel},
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

std::string inductionCircuitTokenizer() {
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

} // namespace headscope
