#pragma once

#include "core/heads/head_type.h"
#include "core/heads/input_sequence.h"

#include <cstddef>
#include <vector>

namespace headscope {

/// The earlier positions that hold the same content as position q. In BOS + X + X that is q − L for
/// the second copy. In any other sequence it is every p < q with the same token; BOS at position 0
/// is no content and is never one of them, while the same id further on is a token like any other.
std::vector<std::size_t> earlierOccurrences(const InputSequence& sequence, std::size_t q);

// By group in a file each; registry.cpp puts them in display order.
extern const HeadType kPreviousType;
extern const HeadType kInductionType;
extern const HeadType kDuplicateType;
extern const HeadType kCurrentType;
extern const HeadType kSinkType;
extern const HeadType kDormantType;
extern const HeadType kWritesNothingType;
extern const HeadType kNextType;
extern const HeadType kRareType;
extern const HeadType kSubjectVerbType;
extern const HeadType kVerbObjectType;
extern const HeadType kAdverbType;
extern const HeadType kCoreferenceType;
extern const HeadType kWordClassType;
extern const HeadType kPunctuationType;
extern const HeadType kQuotationType;
extern const HeadType kSubwordType;
extern const HeadType kRetrievalType;
extern const HeadType kNameMoverType;
extern const HeadType kNegativeNameMoverType;
extern const HeadType kSInhibitionType;
extern const HeadType kDuplicateNameType;
extern const HeadType kCopyingType;
extern const HeadType kCopySuppressionType;
extern const HeadType kSuccessorType;
extern const HeadType kCopyingWeightsType;
extern const HeadType kPreviousWeightsType;
extern const HeadType kInductionWeightsType;
extern const HeadType kPositionalType;
extern const HeadType kLocalType;
extern const HeadType kLongRangeType;
extern const HeadType kDiffuseType;

} // namespace headscope
