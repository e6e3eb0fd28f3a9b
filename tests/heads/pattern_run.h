#pragma once

#include "core/engine/run.h"
#include "core/heads/score_sequences.h"
#include "core/model/model.h"
#include "tests/support/show_patterns.h"

#include <functional>
#include <memory>
#include <utility>

namespace headscope::test {

using Pattern = std::function<double(std::size_t query, std::size_t key)>;

/// The head that gets the given pattern. Another one has its place where layer and head are
/// swapped, where the heads of a layer are mirrored, and where they are counted from another start.
inline constexpr LayerHead kGiven{1, 0};

/// What the head at `place` does when it is not the given one: of each query a part on the key
/// 3 + place back and the rest on position 1, no two heads alike.
inline double otherPattern(std::size_t place, std::size_t query, std::size_t key) {
    const std::size_t back = 3 + place;
    const std::size_t far = query < back ? 0 : query - back;
    const std::size_t near = query == 0 ? 0 : 1;
    const double share = 0.2 + 0.1 * static_cast<double>(place);
    return (key == far ? share : 0.0) + (key == near ? 1.0 - share : 0.0);
}

/// A run of two layers with three heads each, of different patterns; `pattern` is that of kGiven.
/// What a causal head cannot see is 0. `window`: how many keys a query sees; 0: all.
inline Run runWithPattern(TokenIds ids, const Pattern& pattern, bool causal = true,
                          std::size_t window = 0) {
    auto model = std::make_shared<Model>();
    model->spec.n_layers = 2;
    model->spec.n_heads = 3;
    model->spec.n_kv_heads = 3;
    model->spec.causal = causal;
    model->spec.attention_scale = {1.0, 1.0};
    model->spec.windows = {window, window};

    const std::size_t positions = ids.size();
    const HeadIndex heads = headIndex(model->spec);
    Run run;
    run.model = std::move(model);
    run.ids = std::move(ids);
    run.attention.resize(heads.layers());
    for (std::size_t layer = 0; layer < heads.layers(); ++layer)
        run.attention[layer].edited = {{0, 1, 2}, Tensor({3, positions, positions})};
    for (const LayerHead head : heads)
        for (std::size_t q = 0; q < positions; ++q)
            for (std::size_t k = 0; k < (causal ? q + 1 : positions); ++k)
                run.attention[head.layer].edited.weights(head.head, q, k) = static_cast<float>(
                    head == kGiven ? pattern(q, k) : otherPattern(heads.placeOf(head), q, k));
    return run;
}

/// What scores of a prompt say of a run that is there already.
inline HeadScores scoresOfRun(const Run& run, bool has_bos) {
    PromptScores scores(run.model, run.ids, has_bos);
    showPatterns(run, scores);
    return scores.scores();
}

/// BOS (id 0), then 1 … period, twice.
inline TokenIds repeatedIds(std::size_t period, bool bos = true) {
    TokenIds ids;
    if (bos)
        ids.push_back(0);
    for (int copy = 0; copy < 2; ++copy)
        for (std::size_t i = 0; i < period; ++i)
            ids.push_back(static_cast<TokenId>(i + 1));
    return ids;
}

} // namespace headscope::test
