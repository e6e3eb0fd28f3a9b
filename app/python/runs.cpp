#include "app/python/runs.h"

#include "app/python/open_model.h"
#include "app/python/tables.h"
#include "app/python/waiting.h"
#include "core/ask/given.h"
#include "core/base/names.h"
#include "core/engine/engine.h"
#include "core/engine/loss.h"
#include "core/export/pattern_figure.h"
#include "core/export/provenance.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::python {

namespace {

using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;

/// A Python function that may change the values at hook points.
struct PythonEdit {
    std::string hooks; ///< a name or glob
    py::function function;
};

/// The numbers where they are, without a copy. They live as long as the array; they are those of a
/// run that others may look at, too, and cannot be written.
py::array_t<float> viewOf(const Tensor& tensor, const std::shared_ptr<const Run>& run) {
    using Owner = std::shared_ptr<const Run>;
    const py::capsule owner(new Owner(run), [](void* held) { delete static_cast<Owner*>(held); });
    py::array_t<float> array(tensor.shape(), tensor.data(), owner);
    array.attr("setflags")(py::arg("write") = false);
    return array;
}

/// A copy that Python may keep: what the view shows is the engine's for the time of the call only.
py::array_t<float> copyFor(const MutableTensorView& view) {
    const Tensor values = copyOf(view);
    return py::array_t<float>(values.shape(), values.data());
}

/// Writes dense values in the order of their last axis into a view.
void writeInto(const MutableTensorView& view, const float* values) {
    Shape at(view.rank(), 0);
    const std::size_t size = view.size();
    for (std::size_t i = 0; i < size; ++i) {
        std::size_t offset = 0;
        for (std::size_t axis = 0; axis < view.rank(); ++axis)
            offset += at[axis] * view.strides[axis];
        view.data[offset] = values[i];
        for (std::size_t axis = view.rank(); axis-- > 0;) {
            if (++at[axis] < view.shape[axis])
                break;
            at[axis] = 0;
        }
    }
}

/// In one line.
std::string shown(const py::object& value) {
    const py::str blank(" ");
    return blank
        .attr("join")(py::str(py::module_::import("builtins").attr("ascii")(value)).attr("split")())
        .cast<std::string>();
}

bool hasShape(const py::array& array, const Shape& shape) {
    return static_cast<std::size_t>(array.ndim()) == shape.size() &&
           std::equal(shape.begin(), shape.end(), array.shape(), [](std::size_t a, py::ssize_t b) {
               return static_cast<py::ssize_t>(a) == b;
           });
}

/// Whole or broken numbers: the others lose a part of themselves on the way to float32, or are
/// none.
bool holdsNumbers(const py::array& array) {
    return std::string_view("biuf").find(array.dtype().kind()) != std::string_view::npos;
}

/// What the function gave back as float32; nothing where that cannot be.
std::optional<Floats> floatsOf(const py::object& returned, const Shape& shape) {
    const auto array = py::array::ensure(returned);
    if (!array || !holdsNumbers(array) || !hasShape(array, shape)) {
        PyErr_Clear();
        return std::nullopt;
    }
    return Floats::ensure(array);
}

/// The function changes the array in place, or returns another of the same shape.
void applyEdit(const PythonEdit& edit, const std::string& name, const MutableTensorView& view) {
    py::array_t<float> values = copyFor(view);
    const py::object returned = edit.function(values, name);
    const auto changed = floatsOf(returned.is_none() ? values : returned, view.shape);
    if (!changed)
        raise({ErrorCode::Mismatch, "The function that edits " + name + " returned " +
                                        shown(returned) +
                                        "; it must return None or an array of real numbers of the "
                                        "shape it got."});
    writeInto(view, changed->data());
}

void addEdits(HookSet& hooks, const std::vector<PythonEdit>& edits, const ModelSpec& spec,
              Watch& watch) {
    for (const PythonEdit& edit : edits)
        hooks.edit(edit.hooks, [&edit, &spec, &watch](HookPoint point, MutableTensorView view) {
            watch.call([&] { applyEdit(edit, hookName(spec, point), view); });
        });
}

HeldRun runPrompt(const OpenModel& open, const py::object& given, const std::string& bos,
                  const std::vector<std::string>& captures, const std::string& ablate,
                  const std::string& ablation,
                  const std::vector<std::pair<std::string, py::function>>& functions) {
    const ModelSpec& spec = open.spec();
    HeldRun held;
    held.prompt = valueOrRaise(promptOf(*open.model, given, bos));
    held.mask = valueOrRaise(readMask(ablate, ablation, open.spec()));
    std::vector<PythonEdit> edits;
    edits.reserve(functions.size());
    for (const auto& [name, function] : functions)
        edits.push_back({name, function});

    Watch watch(py::none{});
    HookSet hooks;
    addAblation(hooks, held.mask, spec); // first, so that the others see its effect
    addEdits(hooks, edits, spec, watch);
    for (const std::string& glob : captures)
        hooks.capture(glob);
    Request request;
    request.logits = spec.output != OutputHead::None;
    held.run = finish<std::shared_ptr<const Run>>(
        watch, [&] { return runModel(open.model, held.prompt.ids, request, hooks, watch.stop()); });
    return held;
}

py::dict arraysOf(const HeldRun& held) {
    py::dict arrays;
    for (const auto& [point, tensor] : held.run->captured)
        arrays[py::str(hookName(held.run->model->spec, point))] = viewOf(tensor, held.run);
    return arrays;
}

py::object logitsOf(const HeldRun& held) {
    if (held.run->logits.empty())
        return py::none();
    return viewOf(held.run->logits, held.run);
}

py::object lossOf(const HeldRun& held) {
    if (held.run->logits.empty() || !held.run->model->spec.predictsNextToken())
        return py::none();
    return py::cast(meanNextTokenLoss(held.run->logits, held.run->ids));
}

py::list predictionsOf(const HeldRun& held, std::size_t count) {
    py::list predictions;
    const Run& run = *held.run;
    const auto position = predictedPosition(run.model->spec, run.ids);
    if (run.logits.empty() || !position)
        return predictions;
    for (const Prediction& prediction : topPredictions(run.logits, *position, count))
        predictions.append(py::make_tuple(outputPiece(*run.model, prediction.id), prediction.id,
                                          prediction.probability, prediction.logit));
    return predictions;
}

py::array_t<float> patternOf(const HeldRun& held, std::size_t layer, std::size_t head) {
    const LayerHead of{layer, head};
    if (const auto checked = checkHead(of, held.run->model->spec); !checked)
        raise(checked.error());
    const Tensor pattern = [&] {
        const WithoutLock unlocked;
        return held.run->pattern(of);
    }();
    return py::array_t<float>(pattern.shape(), pattern.data());
}

py::list auditOf(const HeldRun& held) {
    py::list audit;
    for (const HookAudit& hook : held.run->audit) {
        py::dict done;
        done["hook"] = hook.glob;
        done["editor"] = hook.editor;
        done["fired"] = hook.fired;
        done["changed_elements"] = hook.changed_elements;
        done["max_change"] = hook.max_change;
        audit.append(done);
    }
    return audit;
}

} // namespace

void bindRuns(py::module_& module) {
    py::class_<HeldRun>(module, "Run")
        .def_readonly("prompt", &HeldRun::prompt)
        .def_property_readonly("seconds", [](const HeldRun& held) { return held.run->seconds; })
        .def_property_readonly("arrays", arraysOf)
        .def_property_readonly("logits", logitsOf)
        .def_property_readonly("loss", lossOf)
        .def_property_readonly("audit", auditOf)
        .def_property_readonly("provenance",
                               [](const HeldRun& held) {
                                   return toPython(
                                       provenanceOf(*held.run->model, held.prompt, held.mask));
                               })
        .def("predictions", predictionsOf, py::arg("count"))
        .def("pattern", patternOf, py::arg("layer"), py::arg("head"));
    module.def("run", runPrompt, py::arg("model"), py::arg("prompt"), py::arg("bos"),
               py::arg("hooks"), py::arg("ablate"), py::arg("ablation"), py::arg("edits"));
}

namespace {

constexpr Names<ColourMap, 3> kMaps{{{ColourMap::Viridis, "viridis"},
                                     {ColourMap::Cividis, "cividis"},
                                     {ColourMap::Greys, "greys"}}};
constexpr Names<FirstKey, 3> kFirstKeys{
    {{FirstKey::Automatic, "auto"}, {FirstKey::Hidden, "hidden"}, {FirstKey::Shown, "shown"}}};
constexpr Names<ValueScale, 3> kScales{{{ValueScale::Linear, "linear"},
                                        {ValueScale::SquareRoot, "sqrt"},
                                        {ValueScale::Logarithmic, "log"}}};

PatternFigure figure(const HeldRun& held, const std::string& head, const std::string& colours,
                     const std::string& first_key, bool rescale,
                     const std::optional<std::string>& scale, const std::string& types) {
    PatternLook look;
    look.types = types;
    look.colours = valueNamed(kMaps, colours).value_or(ColourMap::Viridis);
    look.first_key = valueNamed(kFirstKeys, first_key).value_or(FirstKey::Automatic);
    look.rescale_rows = rescale;
    if (scale)
        look.scale = valueNamed(kScales, *scale);
    const LayerHead of = valueOrRaise(parseHead(head, held.run->model->spec));
    Watch watch(py::none{});
    return finish<PatternFigure>(
        watch, [&] { return patternFigure(*held.run, held.prompt, held.mask, of, look); });
}

std::string svgOf(const PatternFigure& drawn) {
    const WithoutLock unlocked;
    return figureSvg(drawn);
}

void writeDrawn(const PatternFigure& drawn, const std::string& path) {
    if (auto written = writeFigure(path, drawn); !written)
        raise(written.error());
}

} // namespace

void bindFigures(py::module_& module) {
    py::class_<PatternFigure>(module, "Figure")
        .def_readonly("title", &PatternFigure::title)
        .def_readonly("note", &PatternFigure::note)
        .def("svg", svgOf)
        .def("write", writeDrawn, py::arg("path"));
    module.def("figure", figure, py::arg("run"), py::arg("head"), py::arg("colours"),
               py::arg("first_key"), py::arg("rescale"), py::arg("scale"), py::arg("types"));
}

} // namespace headscope::python
