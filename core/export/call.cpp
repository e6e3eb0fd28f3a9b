#include "core/export/call.h"

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/export/calls/python_text.h"

#include <optional>
#include <utility>

namespace headscope {

namespace {

void addWord(std::string& line, const CallWord& word) {
    line += ' ';
    line += word.option;
    if (!word.value)
        return;
    // With a space in front, what begins with a hyphen would be taken for an option.
    if (!word.option.empty())
        line += word.value->starts_with('-') ? '=' : ' ';
    line += shellWord(*word.value);
}

/// "printf '%s\n' 'one line' 'another' | "
std::string feeding(const std::string& input) {
    std::string line = "printf '%s\\n'";
    for (const std::string& part : split(input, '\n'))
        line += ' ' + shellWord(part);
    return line + " | ";
}

} // namespace

std::string shellLine(const Call& call, ModelNaming naming) {
    std::string line =
        (call.input.empty() ? "" : feeding(call.input)) + "headscope-cli " + call.command;
    if (call.model) {
        const CalledModel& model = *call.model;
        addWord(line, {"", naming == ModelNaming::Path ? model.path : model.short_name});
        if (model.flip_square_matrices)
            addWord(line, {"--flip-square"});
        if (model.transpose_heads)
            addWord(line, {"--transpose-heads"});
    }
    for (const CallWord& word : call.words)
        addWord(line, word);
    return line;
}

std::string shellLines(std::span<const Call> calls) {
    std::vector<std::string> lines;
    for (const Call& call : calls)
        lines.push_back(shellLine(call));
    return join(lines, "\n");
}

Call writingTo(Call call, const std::string& path) {
    for (CallWord& word : call.words)
        if (word.option == "-o") {
            word.value = path;
            return call;
        }
    call.words.push_back({"-o", path});
    return call;
}

std::string pythonOpening(const CalledModel& model) {
    return "m = headscope.open(" + pythonText(model.path) +
           (model.flip_square_matrices ? ", flip_square_matrices=True" : "") +
           (model.transpose_heads ? ", transpose_heads=True" : "") + ")";
}

std::string pythonLines(std::span<const Call> calls) {
    std::string lines = "import headscope\n\n";
    std::optional<CalledModel> open;
    for (const Call& call : calls)
        lines += pythonStatements(call, open);
    return calls.empty() ? lines : lines + calls.back().python.shown + '\n';
}

std::string pythonStatements(const Call& call, std::optional<CalledModel>& open) {
    std::string lines;
    if (call.model && call.model != open) {
        open = call.model;
        lines = pythonOpening(*open) + '\n';
    }
    return lines + call.python.result + " = " + call.python.expression + '\n';
}

std::string commentLines(const std::string& text) {
    std::string lines;
    for (const std::string& line : split(text, '\n'))
        lines += "# " + escapeControls(line) + '\n';
    return lines;
}

namespace {

std::string notRepeatedLines(const Error& error) {
    return commentLines("Not repeated: " + error.message);
}

/// The calls of a step in Python, each with what there is to see of it.
std::string pythonStep(const Calls& calls, std::optional<CalledModel>& open) {
    std::string lines;
    for (const Call& call : calls)
        lines += pythonStatements(call, open) + "print(" + call.python.shown + ")\n";
    return lines;
}

} // namespace

std::string shellScript(std::span<const ScriptStep> steps) {
    std::string script = "#!/bin/sh\n# What was done in Headscope, to be done again.\nset -e\n";
    for (const ScriptStep& step : steps) {
        script += '\n' + commentLines(step.what);
        if (!step.calls)
            script += notRepeatedLines(step.calls.error());
        else if (!step.calls->empty())
            script += shellLines(*step.calls) + '\n';
    }
    return script;
}

std::string pythonScript(std::span<const ScriptStep> steps) {
    std::string script = "#!/usr/bin/env python3\n"
                         "# What was done in Headscope, to be done again.\nimport headscope\n";
    std::optional<CalledModel> open;
    for (const ScriptStep& step : steps) {
        script += '\n' + commentLines(step.what);
        script += step.calls ? pythonStep(*step.calls, open) : notRepeatedLines(step.calls.error());
    }
    return script;
}

} // namespace headscope
