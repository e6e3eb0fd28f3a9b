#pragma once

#include "core/model/model.h"
#include "core/pruning/passages.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headscope {

/// One thing that a file could have wrong, done to a model in memory or to what it reads.
struct Alteration {
    std::string name; ///< after "with": "queries and keys exchanged"
    /// On a copy that borrows its weights; empty: the model stays as it is.
    std::function<void(Model&)> change = {};
    /// Keeps the number of targets; those that cannot be predicted get the position kNotPredicted.
    std::function<void(Passage&)> reread = {};
    /// What is lost if the alteration changes nothing at all: "all positions have the same
    /// embedding". Empty: that is no sign of a loss.
    std::string without_effect = {};
};
inline constexpr std::size_t kNotPredicted = static_cast<std::size_t>(-1);

/// Alterations of one kind.
struct AlterationKind {
    std::string title; ///< "Heads in another order"
    std::vector<Alteration> alterations;
    std::string none;                    ///< why there are none; a whole sentence
    bool takes_exchanged_tokens = false; ///< exchangedTokens() is one of them
};

/// All kinds, in the order of the data through the network.
std::vector<AlterationKind> alterationsOf(const Model& model);

/// The model with an alteration, which shares all weights that it leaves alone.
std::shared_ptr<const Model> altered(const std::shared_ptr<const Model>& model,
                                     const Alteration& alteration);

/// Two tokens in each other's place, in all ids and targets.
Alteration exchangedTokens(const Model& model, TokenId first, TokenId second);

/// Whether two numbers of a config are the same but for rounding.
bool isNear(double a, double b);

} // namespace headscope
