#include "core/model/tables.h"

#include "core/base/text.h"

#include <cstddef>

namespace headscope {

Table promptTable(const Prompt& prompt, const Provenance& provenance) {
    Table table;
    table.caption = counted(prompt.ids.size(), "token") + ". " + prompt.bos_reason;
    table.key = "tokens";
    table.columns = {
        {.key = "position", .title = "position"},
        {.key = "id", .title = "id"},
        {.key = "piece"},
        {.key = "piece text", .title = "token", .files = Files::None},
        {.key = "begin", .files = Files::Csv, .meaning = "First code point of the text"},
        {.key = "end", .files = Files::Csv, .meaning = "Code point behind the last"},
        {.key = "offsets", .files = Files::Json, .meaning = "Both"}};
    for (std::size_t i = 0; i < prompt.ids.size(); ++i) {
        const auto [begin, end] = prompt.offsets[i];
        table.rows.push_back({i, prompt.ids[i], prompt.pieces[i], displayPiece(prompt.pieces[i]),
                              begin, end, List{begin, end}});
    }
    table.fields = {{"has_bos", prompt.has_bos},
                    {"bos_reason", prompt.bos_reason},
                    {"prompt", provenance.promptId(), Files::Csv}};
    table.provenance = provenance;
    return table;
}

} // namespace headscope
