#include "core/loading/architectures/architecture.h"

namespace headscope {

std::string_view layoutName(Layout layout) {
    switch (layout) {
    case Layout::AsStored:
    case Layout::ExpertsAsStored:
    case Layout::ExpertsStacked:
    case Layout::OneRow:
        return "as stored";
    case Layout::Transposed:
        return "transposed";
    case Layout::PerHead:
        return "heads joined";
    case Layout::PerHeadTransposed:
        return "heads transposed and joined";
    case Layout::OneHead:
        return "one head";
    case Layout::GroupedQkv:
        return "transposed, queries, keys and values sorted apart";
    case Layout::QuarteredQvk:
        return "transposed, queries, keys and values put together from four parts";
    case Layout::FirstHalf:
        return "first half of the rows, transposed";
    case Layout::SecondHalf:
        return "second half of the rows, transposed";
    case Layout::GainMinusOne:
        return "1 added";
    case Layout::ExpertsTransposed:
    case Layout::ExpertsStackedTransposed:
        return "each expert transposed";
    case Layout::ExpertsFirstHalf:
        return "first half of the rows of each expert, transposed";
    case Layout::ExpertsSecondHalf:
        return "second half of the rows of each expert, transposed";
    case Layout::ExpertsFirstCols:
        return "first half of the columns of each expert";
    case Layout::ExpertsSecondCols:
        return "second half of the columns of each expert";
    case Layout::ExpertsEven:
        return "every other column of each expert, from the first on";
    case Layout::ExpertsOdd:
        return "every other column of each expert, from the second on";
    case Layout::RotatedLast:
        return "transposed, the rotated part of each head put first";
    case Layout::LatentPart:
        return "rows of the latent, transposed";
    case Layout::SharedKeyPart:
        return "rows of the key that heads share, transposed";
    case Layout::OwnKeyParts:
        return "rows of each head's keys, transposed";
    case Layout::ValueParts:
        return "rows of each head's values, transposed";
    }
    return "";
}

bool holdsAllExperts(Layout layout) {
    using enum Layout;
    return layout == ExpertsTransposed || layout == ExpertsFirstHalf ||
           layout == ExpertsSecondHalf || layout == ExpertsAsStored || layout == ExpertsFirstCols ||
           layout == ExpertsSecondCols || layout == ExpertsEven || layout == ExpertsOdd ||
           layout == ExpertsStacked || layout == ExpertsStackedTransposed;
}

bool holdsOneOfSeveral(const TensorRule& rule) {
    return rule.layout == Layout::OneHead ||
           (roleInfo(rule.role).isPerExpert() && !holdsAllExperts(rule.layout));
}

} // namespace headscope
