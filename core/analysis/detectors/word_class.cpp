#include "core/analysis/detectors/registry.h"
#include "core/analysis/meters/word_meters.h"

namespace headscope {

constinit const Detector kWordClassDetector{
    .id = DetectorId::WordClass,
    .group = TypeGroup::Words,
    .probe = ProbeKind::Sentences,
    .key = "word-class",
    .name = "Word class",
    .letter = 'W',
    .summary = "Looks at words of the class of its own: nouns at nouns, verbs at verbs.",
    .formula = "Σ A on earlier words of the same class, of Σ A on earlier words; chance: by the "
               "head’s own distances (ours)",
    .variant = "of all attention",
    .threshold = 0.5,
    .meter = [](const std::shared_ptr<const Model>& model,
                const ProbeSequence& sequence) { return wordClassMeter(model->spec, sequence); },
};

} // namespace headscope
