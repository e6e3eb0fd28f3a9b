#include "core/engine/forward/forward.h"
#include "core/engine/forward/steps.h"
#include "core/tensor/finite.h"
#include "core/tensor/gemm.h"
#include "core/tensor/nonlinear.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <utility>

namespace headscope {

/// residual = W_E[id] + W_pos[position] + W_token_type[segment] + W_task_type[0], normalised where
/// the network does so, and projected where all of it is narrower than the network. Without W_pos
/// where only queries and keys read positions.
void Forward::embed() {
    const auto add = [&](HookKind kind, Tensor part) {
        fire({kind, 0}, part.matrix());
        if (kind == HookKind::Embed)
            residual_ = std::move(part);
        else
            addInto(residual_.matrix(), part.matrix());
    };
    add(HookKind::Embed, tokenEmbedding());
    if (spec_.positions == PositionKind::Learned)
        add(HookKind::PosEmbed, positionEmbedding());
    if (spec_.positions == PositionKind::Shortformer) {
        positions_ = positionEmbedding();
        fire({HookKind::PosEmbed, 0}, positions_.matrix());
    }
    if (spec_.n_token_types > 0)
        add(HookKind::TokenTypeEmbed, segmentEmbedding());
    if (spec_.norm_after_embedding)
        normalise(spec_.norm, weights_.ln_embed,
                  {{HookKind::EmbedNormScale, 0},
                   {HookKind::EmbedNormalized, 0},
                   {HookKind::EmbedNormOut, 0}},
                  rows(residual_));
    if (spec_.narrow_embedding) {
        Tensor projected = Tensor::uninitialised({rows_, spec_.d_model});
        project(rows(residual_), weights_.W_project_in.matrix(), weights_.b_project_in.values(),
                projected.matrix());
        residual_ = std::move(projected);
    }
    fire({HookKind::FullEmbed, 0}, rows(residual_));
}

/// [T, width of table]: for row t of each prompt the row of `table` that `choose` names.
template <class Choose>
Tensor Forward::rowsOf(const WeightTensor& table, Choose choose) const {
    Tensor chosen = Tensor::uninitialised({rows_, table.dim(1)});
    for (const PackedPrompt& prompt : prompts_)
        for (std::size_t t = 0; t < prompt.rows.size(); ++t)
            table.matrix()
                .rowRange(choose(prompt, t), 1)
                .widenInto(chosen.matrix().rowRange(prompt.rows.begin + t, 1));
    return chosen;
}

/// How many tokens before the first row of a prompt count as positions.
std::size_t Forward::countedBefore(const PackedPrompt& prompt) const {
    const auto counted = [&](std::span<const TokenId> ids) {
        return ids.size() -
               static_cast<std::size_t>(std::ranges::count(ids, *spec_.uncounted_token));
    };
    const auto& earlier = prompt.item->earlier;
    return (earlier ? counted(earlier->ids) : 0) +
           counted(std::span(prompt.item->ids).first(prompt.item->known.positions));
}

/// [T, d_model or d_embed]
Tensor Forward::positionEmbedding() const {
    if (!spec_.uncounted_token)
        return rowsOf(weights_.W_pos, [&](const PackedPrompt& prompt, std::size_t t) {
            return prompt.firstPosition() + t + spec_.position_offset;
        });
    std::size_t counted = 0; // in the order of the positions of each prompt
    return rowsOf(weights_.W_pos, [&](const PackedPrompt& prompt, std::size_t t) {
        if (t == 0)
            counted = countedBefore(prompt);
        const bool counts = prompt.idOf(t) != *spec_.uncounted_token;
        return counts ? spec_.position_offset + counted++ : spec_.position_offset - 1;
    });
}

/// [T, d_model or d_embed], with that of the task, which is the same for all tokens.
Tensor Forward::segmentEmbedding() const {
    std::size_t segment = 0; // in the order of the positions of each prompt
    Tensor types = rowsOf(weights_.W_token_type, [&](const PackedPrompt& prompt, std::size_t t) {
        const auto& earlier = prompt.item->earlier;
        const auto before = std::span(prompt.item->ids).first(prompt.item->known.positions);
        if (t == 0)
            segment = std::max(earlier ? spec_.segmentAfter(earlier->ids) : 0,
                               spec_.segmentAfter(before));
        else if (prompt.idOf(t - 1) == spec_.segment_separator)
            segment = 1;
        return segment;
    });
    if (spec_.n_task_types > 0)
        addBias(types.matrix(), widened(weights_.W_task_type.matrix().rowRange(0, 1)).values());
    return types;
}

/// [T, d_model or d_embed]: W_E[id], scaled, and projected where only tokens are narrower than the
/// network.
Tensor Forward::tokenEmbedding() const {
    Tensor embedded = rowsOf(weights_.W_E, [](const PackedPrompt& prompt, std::size_t t) {
        return static_cast<std::size_t>(prompt.idOf(t));
    });
    if (spec_.embedding_scale != 1.0)
        for (float& value : embedded.values())
            value *= static_cast<float>(spec_.embedding_scale);
    if (!spec_.projectsParts())
        return embedded;
    Tensor projected = Tensor::uninitialised({rows_, spec_.d_model});
    multiply(embedded.matrix(), weights_.W_project_in.matrix(), projected.matrix());
    return projected;
}

/// logits [T, outputs()] = norm(x) · W_Uᵀ + b_U
void Forward::unembed() {
    if (spec_.final_norm)
        normalise(spec_.finalNorm(), weights_.ln_final,
                  {{HookKind::LnFinalScale, 0},
                   {HookKind::LnFinalNormalized, 0},
                   {HookKind::LnFinalOut, 0}},
                  rows(residual_));
    if (spec_.output == OutputHead::None)
        return;
    if (spec_.output == OutputHead::MaskedLm) {
        if (spec_.narrow_embedding)
            input_ = Tensor::uninitialised({rows_, spec_.d_embed});
        project(rows(residual_), weights_.W_mlm.matrix(), weights_.b_mlm.values(), rows(input_));
        activate(spec_.headActivation(), rows(input_));
        normalise(
            spec_.norm, weights_.ln_mlm,
            {{HookKind::MlmNormScale, 0}, {HookKind::MlmNormalized, 0}, {HookKind::MlmNormOut, 0}},
            rows(input_));
        std::swap(residual_, input_);
    }
    keepWantedRows();
    if (!spec_.projectsParts())
        return computeLogits(rows(residual_));
    Tensor projected = Tensor::uninitialised({rows_, spec_.d_embed});
    multiply(rows(residual_), weights_.W_project_out.matrix(), projected.matrix());
    computeLogits(projected.matrix());
}

/// From here on the rows are those whose logits are read.
void Forward::keepWantedRows() {
    if (only_wanted_rows_ || request_.logit_positions.empty())
        return;
    only_wanted_rows_ = true;
    const std::size_t z_width = spec_.zWidth(spec_.n_layers - 1);
    std::size_t next = 0;
    for (PackedPrompt& prompt : prompts_) {
        const std::size_t begin = next;
        for (const std::size_t position : request_.logit_positions) {
            const std::size_t row = prompt.rows.begin + position - prompt.item->known.positions;
            std::copy_n(residual_.matrix().row(row), residual_.dim(1),
                        residual_.matrix().row(next));
            std::copy_n(z_.data() + row * z_width, z_width, z_.data() + next * z_width);
            ++next;
        }
        prompt.rows = {begin, next};
    }
    rows_ = next;
}

/// In steps of rows; what nobody keeps needs room for one step only.
void Forward::computeLogits(MatrixView x) {
    const std::size_t step = std::min(rows_, kLogitRowsPerStep);
    Tensor logits = Tensor::uninitialised({request_.logits ? rows_ : step, spec_.outputs()});
    for (std::size_t begin = 0; begin < rows_ && !stop_.stop_requested(); begin += step) {
        const std::size_t count = std::min(step, rows_ - begin);
        const MutableMatrixView part = logits.matrix().rowRange(request_.logits ? begin : 0, count);
        multiplyTransposed(1.0f, x.rowRange(begin, count), weights_.unembedding().matrix(), part);
        finishLogits(begin, part);
    }
    if (!request_.logits)
        return;
    if (prompts_.size() == 1) {
        prompts_.front().run->logits = std::move(logits);
        return;
    }
    for (PackedPrompt& prompt : prompts_) {
        prompt.run->logits = Tensor::uninitialised({prompt.rows.size(), spec_.outputs()});
        std::copy_n(logits.matrix().row(prompt.rows.begin), prompt.run->logits.size(),
                    prompt.run->logits.data());
    }
}

/// Bias and soft-cap, and what reads the rows as they come.
void Forward::finishLogits(std::size_t first_row, MutableMatrixView logits) {
    parallelRows(logits.rows, logits.cols, [&](RowRange range) {
        addBias(logits.rowRange(range.begin, range.count), weights_.b_U.values());
        for (std::size_t r = range.begin; r < range.begin + range.count; ++r)
            if (spec_.logit_softcap != 0.0)
                softCap(static_cast<float>(spec_.logit_softcap), {logits.row(r), logits.cols});
    });
    finite_ = finite_ && allFinite(logits);
    parallelFor(logits.rows, [&](std::size_t r, std::size_t) {
        const std::size_t row = first_row + r;
        const auto prompt = std::ranges::find_if(
            prompts_, [&](const PackedPrompt& each) { return each.rows.contains(row); });
        if (!prompt->item->read_logits)
            return;
        const std::size_t index = row - prompt->rows.begin;
        prompt->item->read_logits(only_wanted_rows_ ? request_.logit_positions[index]
                                                    : prompt->item->known.positions + index,
                                  {logits.row(r), logits.cols});
    });
}

} // namespace headscope
