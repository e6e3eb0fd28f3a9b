#include "app/python/figures.h"

#include "app/python/open_model.h"
#include "app/python/runs.h"
#include "app/python/waiting.h"
#include "core/base/names.h"
#include "core/export/pattern_figure.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>

namespace headscope::python {

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
    const py::gil_scoped_release released;
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
