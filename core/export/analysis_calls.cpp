#include "core/export/analysis_calls.h"

#include "core/base/text.h"
#include "core/export/calls/call_draft.h"
#include "core/export/calls/python_text.h"
#include "core/heads/head_type.h"

#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace headscope {

namespace {

/// What a terminal takes well; longer sets are for files.
constexpr std::size_t kMostFedBytes = std::size_t{100} << 10;

/// As a line of a set of prompts, which is JSON where a bare line would be read otherwise.
std::string promptLine(const Prompt& prompt) {
    const std::string text = promptText(prompt);
    const bool is_plain = !text.empty() && text.find_first_of("\n\r") == std::string::npos &&
                          !text.starts_with('{') && text.front() != ' ' && text.back() != ' ' &&
                          text.front() != '\t' && text.back() != '\t';
    return is_plain ? text : nlohmann::json{{"prompt", text}}.dump();
}

/// The prompts themselves: lines of standard input, a list in Python. Fails for more than a shell
/// takes.
Result<void> feed(CallDraft& draft, std::span<const Prompt> prompts) {
    for (const Prompt& prompt : prompts)
        draft.considerPrompt(prompt);
    std::vector<std::string> lines;
    std::vector<std::string> list;
    for (const Prompt& prompt : prompts) {
        lines.push_back(promptLine(prompt));
        list.push_back(draft.pythonPrompt(prompt));
    }
    std::string fed = join(lines, "\n");
    if (fed.size() > kMostFedBytes)
        return Error{ErrorCode::TooLarge, "These prompts are too long for a line of a shell; save "
                                          "them as a file and choose the file."};
    draft.word("-");
    draft.input(std::move(fed));
    draft.argument('[' + join(list, ", ") + ']');
    return {};
}

} // namespace

Result<Call> attributionCall(const LoadedModel& loaded, const Prompt& prompt,
                             const PredictionQuestion& question) {
    CallDraft draft("attribute", loaded);
    if (!question.token)
        return Error{ErrorCode::InvalidArgument, "An attribution names the token of its logit."};
    draft.considerToken(*question.token);
    if (question.against)
        draft.considerToken(*question.against);
    draft.prompt(prompt);
    draft.option("--token", draft.tokenWord(*question.token));
    draft.argument(draft.pythonToken(*question.token));
    if (question.against) {
        draft.option("--against", draft.tokenWord(*question.against));
        draft.keyword("against", draft.pythonToken(*question.against));
    }
    draft.option("--position", question.position);
    draft.keyword("position", std::to_string(question.position));
    if (auto worded = draft.mask(question.ablated); !worded)
        return worded.error();
    return std::move(draft).withPython("parts", "attribute");
}

Result<Call> lensCall(const LoadedModel& loaded, const Prompt& prompt,
                      const LensQuestion& question) {
    CallDraft draft("lens", loaded);
    if (question.token)
        draft.considerToken(*question.token);
    draft.prompt(prompt);
    if (question.token) {
        draft.option("--token", draft.tokenWord(*question.token));
        draft.keyword("token", draft.pythonToken(*question.token));
    }
    if (auto worded = draft.mask(question.ablated); !worded)
        return worded.error();
    return std::move(draft).withPython("lens", "lens");
}

Result<Call> insideCall(const LoadedModel& loaded, const Prompt& prompt, const HeadMask& mask,
                        const StepsQuestion& question) {
    CallDraft draft("inside", loaded);
    draft.prompt(prompt);
    draft.option("--head", headWord(question.head));
    draft.option("--query", question.query);
    draft.argument(pythonHead(question.head));
    draft.keyword("query", std::to_string(question.query));
    if (question.temperature != 1.0) {
        draft.option("--temperature", numberText(question.temperature));
        draft.keyword("temperature", numberText(question.temperature));
    }
    if (auto worded = draft.mask(mask); !worded)
        return worded.error();
    return std::move(draft).withPython("inside", "inside");
}

Call similarityCall(const LoadedModel& loaded, std::span<const Prompt> prompts, double below) {
    CallDraft draft("similarity", loaded);
    draft.prompts(prompts);
    draft.option("--below", numberText(below));
    draft.keyword("below", numberText(below));
    return std::move(draft).withPython("similarity", "similarity");
}

Call compositionCall(const LoadedModel& loaded, CompositionKind kind, std::size_t edges,
                     std::optional<Offset> offset) {
    CallDraft draft("circuits", loaded);
    draft.flag("--composition");
    draft.option("--kind", std::string(compositionKindKey(kind)));
    draft.option("--top", edges);
    draft.keyword("composition", "True");
    draft.keyword("kind", pythonText(compositionKindKey(kind)));
    draft.keyword("top", std::to_string(edges));
    if (offset) {
        draft.option("--offset", std::to_string(*offset));
        draft.keyword("offset", std::to_string(*offset));
    }
    return std::move(draft).withPython("composition", "circuits");
}

Call copyingCall(const LoadedModel& loaded) {
    CallDraft draft("circuits", loaded);
    draft.flag("--copying");
    const std::size_t heads = loaded.model.spec.allHeads().size();
    draft.option("--top", heads);
    draft.keyword("copying", "True");
    draft.keyword("top", std::to_string(heads));
    return std::move(draft).withPython("copying", "circuits");
}

Result<Call> patchCall(const LoadedModel& loaded, const PatchedPrompts& prompts,
                       const PatchQuestion& question) {
    CallDraft draft("patch", loaded);
    considerMetric(draft, question.metric);
    addPromptPair(draft, prompts.clean, prompts.corrupted);
    draft.option("--hook", blockHookName(loaded.model.spec, question.hook));
    std::vector<std::string> by;
    if (question.by_position)
        by.emplace_back("position");
    if (question.by_head)
        by.emplace_back("head");
    draft.keyword("hook", pythonText(blockHookName(loaded.model.spec, question.hook)));
    if (!by.empty()) {
        draft.option("--by", join(by, ","));
        draft.keyword("by", "[\"" + join(by, "\", \"") + "\"]");
    }
    if (question.method == EffectMethod::Gradient) {
        draft.option("--method", std::string(effectMethodName(question.method)));
        draft.keyword("method", pythonText(effectMethodName(question.method)));
    }
    if (auto worded = addMetric(draft, question.metric); !worded)
        return worded.error();
    return std::move(draft).withPython("patches", "patch");
}

Result<Call> pathCall(const LoadedModel& loaded, const PatchedPrompts& prompts,
                      const PathQuestion& question) {
    CallDraft draft("patch", loaded);
    considerMetric(draft, question.metric);
    addPromptPair(draft, prompts.clean, prompts.corrupted);
    const std::string senders = question.senders.empty() ? "all" : headsWord(question.senders);
    const std::string receivers = replaceAll(receiversText(question.receivers), " ", ",");
    draft.option("--path", senders);
    draft.word(receivers);
    draft.keyword("path", '(' + pythonText(senders) + ", " + pythonText(receivers) + ')');
    if (auto worded = addMetric(draft, question.metric); !worded)
        return worded.error();
    return std::move(draft).withPython("paths", "patch");
}

Result<Call> promptsCall(const LoadedModel& loaded, const PromptSetResult& set,
                         const std::filesystem::path& file, BosMode bos,
                         const std::optional<HeadReadingChoice>& choice) {
    CallDraft draft("prompts", loaded);
    if (!file.empty()) {
        const std::string path = std::filesystem::absolute(file).string();
        draft.word(path);
        draft.argument(pythonText(path));
    } else if (auto fed = feed(draft, set.set.prompts); !fed)
        return fed.error();
    draft.bos(bos);
    if (auto worded = draft.mask(set.mask); !worded)
        return worded.error();
    if (choice) {
        const std::string type(headType(choice->type).key);
        draft.option("--score", headWord(choice->head) + ':' + type);
        draft.keyword("score", '(' + pythonHead(choice->head) + ", " + pythonText(type) + ')');
    }
    return std::move(draft).withPython("prompts", "prompts");
}

Call examplesCall(const LoadedModel& loaded, const ExampleCorpus& corpus, LayerHead head,
                  const ExampleQuestion& question, std::optional<AblationKind> effect) {
    CallDraft draft("examples", loaded);
    if (!corpus.file.empty()) {
        const std::string file = std::filesystem::absolute(corpus.file).string();
        draft.option("--corpus", file);
        draft.argument(pythonText(file));
    }
    draft.bos(corpus.bos);
    draft.option("--length", corpus.length);
    draft.keyword("length", std::to_string(corpus.length));
    draft.option("--tokens", corpus.most_tokens);
    draft.keyword("tokens", std::to_string(corpus.most_tokens));
    draft.option("--heads", headWord(head));
    draft.keyword("heads", pythonHeads({&head, 1}));
    const std::string show(exampleKindName(question.kind));
    draft.option("--show", show);
    draft.keyword("show", pythonText(show));
    draft.option("--count", question.count);
    draft.keyword("count", std::to_string(question.count));
    if (question.kind == ExampleKind::Random) {
        draft.option("--seed", std::to_string(question.seed));
        draft.keyword("seed", std::to_string(question.seed));
    }
    if (effect) {
        const std::string kind(ablationKindName(*effect));
        draft.option("--effect", kind);
        draft.keyword("effect", pythonText(kind));
    }
    return std::move(draft).withPython("examples", "examples");
}

} // namespace headscope
