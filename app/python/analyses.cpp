#include "app/python/analyses.h"

#include "app/python/open_model.h"
#include "app/python/questions.h"
#include "app/python/waiting.h"
#include "core/ask/given.h"
#include "core/export/provenance.h"
#include "core/export/verify_report.h"
#include "core/interventions/prompt_set.h"
#include "core/io/atomic_file.h"
#include "core/verify/verify.h"

#include <pybind11/stl.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::python {

namespace {

Result<PromptSet> readSet(const Model& model, const std::filesystem::path& path, BosMode bos) {
    const auto text = readTextFile(path, kLargestPromptSetBytes);
    if (!text)
        return text.error();
    return readPromptSet(model, *text, path.filename().string(), bos);
}

Table promptSet(const OpenModel& open, const Words& words, py::object progress) {
    const Model& model = *open.model;
    const HeadMask mask =
        valueOrRaise(readMask(words.text("ablate"), words.text("ablation"), model.spec));
    std::optional<HeadReadingChoice> choice;
    if (const auto score = words.maybe<std::string>("score"))
        choice = valueOrRaise(parseHeadReading(*score, model.spec));
    const std::string bos = words.text("bos");
    PromptSet set{"the given prompts",
                  valueOrRaise(readPrompts(model, promptsIn(words.list("prompts")), bosNamed(bos))),
                  {}};
    Watch watch(std::move(progress));
    if (const auto file = words.maybe<std::string>("file"))
        set = finish<PromptSet>(watch, [&] { return readSet(model, *file, bosNamed(bos)); });
    const auto result = finish<PromptSetResult>(watch, [&] {
        return runPromptSet(open.model, std::move(set), mask, watch.progress(), watch.stop());
    });
    return promptSetTable(result, choice, provenanceOf(model, {}, mask));
}

} // namespace

void bindAnalyses(py::module_& module) {
    module.def(
        "prompts",
        [](const OpenModel& open, py::dict words, py::object progress) {
            return promptSet(open, Words(std::move(words)), std::move(progress));
        },
        py::arg("model"), py::arg("words"), py::arg("progress"));
}

namespace {

py::object verified(const OpenModel* open, const std::optional<std::string>& reference,
                    const std::string& date, py::object progress) {
    VerifyOptions options;
    if (open)
        options.model = open->model;
    if (reference)
        options.reference = *reference;
    options.date = date;
    Watch watch(std::move(progress));
    const auto report = finish<VerifyReport>(
        watch, [&] { return verify(options, watch.progress(), watch.stop()); });
    return py::module_::import("json").attr("loads")(verifyJson(report));
}

} // namespace

void bindVerification(py::module_& module) {
    module.def("verify", verified, py::arg("model").none(true), py::arg("reference"),
               py::arg("date"), py::arg("progress"));
}

} // namespace headscope::python
