#include "core/heads/meters/word_meters.h"
#include "core/heads/types/registry.h"

#include <memory>

namespace headscope {

namespace {

NameLook endAtIoThatCopies(const NameTask& task) {
    return {task.end, task.io, &task.copies};
}
NameLook endAtS2ThatCopies(const NameTask& task) {
    return {task.end, task.s2, &task.copies};
}
NameLook endAtIoThatNegates(const NameTask& task) {
    return {task.end, task.io, &task.negates};
}
NameLook endAtS2ThatNegates(const NameTask& task) {
    return {task.end, task.s2, &task.negates};
}
NameLook endAtS2(const NameTask& task) {
    return {task.end, task.s2};
}
NameLook endAtS1(const NameTask& task) {
    return {task.end, task.s1};
}
NameLook s2AtS1(const NameTask& task) {
    return {task.s2, task.s1};
}

template <NameLook (*Look)(const NameTask& task)>
std::unique_ptr<Meter> attentionOf(const std::shared_ptr<const Model>& model,
                                   const InputSequence& sequence) {
    return nameMeter(model->spec, sequence, Look);
}

} // namespace

constinit const HeadType kNameMoverType{
    .id = HeadTypeId::NameMover,
    .group = TypeGroup::Task,
    .input = InputKind::Names,
    .key = "name-mover",
    .name = "Name mover",
    .letter = 'A',
    .summary = "At the end of an indirect-object sentence looks at the name that comes once, and "
               "writes it.",
    .formula =
        "mean over prompts of A[end, IO] / (1 − A[end, 0]) where the head's OV circuit puts IO "
        "among the five best logits, else 0 (both of Wang et al. 2022, taken together: ours)",
    .variant = "with the first position, whatever is written",
    .threshold = 0.3,
    .meter = attentionOf<endAtIoThatCopies>,
    .control = Control{.what = "on the other name",
                       .input = ControlInput::Same,
                       .meter = attentionOf<endAtS2ThatCopies>},
};

constinit const HeadType kNegativeNameMoverType{
    .id = HeadTypeId::NegativeNameMover,
    .group = TypeGroup::Task,
    .input = InputKind::Names,
    .key = "negative-name-mover",
    .name = "Negative name mover",
    .letter = 'X',
    .summary = "At the end of an indirect-object sentence looks at the name that comes once, and "
               "speaks against it.",
    .formula = "mean over prompts of A[end, IO] / (1 − A[end, 0]) where the head's negated OV "
               "circuit puts IO among the five best logits, else 0 (both of Wang et al. 2022, "
               "taken together: ours)",
    .variant = "with the first position, whatever is written",
    .threshold = 0.3,
    .meter = attentionOf<endAtIoThatNegates>,
    .control = Control{.what = "on the other name",
                       .input = ControlInput::Same,
                       .meter = attentionOf<endAtS2ThatNegates>},
};

constinit const HeadType kSInhibitionType{
    .id = HeadTypeId::SInhibition,
    .group = TypeGroup::Task,
    .input = InputKind::Names,
    .key = "s-inhibition",
    .name = "S-inhibition, by attention",
    .letter = 'H',
    .summary = "At the end of an indirect-object sentence looks at the second mention of the name "
               "that comes twice, which in GPT-2 small keeps name movers from it.",
    .formula = "mean over prompts of A[end, S2] / (1 − A[end, 0]) (Wang et al. 2022); only where "
               "it looks is measured, not what it does to name movers",
    .variant = "with the first position",
    .threshold = 0.3,
    .acts_on = HeadTypeId::NameMover,
    .meter = attentionOf<endAtS2>,
    .control = Control{.what = "on the first mention",
                       .input = ControlInput::Same,
                       .meter = attentionOf<endAtS1>},
};

constinit const HeadType kDuplicateNameType{
    .id = HeadTypeId::DuplicateName,
    .group = TypeGroup::Task,
    .input = InputKind::Names,
    .key = "duplicate-name",
    .name = "Duplicate name",
    .letter = 'G',
    .summary = "From the second mention of a name looks at the first.",
    .formula = "mean over prompts of A[S2, S1] / (1 − A[S2, 0]) (Wang et al. 2022)",
    .variant = "with the first position",
    .threshold = 0.3,
    .meter = attentionOf<s2AtS1>,
    .control = Control{.what = "with three different names", .input = ControlInput::ThreeNames},
};

} // namespace headscope
