#include "ui/views/maps/what_is_read.h"

#include "ui/views/maps/pattern_content.h"

#include <QCoreApplication>

#include <algorithm>

namespace headscope::ui {

namespace {

struct ReadText {
    Q_DECLARE_TR_FUNCTIONS(ReadText)
};

constexpr std::size_t kMostKeys = 3;

} // namespace

std::optional<std::size_t> readQuery(const Document& document) {
    const auto& result = document.shown().result;
    if (!result || !result->full->model->spec.hasHead(document.selection().head()))
        return std::nullopt;
    const std::size_t last = result->prompt.ids.size() - 1;
    return std::min(document.selection().lockedRow().value_or(last), last);
}

QString readsText(const RunResult& result, LayerHead head, std::size_t query) {
    const Tensor row =
        result.masked->pattern(head, {query, query + 1}, {0, result.prompt.ids.size()});
    return ReadText::tr("%1 reads %2")
        .arg(tokenName(result, query), strongestText(result, row.values(), kMostKeys));
}

} // namespace headscope::ui
