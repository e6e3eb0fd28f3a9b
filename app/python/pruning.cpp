#include "app/python/pruning.h"

#include "app/python/open_model.h"
#include "app/python/questions.h"
#include "app/python/waiting.h"
#include "core/export/provenance.h"
#include "core/export/pruning_files.h"
#include "core/export/pruning_words.h"
#include "core/pruning/grouping_losses.h"
#include "core/pruning/tables.h"

#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

namespace headscope::python {

namespace {

PruningWords pruningWords(const Words& words) {
    PruningWords asked;
    asked.calibrate = words.text("calibrate");
    asked.test = words.text("test");
    asked.length = words.count("length");
    asked.calibrate_tokens = words.count("calibrate_tokens");
    asked.test_tokens = words.count("test_tokens");
    asked.seed = words.read<std::uint64_t>("seed");
    asked.unit = words.text("unit");
    asked.points = words.count("points");
    asked.domains = words.read<std::vector<std::string>>("domains");
    asked.tolerance = words.read<double>("tolerance");
    asked.ablation = words.text("ablation");
    asked.compensate = words.text("compensate");
    asked.tasks = words.read<std::vector<std::string>>("tasks");
    asked.least = words.count("least");
    asked.protect = words.text("protect");
    return asked;
}

PruningQuestion questionOf(const Model& model, const PruningWords& asked,
                           const std::string& orders) {
    PruningQuestion question = valueOrRaise(readPruningQuestion(asked, model.spec));
    question.orders = valueOrRaise(readOrders(orders, asked.seed, model.spec));
    return question;
}

PruningPassages passagesOf(const OpenModel& open, const PruningWords& asked, Watch& watch) {
    return finish<PruningPassages>(
        watch, [&] { return readPruningPassages(open.model, asked, watch.stop()); });
}

Table prune(const OpenModel& open, const Words& words, py::object progress) {
    const Model& model = *open.model;
    const PruningWords asked = pruningWords(words);
    const PruningQuestion question = questionOf(model, asked, words.text("orders"));
    Watch watch(std::move(progress));
    const auto texts = finish<PruningTexts>(
        watch, [&] { return readPruningTexts(open.model, asked, watch.progress(), watch.stop()); });
    const auto results = finish<DomainResults>(watch, [&] {
        return pruneDomains(open.model, texts, question, {}, watch.progress(), watch.stop());
    });
    // The verdict resamples the test texts for each cut.
    return finish<Table>(watch, [&] {
        return Result<Table>(pruningTable(results, verdictOf(results, question.tolerance), model,
                                          texts, provenanceOf(model)));
    });
}

Table groupQueries(const OpenModel& open, const Words& words, py::object progress) {
    const PruningWords asked = pruningWords(words);
    Watch watch(std::move(progress));
    const PruningPassages texts = passagesOf(open, asked, watch);
    const auto result = finish<GroupingResult>(watch, [&] {
        return measureGroupings(open.model, texts.calibration, texts.test, watch.progress(),
                                watch.stop());
    });
    return groupingTable(result, texts.calibration, texts.test, provenanceOf(*open.model));
}

CutByRecipe chosenCut(const OpenModel& open, const PruningWords& asked, const Words& words,
                      Watch& watch) {
    const auto recipe = words.maybe<std::string>("recipe");
    const auto order = words.maybe<std::string>("order");
    const std::string remove = words.text("remove");
    return finish<CutByRecipe>(watch, [&] {
        return recipe
                   ? cutByRecipe(open.model, asked, *recipe, watch.progress(), watch.stop())
                   : cutByOrder(open.model, asked, *order, remove, watch.progress(), watch.stop());
    });
}

py::dict describe(const SavedModel& saved, const std::string& output, const HeadSet& removed) {
    py::list heads;
    for (const LayerHead head : removed)
        heads.append(py::make_tuple(head.layer, head.head));
    py::dict described;
    described["recipe"] = recipePathBeside(output).string();
    described["removed"] = heads;
    described["difference"] = saved.difference;
    described["bytes"] = saved.bytes;
    described["needs_loader"] = !saved.loader_reason.empty();
    described["note"] = saved.note;
    return described;
}

py::dict savePruned(const OpenModel& open, const std::string& output, const Words& words,
                    py::object progress) {
    valueOrRaise(smallerModelForm(output));
    const PruningWords asked = pruningWords(words);
    Watch watch(std::move(progress));
    const CutByRecipe chosen = chosenCut(open, asked, words, watch);
    const auto saved = finish<SavedModel>(watch, [&]() -> Result<SavedModel> {
        const auto texts = readPruningPassages(open.model, asked, watch.stop());
        if (!texts)
            return texts.error();
        return saveWithRecipe(open.model, chosen.cut, output, texts->test, chosen.recipe,
                              watch.progress(), watch.stop());
    });
    return describe(saved, output, chosen.cut.removed);
}

} // namespace

void bindPruning(py::module_& module) {
    module.def(
        "prune",
        [](const OpenModel& open, py::dict words, py::object progress) {
            return prune(open, Words(std::move(words)), std::move(progress));
        },
        py::arg("model"), py::arg("words"), py::arg("progress"));
    module.def(
        "group_queries",
        [](const OpenModel& open, py::dict words, py::object progress) {
            return groupQueries(open, Words(std::move(words)), std::move(progress));
        },
        py::arg("model"), py::arg("words"), py::arg("progress"));
    module.def(
        "save_pruned",
        [](const OpenModel& open, const std::string& output, py::dict words, py::object progress) {
            return savePruned(open, output, Words(std::move(words)), std::move(progress));
        },
        py::arg("model"), py::arg("output"), py::arg("words"), py::arg("progress"));
}

} // namespace headscope::python
