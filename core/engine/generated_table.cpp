#include "core/engine/generated_table.h"

#include <string>

namespace headscope {

Table generatedTable(const Model& model, const Prompt& prompt,
                     std::span<const GeneratedToken> tokens, const GenerateOptions& options,
                     const Provenance& provenance) {
    Table table;
    table.key = "tokens";
    table.columns = {{.key = "position", .title = "position"},
                     {.key = "id", .title = "id"},
                     {.key = "piece"},
                     {.key = "piece text", .title = "token", .files = Files::None},
                     {.key = "probability",
                      .title = "p",
                      .decimals = 3,
                      .meaning = "That the network gives the token, whatever the temperature"}};
    std::string text;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::string piece = tokenPiece(model, tokens[i].id);
        table.rows.push_back({prompt.ids.size() + i, tokens[i].id, piece, displayPiece(piece),
                              tokens[i].probability});
        text += typedPiece(model, tokens[i].id);
    }
    table.caption = promptText(prompt) + text;
    table.fields = {{"text", text},
                    {"temperature", options.temperature},
                    {"seed", static_cast<std::size_t>(options.seed)}};
    table.provenance = provenance;
    return table;
}

} // namespace headscope
