#include "core/pruning/worst_tokens.h"

#include "core/pruning/measure/removal_judge.h"

#include <algorithm>
#include <functional>

namespace headscope {

namespace {

constexpr std::size_t kContext = 8;

TokenIds contextOf(const Passage& passage, std::size_t position) {
    const std::size_t begin = position > kContext ? position - kContext : 0;
    return {passage.ids.begin() + static_cast<std::ptrdiff_t>(begin),
            passage.ids.begin() + static_cast<std::ptrdiff_t>(position)};
}

} // namespace

Result<std::vector<WorseToken>> worstTokens(const std::shared_ptr<const Model>& model,
                                            const PassageSet& calibration, const PassageSet& test,
                                            const PruningQuestion& question, const HeadSet& removed,
                                            std::size_t count, const std::stop_token& stop) {
    RemovalWay way{question.replacement, question.compensation, nullptr, &calibration};
    if (readsStatistics(way.replacement, way.compensation)) {
        auto statistics = headStatistics(model, calibration, {}, stop);
        if (!statistics)
            return statistics.error();
        way.statistics = std::make_shared<const HeadStatistics>(*std::move(statistics));
    }
    auto judge = RemovalJudge::make(model, test, Compare::Nothing, way, stop);
    if (!judge)
        return judge.error();
    const auto cut = judge->without(removed, false, stop);
    if (!cut)
        return cut.error();
    std::vector<WorseToken> tokens;
    std::size_t index = 0;
    for (std::size_t i = 0; i < test.passages.size(); ++i)
        for (const Target& target : test.passages[i].targets) {
            const std::size_t position = target.position + (model->spec.causal ? 1 : 0);
            tokens.push_back({i, position, target.token, contextOf(test.passages[i], position),
                              double{judge->whole().loss[index]}, double{cut->loss[index]}});
            ++index;
        }
    std::ranges::stable_sort(tokens, std::greater(),
                             [](const WorseToken& token) { return token.cut - token.whole; });
    tokens.resize(std::min(count, tokens.size()));
    return tokens;
}

} // namespace headscope
