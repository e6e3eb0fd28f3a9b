#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/base/table.h"

#include <cstddef>
#include <string>
#include <vector>

namespace headscope {

/// A line of a list: a name and its value.
struct ReportFact {
    std::string name;
    std::string value;
};

struct ReportToken {
    std::string text;        ///< as on screen, whitespace visible
    bool is_special = false; ///< such as BOS
};

/// The prompt and what the network makes of it.
struct ReportPrompt {
    std::string text; ///< as it was typed
    std::string bos;  ///< one sentence: whether it begins with BOS, and why
    std::vector<ReportToken> tokens;
    std::vector<std::string> outcome; ///< sentences: loss, tokens that are not known
    Result<Table> predictions;
    std::vector<std::string> ablation; ///< sentences: which heads, and the effect; empty: none
};

struct ReportFigure {
    std::string svg;         ///< a whole document, which is written as it is
    std::string alternative; ///< one sentence for those who do not see it
    std::string caption;
};

/// The selected head.
struct ReportHead {
    std::string name; ///< "L4 H1"
    Result<ReportFigure> figure;
    Result<Table> types;
    std::vector<std::string> readings; ///< sentences: what it reads and writes
};

/// A type that some head has.
struct ReportType {
    char letter = ' ';
    std::string name;
    std::string colour;      ///< "#0072b2"
    std::string text_colour; ///< that reads well on it
};

/// What the grid says of a head.
struct ReportCell {
    struct Label {
        std::size_t type = 0; ///< in ReportGrid::types
        std::string score;    ///< ".59"
    };
    std::vector<Label> labels = {};
    bool is_ablated = false;
    bool is_selected = false;
    bool is_removed = false; ///< there is no such head
};

/// All heads.
struct ReportGrid {
    std::vector<std::vector<ReportCell>> layers; ///< [layer][head]
    std::vector<ReportType> types;
    std::vector<std::string> notes; ///< sentences: what the scores were measured on
    Table labels;                   ///< labelTable() of all heads
};

/// A line for a shell, and what it repeats.
struct ReportCommand {
    std::string purpose;
    std::string line;
};

/// What is needed to get the same numbers again.
struct ReportSource {
    std::vector<ReportCommand> commands;
    std::vector<ReportFact> thresholds; ///< those that are not the default
    std::vector<std::string> notes;     ///< sentences: how the weights were read
};

/// What a window shows of a model. A part that is missing says why in one sentence.
struct Report {
    std::string model_name;
    std::vector<ReportFact> facts; ///< about the model and the program
    Result<ReportPrompt> prompt;
    Result<ReportHead> head;
    Result<ReportGrid> grid;
    ReportSource source;
};

/// One page of HTML that needs nothing else: no script, no link, styles and figure inside. It can
/// be printed, and follows the reader's light or dark colours. All text is escaped, and the same
/// report gives the same bytes.
std::string reportHtml(const Report& report);

} // namespace headscope
