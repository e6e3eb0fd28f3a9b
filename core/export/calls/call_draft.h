#pragma once

#include "core/base/result.h"
#include "core/engine/head_mask.h"
#include "core/engine/hooks.h"
#include "core/export/call.h"
#include "core/interventions/metric.h"
#include "core/model/prompt.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// The words that a model, its prompts, tokens and heads have in common in all calls. Tokens are
/// written as texts where these read back as the tokens, else tokens and prompts are ids.
class CallDraft {
public:
    CallDraft(const char* command, const LoadedModel& loaded);

    /// Prompts and tokens are ids from now on, if one of these has no text.
    void considerPrompt(const Prompt& prompt);
    void considerToken(TokenId token);
    bool areIds() const { return by_ids_; }

    void flag(const char* option);
    void option(const char* option, std::string value);
    void option(const char* option, std::size_t value);
    void word(std::string value); ///< alone
    void input(std::string lines);

    // The same of Python, for what is written otherwise there.
    void argument(std::string value); ///< by its place
    void keyword(const char* name, const std::string& value);

    /// "--text S", with "--text-pair S" where it is of two texts, or "--ids I", and "--bos" where
    /// it is not the rule of the model; in Python the first argument.
    void prompt(const Prompt& prompt);
    /// The same of several; in Python a list.
    void prompts(std::span<const Prompt> prompts);
    /// A prompt by an option of its own.
    void promptBy(const char* option, const Prompt& prompt);
    void bosOf(const Prompt& prompt);
    void bos(BosMode mode);
    /// "--ablate 4.1,4.2 --ablation mean". Fails for what neither line can ask for.
    Result<void> mask(const HeadMask& mask);

    std::string tokenWord(TokenId token) const;   ///< for the shell
    std::string pythonToken(TokenId token) const; ///< " Mary" in quotation marks, or the id
    std::string pythonPrompt(const Prompt& prompt) const;

    /// With "result = m.method(…)" followed by `behind`.
    Call withPython(const char* result, const std::string& method, const std::string& behind = "",
                    std::string shown = "") &&;

private:
    std::string promptWord(const Prompt& prompt) const;
    /// The two texts that it is made of, where both lines can say them.
    std::optional<TextPair> pairIn(const Prompt& prompt) const;

    const LoadedModel& loaded_;
    bool by_ids_ = false;
    Call call_;
    std::vector<std::string> arguments_; ///< by their place
    std::vector<std::string> keywords_;
};

/// "4.1,4.2"
std::string headsWord(std::span<const LayerHead> heads);

/// "4.1"
std::string headWord(LayerHead head);

/// "--clean S --corrupted S", with "--as-ids" where they are ids, and "--bos".
void addPromptPair(CallDraft& draft, const Prompt& clean, const Prompt& corrupted);

/// Its tokens may have no texts.
void considerMetric(CallDraft& draft, const Metric& metric);
/// "--metric logit-diff --tokens ' Mary' ' John'". Fails for targets at several positions.
Result<void> addMetric(CallDraft& draft, const Metric& metric);

/// "attn.hook_z", the name of a hook without its block.
std::string blockHookName(const ModelSpec& spec, HookKind kind);

} // namespace headscope
