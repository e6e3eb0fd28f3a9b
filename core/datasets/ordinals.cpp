#include "core/datasets/ordinals.h"

#include "core/base/text.h"
#include "core/datasets/token_alignment.h"
#include "core/model/prompt.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

constexpr std::array<std::string_view, 6> kSeries{
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "January February March April May June July August September October November December",
    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30",
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty",
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
    "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z"};

/// Among fewer, chance would find the successor too often.
constexpr std::size_t kFewestWords = 5;
constexpr std::size_t kFewestSuccessors = 10;

OrdinalSeries seriesOf(const Tokenizer& tokenizer, std::string_view words) {
    OrdinalSeries series;
    std::size_t rank = 0;
    for (const std::string& word : split(words, ' ')) {
        if (const auto token = tokenOfWord(tokenizer, word)) {
            series.tokens.push_back(*token);
            series.ranks.push_back(rank);
        }
        ++rank;
    }
    return series;
}

std::size_t successorsIn(const OrdinalSeries& series) {
    std::size_t count = 0;
    for (std::size_t place = 0; place < series.tokens.size(); ++place)
        count += series.hasSuccessor(place) ? 1 : 0;
    return count;
}

} // namespace

Result<std::vector<OrdinalSeries>> ordinalSeries(const Model& model) {
    if (!model.tokenizer)
        return noTokenizer(ErrorCode::InvalidArgument, model, ", so it cannot read ordinals.");
    std::vector<OrdinalSeries> found;
    std::size_t successors = 0;
    for (const std::string_view words : kSeries) {
        OrdinalSeries series = seriesOf(*model.tokenizer, words);
        if (series.tokens.size() < kFewestWords)
            continue;
        successors += successorsIn(series);
        found.push_back(std::move(series));
    }
    if (successors < kFewestSuccessors)
        return Error{ErrorCode::Unsupported,
                     "Successors are looked for among days, months, numbers and letters of one "
                     "token each, and the tokenizer of " +
                         model.name + " has " + std::to_string(successors) + " of the " +
                         std::to_string(kFewestSuccessors) + " that this needs."};
    return found;
}

} // namespace headscope
