#include "core/export/provenance.h"

#include "core/base/text.h"

#include <map>
#include <string>
#include <vector>

namespace headscope {

namespace {

/// "none", or the heads by what replaced them: "mean: 0.3; zero: 4.1 4.2".
std::string ablationText(const HeadMask& mask) {
    if (mask.empty())
        return "none";
    std::map<std::string, HeadMask> by_kind;
    for (const auto& [head, kind] : mask.heads())
        by_kind[std::string(ablationKindName(kind))].set(head, kind);
    std::vector<std::string> parts;
    parts.reserve(by_kind.size());
    for (const auto& [kind, heads] : by_kind)
        parts.push_back(kind + ": " + heads.text());
    return join(parts, "; ");
}

} // namespace

Provenance provenanceOf(const Model& model) {
    Provenance provenance;
    provenance.app_version = HEADSCOPE_VERSION;
    provenance.model_name = model.name;
    provenance.model_sha256 = model.sha256;
    provenance.model_family = model.spec.family;
    provenance.ablation = "none";
    return provenance;
}

Provenance provenanceOf(const Model& model, const Prompt& prompt, const HeadMask& mask) {
    Provenance provenance = provenanceOf(model);
    provenance.prompt_text = prompt.text;
    provenance.ids = prompt.ids;
    provenance.pieces = prompt.pieces;
    provenance.has_bos = prompt.has_bos;
    provenance.ablation = ablationText(mask);
    return provenance;
}

std::string promptsNote(const std::vector<std::string>& texts,
                        const std::vector<std::string>& ids) {
    return texts.empty() ? "the ids " + join(ids, " and ")
                         : "the text \"" + join(texts, "\" and \"") + "\"";
}

} // namespace headscope
