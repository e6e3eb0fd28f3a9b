#include "core/export/command_lines.h"

#include "core/base/text.h"
#include "core/export/export_patterns.h"
#include "core/export/provenance.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace headscope {

namespace {

using Words = std::vector<std::string>;

/// "gpt2.h5", or "gpt2/model.safetensors" where the folder has the name.
std::string modelWord(const Model& model) {
    const std::filesystem::path file = model.path.filename();
    return (file.stem() == model.name ? file : model.path.parent_path().filename() / file).string();
}

Words openingWords(const char* command, const LoadedModel& loaded) {
    Words words{"headscope-cli", command, shellWord(modelWord(loaded.model))};
    if (loaded.options.flip_square_matrices)
        words.emplace_back("--flip-square");
    if (loaded.options.transpose_heads)
        words.emplace_back("--transpose-heads");
    return words;
}

void addPrompt(Words& words, const Model& model, const Prompt& prompt) {
    const std::string typed = model.tokenizer ? prompt.text : promptText(prompt);
    const std::string option = model.tokenizer ? "--text" : "--ids";
    // With a space in front, what begins with a hyphen would be taken for an option.
    words.push_back(option + (typed.starts_with('-') ? "=" : " ") + shellWord(typed));
    if (prompt.has_bos != bosRule(model).add)
        words.emplace_back(prompt.has_bos ? "--bos yes" : "--bos no");
}

void addMask(Words& words, const HeadMask& mask) {
    if (mask.empty())
        return;
    words.push_back("--ablate " + replaceAll(mask.text(), " ", ","));
    const AblationKind kind = mask.heads().begin()->second;
    if (kind != AblationKind::Zero)
        words.push_back("--ablation " + std::string(ablationKindName(kind)));
}

} // namespace

std::string runCommandLine(const LoadedModel& loaded, const Prompt& prompt, const HeadMask& mask) {
    Words words = openingWords("run", loaded);
    addPrompt(words, loaded.model, prompt);
    addMask(words, mask);
    return join(words, " ");
}

std::string scoresCommandLine(const LoadedModel& loaded) {
    return join(openingWords("heads", loaded), " ");
}

std::string promptScoresCommandLine(const LoadedModel& loaded, const Prompt& prompt) {
    Words words = openingWords("heads", loaded);
    addPrompt(words, loaded.model, prompt);
    return join(words, " ");
}

std::string patternCommandLine(const LoadedModel& loaded, const Prompt& prompt,
                               const HeadMask& mask, LayerHead head) {
    const Provenance origin = provenanceOf(loaded.model, prompt, mask);
    const std::string layer = std::to_string(head.layer);
    if (mask.empty()) {
        Words words = openingWords("export", loaded);
        addPrompt(words, loaded.model, prompt);
        words.push_back("--layer " + layer + " --head " + std::to_string(head.head) + " -o " +
                        shellWord(patternFileName(origin, {head.layer, head.head}, ".csv")));
        return join(words, " ");
    }
    // `export` has all heads on; of a run the array of a layer holds those that it still has.
    return runCommandLine(loaded, prompt, mask) + " --hooks blocks." + layer +
           ".attn.hook_pattern -o " +
           shellWord(patternFileName(origin, {head.layer, std::nullopt}, ".npz"));
}

} // namespace headscope
