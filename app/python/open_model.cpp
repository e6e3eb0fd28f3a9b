#include "app/python/open_model.h"

#include "app/python/questions.h"
#include "app/python/tables.h"
#include "app/python/waiting.h"
#include "core/ask/given.h"
#include "core/engine/hooks.h"
#include "core/export/convert_model.h"
#include "core/export/model_info.h"
#include "core/model/model.h"

#include <pybind11/stl.h>

#include <filesystem>
#include <vector>

namespace headscope::python {

namespace {

OpenModel openModel(const std::string& path, bool flip_square_matrices, bool transpose_heads,
                    py::object progress) {
    const LoadOptions load{flip_square_matrices, transpose_heads};
    Watch watch(std::move(progress));
    auto model = finish<std::shared_ptr<const Model>>(
        watch, [&] { return loadModel(path, load, watch.progress(), watch.stop()); });
    return {std::move(model), std::filesystem::absolute(path).string(), load};
}

/// Writes what lies where the model was opened, in the form that the name of `output` says.
py::dict saveModel(const OpenModel& open, const std::string& output, const std::string& dtype,
                   py::object progress) {
    const auto format = ggufFormatNamed(dtype);
    if (!format)
        raise({ErrorCode::InvalidArgument,
               "\"" + dtype + "\" is no type of weights; use f32, f16, bf16 or q8_0."});
    Watch watch(std::move(progress));
    const auto converted = finish<ConvertedModel>(watch, [&] {
        return convertByName(open.path, output, *format, open.load, watch.progress(), watch.stop());
    });
    py::dict described;
    described["tensors"] = converted.written.tensors;
    described["left_out"] = converted.written.left_out;
    described["config_source"] = converted.config_source;
    described["tokenizer_source"] = converted.tokenizer_source;
    described["note"] = converted.note;
    return described;
}

py::dict dimensionsOf(const OpenModel& open) {
    const ModelSpec& spec = open.spec();
    py::dict dimensions;
    dimensions["n_layers"] = spec.n_layers;
    dimensions["n_heads"] = spec.n_heads;
    dimensions["n_kv_heads"] = spec.n_kv_heads;
    dimensions["d_model"] = spec.d_model;
    dimensions["d_head"] = spec.d_head;
    dimensions["d_mlp"] = spec.d_mlp;
    dimensions["d_vocab"] = spec.d_vocab;
    dimensions["n_ctx"] = spec.n_ctx;
    return dimensions;
}

/// What holds of a model by its shape, and how its prompts begin.
py::dict cardOf(const OpenModel& open) {
    const ModelCard card = modelCard(*open.model);
    const BosRule bos = bosRule(*open.model);
    py::dict described;
    described["attention"] = card.attention_kind;
    described["parameters"] = card.total_parameters;
    described["kv_bytes_per_token"] = card.kv_bytes_per_token;
    described["bos"] = bos.add;
    described["bos_reason"] = bos.reason;
    return described;
}

std::vector<std::string> hookNames(const OpenModel& open) {
    std::vector<std::string> names;
    for (const HookPoint point : hookPoints(open.spec()))
        names.push_back(hookName(open.spec(), point));
    return names;
}

std::vector<std::pair<std::size_t, std::size_t>> headsOf(const OpenModel& open) {
    std::vector<std::pair<std::size_t, std::size_t>> heads;
    for (const LayerHead head : open.spec().allHeads())
        heads.emplace_back(head.layer, head.head);
    return heads;
}

py::dict infoOf(const OpenModel& open) {
    const Table table = modelTable(*open.model);
    py::dict info = fieldsOf(table);
    info["provenance"] = toPython(table.provenance);
    return info;
}

/// To look at: a text may have no tokens.
Result<Prompt> tokensOf(const Model& model, const py::object& given, const std::string& bos) {
    return readPrompt(model, promptIn(given), bosNamed(bos), tokensOfText);
}

void bindPrompts(py::module_& module) {
    py::class_<Prompt>(module, "Prompt")
        .def_readonly("text", &Prompt::text)
        .def_readonly("ids", &Prompt::ids)
        .def_readonly("pieces", &Prompt::pieces)
        .def_readonly("has_bos", &Prompt::has_bos)
        .def_readonly("bos_reason", &Prompt::bos_reason)
        .def_readonly("segments", &Prompt::segments);
}

} // namespace

Result<Prompt> promptOf(const Model& model, const py::object& given, const std::string& bos) {
    return readPrompt(model, promptIn(given), bosNamed(bos));
}

void bindModels(py::module_& module) {
    bindPrompts(module);
    py::class_<OpenModel>(module, "Model")
        .def_property_readonly("name", [](const OpenModel& open) { return open.model->name; })
        .def_property_readonly("path",
                               [](const OpenModel& open) { return open.model->path.string(); })
        .def_property_readonly("sha256", [](const OpenModel& open) { return open.model->sha256; })
        .def_property_readonly("description",
                               [](const OpenModel& open) { return open.model->description; })
        .def_property_readonly("family", [](const OpenModel& open) { return open.spec().family; })
        .def_property_readonly("causal", [](const OpenModel& open) { return open.spec().causal; })
        .def_property_readonly(
            "architecture",
            [](const OpenModel& open) { return modelCard(*open.model).architecture; })
        .def_property_readonly("dimensions", dimensionsOf)
        .def_property_readonly("card", cardOf)
        .def_property_readonly("info", infoOf)
        .def_property_readonly("heads", headsOf)
        .def_property_readonly("hooks", hookNames)
        .def(
            "prompt",
            [](const OpenModel& open, const py::object& given, const std::string& bos) {
                return valueOrRaise(tokensOf(*open.model, given, bos));
            },
            py::arg("given"), py::arg("bos"));
    module.def("save", saveModel, py::arg("model"), py::arg("output"), py::arg("dtype"),
               py::arg("progress"));
    module.def("open", openModel, py::arg("path"), py::arg("flip_square_matrices"),
               py::arg("transpose_heads"), py::arg("progress"));
}

} // namespace headscope::python
