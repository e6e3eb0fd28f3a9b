#pragma once

#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/measure/head_statistics.h"
#include "core/pruning/smaller_model.h"

#include <list>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace headscope {

/// What takes the place of z of removed heads while it is measured how much they are missed.
enum class Replacement {
    Zero,
    Mean,     ///< over the calibration text; the same as Compensation::Bias
    Resample, ///< its value at the same position of a passage of the calibration text
};

/// "zero", "mean", "resample"
std::string_view replacementName(Replacement replacement);
std::optional<Replacement> replacementNamed(std::string_view name);

/// What makes up for removed heads.
enum class Compensation {
    None,
    /// What they add on average goes into b_O: b_O + Σ mean(z_h) W_O^h.
    Bias,
    /// The same, and ridge least squares on W_O of the heads that stay: with the centred z of those
    /// that stay (K) and go (R), A = (C_KK + λ·tr(C_KK)/|K|·I)⁻¹ C_KR is added as A W_O^R (Hoerl &
    /// Kennard 1970). λ is the one of a few, infinity among them, that leaves least on text that A
    /// was not fitted to.
    Ridge,
    /// The same with A a scaled rotation: what a head adds that goes is taken over by the one head
    /// of its layer whose z, turned by an orthogonal matrix and scaled, comes closest to its own
    /// (Procrustes; Schönemann 1966, Schönemann & Carroll 1970).
    Rotation,
};

/// "none", "bias", "ridge", "rotation"
std::string_view compensationName(Compensation compensation);
std::optional<Compensation> compensationNamed(std::string_view name);

/// Collects what is needed of a text's z to make up for heads, and computes the weights that do.
class Compensator {
public:
    /// `statistics` may be null for Compensation::None.
    Compensator(std::shared_ptr<const Model> model,
                std::shared_ptr<const HeadStatistics> statistics, Compensation compensation);

    /// The heads with all repairs. The same heads of a layer get the same repair, as an object.
    Cut cut(const HeadSet& removed);
    Compensation compensation() const { return compensation_; }

private:
    struct Known {
        std::size_t layer = 0;
        std::vector<std::size_t> left;
        std::shared_ptr<const OutputRepair> repair;
    };
    std::shared_ptr<const OutputRepair> repair(std::size_t layer,
                                               const std::vector<std::size_t>& left) const;

    std::shared_ptr<const Model> model_;
    std::shared_ptr<const HeadStatistics> statistics_;
    Compensation compensation_;
    std::list<Known> known_; ///< the last ones, newest first
};

/// costAfter() of the heads removed with this compensation, without fitting it.
ModelCost costWithout(const Model& model, const HeadSet& removed, Compensation compensation);

/// W_O of the heads that stay takes over A W_O^R, and b_O (mean(z_R) − mean(z_K) A) W_O^R.
/// A [columns of z that stay, columns that go].
OutputRepair repairWith(const AttentionWeights& weights, const std::vector<double>& mean,
                        const std::vector<std::size_t>& stay, const std::vector<std::size_t>& go,
                        const DoubleMatrix& A);

/// The columns of z of these heads.
std::vector<std::size_t> columnsOf(const std::vector<std::size_t>& heads, std::size_t d_head);

} // namespace headscope
