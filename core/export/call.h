#pragma once

#include "core/base/result.h"
#include "core/loading/load_model.h"
#include "core/model/model.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A model and the options that it was loaded with.
struct LoadedModel {
    const Model& model;
    LoadOptions options;
};

/// The file that a call is about, and how it is read.
struct CalledModel {
    std::string path; ///< absolute
    std::string
        short_name; ///< "gpt2.h5", or "gpt2/model.safetensors" where the folder has the name
    bool flip_square_matrices = false; ///< LoadOptions
    bool transpose_heads = false;      ///< likewise

    bool operator==(const CalledModel&) const = default;
};

/// An option of headscope-cli with its value, or one of the two alone.
struct CallWord {
    std::string option; ///< "--text"; empty: the value has no option before it
    std::optional<std::string> value = std::nullopt;

    bool operator==(const CallWord&) const = default;
};

/// The same in Python: an expression in which the model is `m`.
struct PythonCall {
    std::string result;     ///< the name that it is given: "table"
    std::string expression; ///< "m.lens(\"When Mary\")"
    std::string shown;      ///< what a notebook shows of it: "table"

    bool operator==(const PythonCall&) const = default;
};

/// Something that was asked of a model, as headscope-cli and the Python module are asked for it. A
/// value: it holds all that is needed, and names no temporary file.
struct Call {
    std::string command;              ///< "sweep"
    std::optional<CalledModel> model; ///< nothing: it is asked of no model
    std::vector<CallWord> words = {}; ///< the words after the model
    std::string input = {};           ///< lines that it reads from standard input; empty: none
    PythonCall python = {};

    bool operator==(const Call&) const = default;
};

using Calls = std::vector<Call>;

/// The same call with its result in this file, which must have an extension that the command takes.
Call writingTo(Call call, const std::string& path);

/// How a line names the file of the model: by its path, so that it runs in every folder, or without
/// it, so that it holds wherever the file is.
enum class ModelNaming { Path, ShortName };

/// "headscope-cli run /home/me/gpt2.h5 --text 'it'\''s me'" for a shell, in one line unless a
/// word ends in a line break; see shellWord().
std::string shellLine(const Call& call, ModelNaming naming = ModelNaming::Path);

/// One after another, each on a line of its own.
std::string shellLines(std::span<const Call> calls);

/// The statement that opens the model: "m = headscope.open(…)".
std::string pythonOpening(const CalledModel& model);

/// What to paste into a notebook: the import, each model when its turn comes, each call, and what
/// there is to see of the last one.
std::string pythonLines(std::span<const Call> calls);

/// Something that was done, and what repeats it.
struct ScriptStep {
    std::string what;              ///< "Ran the prompt"
    Result<Calls> calls = Calls(); ///< or why nothing repeats it
};

// What was done as a script, step by step, each under a comment that says what it was. A step that
// cannot be repeated is a comment that says why.

/// For /bin/sh; it ends at the first command that fails.
std::string shellScript(std::span<const ScriptStep> steps);

/// For Python, which prints every result.
std::string pythonScript(std::span<const ScriptStep> steps);

} // namespace headscope
