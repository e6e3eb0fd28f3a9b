#include "core/tokenizer/post_processor.h"

#include "core/tokenizer/offset_trimming.h"
#include "core/tokenizer/template_processing.h"

#include <utility>
#include <vector>

namespace headscope {

namespace {

using PostProcessorResult = Result<std::unique_ptr<const PostProcessor>>;

class PostProcessorSequence : public PostProcessor {
public:
    explicit PostProcessorSequence(std::vector<std::unique_ptr<const PostProcessor>> steps)
        : steps_(std::move(steps)) {}

    void process(Encoding& encoding, bool add_special_tokens) const override {
        for (const auto& step : steps_)
            step->process(encoding, add_special_tokens);
    }

private:
    std::vector<std::unique_ptr<const PostProcessor>> steps_;
};

PostProcessorResult makeSequence(std::vector<std::unique_ptr<const PostProcessor>> steps) {
    return std::unique_ptr<const PostProcessor>(
        std::make_unique<PostProcessorSequence>(std::move(steps)));
}

PostProcessorResult readSequence(const JsonView& json) {
    if (const auto known = json.allowOnly({"type", "processors"}); !known)
        return known.error();
    const auto elements = json.elements("processors");
    if (!elements)
        return elements.error();
    std::vector<std::unique_ptr<const PostProcessor>> steps;
    for (const JsonView& element : *elements) {
        auto step = PostProcessor::read(element);
        if (!step)
            return step;
        steps.push_back(*std::move(step));
    }
    return makeSequence(std::move(steps));
}

PostProcessorResult readByteLevel(const JsonView& json) {
    const auto known = json.allowOnly({"type", "add_prefix_space", "trim_offsets", "use_regex"});
    if (!known)
        return known.error();
    return OffsetTrimming::read(json);
}

PostProcessorResult readBert(const JsonView& json) {
    if (const auto known = json.allowOnly({"type", "cls", "sep"}); !known)
        return known.error();
    return TemplateProcessing::readClsSep(json);
}

PostProcessorResult readRoberta(const JsonView& json) {
    const auto known = json.allowOnly({"type", "cls", "sep", "trim_offsets", "add_prefix_space"});
    if (!known)
        return known.error();
    auto trimming = OffsetTrimming::read(json);
    if (!trimming)
        return trimming;
    auto around = TemplateProcessing::readClsSep(json);
    if (!around)
        return around;
    std::vector<std::unique_ptr<const PostProcessor>> steps;
    steps.push_back(*std::move(trimming));
    steps.push_back(*std::move(around));
    return makeSequence(std::move(steps));
}

} // namespace

PostProcessorResult PostProcessor::read(const JsonView& json) {
    if (json.isNull())
        return makeSequence({});
    const auto type = json.string("type");
    if (!type)
        return type.error();
    if (*type == "Sequence")
        return readSequence(json);
    if (*type == "ByteLevel")
        return readByteLevel(json);
    if (*type == "TemplateProcessing")
        return TemplateProcessing::read(json);
    if (*type == "BertProcessing")
        return readBert(json);
    if (*type == "RobertaProcessing")
        return readRoberta(json);
    return json.unsupported("the type " + json.member("type")->shown());
}

} // namespace headscope
