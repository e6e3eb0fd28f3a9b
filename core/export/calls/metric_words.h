#pragma once

#include "core/base/result.h"
#include "core/engine/hook_point.h"
#include "core/export/calls/call_draft.h"
#include "core/interventions/metric.h"

#include <string>

namespace headscope {

/// "--clean S --corrupted S", with "--as-ids" where they are ids, and "--bos".
void addPromptPair(CallDraft& draft, const Prompt& clean, const Prompt& corrupted);

/// Its tokens may have no texts.
void considerMetric(CallDraft& draft, const Metric& metric);
/// "--metric logit-diff --tokens ' Mary' ' John'". Fails for targets at several positions.
Result<void> addMetric(CallDraft& draft, const Metric& metric);

/// "attn.hook_z", the name of a hook without its block.
std::string blockHookName(const ModelSpec& spec, HookKind kind);

} // namespace headscope
