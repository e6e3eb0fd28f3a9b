#include "core/export/calls/call_draft.h"

#include "core/base/text.h"
#include "core/export/calls/python_text.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

CalledModel calledModel(const LoadedModel& loaded) {
    const std::filesystem::path& path = loaded.model.path;
    const std::filesystem::path file = path.filename();
    const std::filesystem::path short_name =
        file.stem() == loaded.model.name ? file : path.parent_path().filename() / file;
    return {std::filesystem::absolute(path).lexically_normal().string(), short_name.string(),
            loaded.options.flip_square_matrices, loaded.options.transpose_heads};
}

/// Whether a command can be given this text: a zero byte would end it.
bool isWord(std::string_view text) {
    return text.find('\0') == std::string_view::npos;
}

/// Whether what a user would type for a token is this token.
bool readsBack(const Model& model, TokenId token) {
    const std::string piece = outputPiece(model, token);
    const auto read = outputFromText(model, piece);
    return isWord(piece) && read && *read == token;
}

std::vector<LayerHead> headsOf(const HeadMask& mask) {
    std::vector<LayerHead> heads;
    std::ranges::transform(mask.heads(), std::back_inserter(heads),
                           [](const auto& ablated) { return ablated.first; });
    return heads;
}

} // namespace

CallDraft::CallDraft(const char* command, const LoadedModel& loaded)
    : loaded_(loaded), by_ids_(!loaded.model.tokenizer) {
    call_.command = command;
    call_.model = calledModel(loaded);
}

void CallDraft::considerPrompt(const Prompt& prompt) {
    // A prompt that was given by ids has no text; an empty text is the prompt of BOS alone.
    by_ids_ = by_ids_ || (prompt.text.empty() && prompt.ids.size() > 1) || !isWord(prompt.text);
}

void CallDraft::considerToken(TokenId token) {
    by_ids_ =
        by_ids_ || (!loaded_.model.spec.predictsClasses() && !readsBack(loaded_.model, token));
}

void CallDraft::flag(const char* option) {
    call_.words.push_back({option});
}

void CallDraft::option(const char* option, std::string value) {
    call_.words.push_back({option, std::move(value)});
}

void CallDraft::option(const char* option, std::size_t value) {
    call_.words.push_back({option, std::to_string(value)});
}

void CallDraft::word(std::string value) {
    call_.words.push_back({"", std::move(value)});
}

void CallDraft::input(std::string lines) {
    call_.input = std::move(lines);
}

void CallDraft::argument(std::string value) {
    arguments_.push_back(std::move(value));
}

void CallDraft::keyword(const char* name, const std::string& value) {
    keywords_.push_back(std::string(name) + '=' + value);
}

std::string CallDraft::promptWord(const Prompt& prompt) const {
    if (!by_ids_)
        return pairIn(prompt) ? pairIn(prompt)->first : prompt.text;
    Prompt as_ids;
    as_ids.ids = prompt.ids;
    return promptText(as_ids);
}

std::optional<TextPair> CallDraft::pairIn(const Prompt& prompt) const {
    return by_ids_ ? std::nullopt : pairOf(loaded_.model, prompt.text);
}

std::string CallDraft::pythonPrompt(const Prompt& prompt) const {
    if (const auto pair = pairIn(prompt))
        return '(' + pythonText(pair->first) + ", " + pythonText(pair->second) + ')';
    return by_ids_ ? pythonIds(prompt.ids) : pythonText(prompt.text);
}

void CallDraft::promptBy(const char* option, const Prompt& prompt) {
    call_.words.push_back({option, promptWord(prompt)});
    if (const auto pair = pairIn(prompt))
        call_.words.push_back({option + std::string("-pair"), pair->second});
}

void CallDraft::bosOf(const Prompt& prompt) {
    if (!by_ids_ && prompt.has_bos != bosRule(loaded_.model).add)
        bos(prompt.has_bos ? BosMode::Yes : BosMode::No);
}

void CallDraft::bos(BosMode mode) {
    if (mode == BosMode::Auto)
        return;
    const std::string word = mode == BosMode::Yes ? "yes" : "no";
    option("--bos", word);
    keyword("bos", pythonText(word));
}

void CallDraft::prompt(const Prompt& prompt) {
    considerPrompt(prompt);
    promptBy(by_ids_ ? "--ids" : "--text", prompt);
    argument(pythonPrompt(prompt));
    bosOf(prompt);
}

void CallDraft::prompts(std::span<const Prompt> prompts) {
    if (prompts.empty())
        return;
    std::vector<std::string> list;
    for (const Prompt& prompt : prompts)
        considerPrompt(prompt);
    for (const Prompt& prompt : prompts) {
        promptBy(by_ids_ ? "--ids" : "--text", prompt);
        list.push_back(pythonPrompt(prompt));
    }
    argument('[' + join(list, ", ") + ']');
    bosOf(prompts.front());
}

Result<void> CallDraft::mask(const HeadMask& mask) {
    if (mask.empty())
        return {};
    const AblationKind kind = mask.heads().begin()->second;
    const bool is_one = std::ranges::all_of(
        mask.heads(), [&](const auto& ablated) { return ablated.second == kind; });
    if (!is_one || (kind != AblationKind::Zero && kind != AblationKind::Mean))
        return Error{ErrorCode::Unsupported,
                     "A command ablates heads by zero or by their mean, and all in the same way."};
    const std::vector<LayerHead> heads = headsOf(mask);
    option("--ablate", headsWord(heads));
    keyword("ablate", pythonHeads(heads));
    if (kind == AblationKind::Mean) {
        option("--ablation", std::string(ablationKindName(kind)));
        keyword("ablation", pythonText(ablationKindName(kind)));
    }
    return {};
}

std::string CallDraft::tokenWord(TokenId token) const {
    const bool is_number = by_ids_ || loaded_.model.spec.predictsClasses();
    return is_number ? std::to_string(token) : outputPiece(loaded_.model, token);
}

std::string CallDraft::pythonToken(TokenId token) const {
    const bool is_text = !by_ids_ && !loaded_.model.spec.predictsClasses();
    return is_text ? pythonText(outputPiece(loaded_.model, token)) : std::to_string(token);
}

Call CallDraft::withPython(const char* result, const std::string& method, const std::string& behind,
                           std::string shown) && {
    std::vector<std::string> all = std::move(arguments_);
    std::ranges::move(keywords_, std::back_inserter(all));
    call_.python = {result, "m." + method + '(' + join(all, ", ") + ')' + behind,
                    shown.empty() ? result : std::move(shown)};
    return std::move(call_);
}

std::string headWord(LayerHead head) {
    return headText(head);
}

std::string headsWord(std::span<const LayerHead> heads) {
    std::vector<std::string> words;
    std::ranges::transform(heads, std::back_inserter(words), headWord);
    return join(words, ",");
}

namespace {

bool readsTokens(const Metric& metric) {
    return metric.kind == MetricKind::LogitDifference || metric.kind == MetricKind::Probability;
}

} // namespace

void addPromptPair(CallDraft& draft, const Prompt& clean, const Prompt& corrupted) {
    draft.considerPrompt(clean);
    draft.considerPrompt(corrupted);
    draft.promptBy("--clean", clean);
    draft.promptBy("--corrupted", corrupted);
    draft.argument(draft.pythonPrompt(clean));
    draft.argument(draft.pythonPrompt(corrupted));
    if (draft.areIds())
        draft.flag("--as-ids");
    draft.bosOf(clean);
}

void considerMetric(CallDraft& draft, const Metric& metric) {
    if (!readsTokens(metric))
        return;
    draft.considerToken(metric.token);
    if (metric.kind == MetricKind::LogitDifference)
        draft.considerToken(metric.other);
}

Result<void> addMetric(CallDraft& draft, const Metric& metric) {
    if (!metric.targets.empty())
        return Error{ErrorCode::Unsupported,
                     "No command names what several positions should predict."};
    draft.option("--metric", std::string(metricName(metric.kind)));
    draft.keyword("metric", pythonText(metricName(metric.kind)));
    if (metric.kind == MetricKind::LogitDifference) {
        draft.option("--tokens", draft.tokenWord(metric.token));
        draft.word(draft.tokenWord(metric.other)); // a hyphen at its beginning makes it no option
        draft.keyword("tokens", '[' + draft.pythonToken(metric.token) + ", " +
                                    draft.pythonToken(metric.other) + ']');
    }
    if (metric.kind == MetricKind::Probability) {
        draft.option("--target", draft.tokenWord(metric.token));
        draft.keyword("target", draft.pythonToken(metric.token));
    }
    if (metric.position) {
        draft.option("--position", *metric.position);
        draft.keyword("position", std::to_string(*metric.position));
    }
    return {};
}

std::string blockHookName(const ModelSpec& spec, HookKind kind) {
    const std::string name = hookName(spec, {kind, 0});
    constexpr std::string_view block = "blocks.0.";
    return name.starts_with(block) ? name.substr(block.size()) : name;
}

} // namespace headscope
