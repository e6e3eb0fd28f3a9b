#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// The beginning of a sentence and two forms of the verb that may follow, one of which agrees with
/// the subject: a minimal pair. "The boys near the tree", "were", "was".
struct AgreementPair {
    std::string beginning; ///< without the space that follows
    std::string right;
    std::string wrong;
};

/// From the bundled sentences, at each form of be, have and do after its subject.
std::vector<AgreementPair> bundledAgreementPairs();

/// `count` from templates, in which a noun of the other number comes between subject and verb in
/// every second one (Linzen et al. 2016); drawn from `seed`.
std::vector<AgreementPair> agreementPairs(std::size_t count, std::uint64_t seed = 0);

} // namespace headscope
