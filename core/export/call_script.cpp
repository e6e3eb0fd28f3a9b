#include "core/export/call_script.h"

#include "core/export/calls/python_statements.h"

#include <optional>

namespace headscope {

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
