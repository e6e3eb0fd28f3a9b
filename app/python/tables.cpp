#include "app/python/tables.h"

#include "app/python/waiting.h"
#include "core/export/table_files.h"

#include <pybind11/stl.h>

#include <string>
#include <type_traits>
#include <variant>

namespace headscope::python {

namespace {

py::list columnsOf(const Table& table) {
    py::list columns;
    for (const Column& column : table.columns)
        columns.append(py::make_tuple(column.key, column.title, column.unit, column.meaning));
    return columns;
}

py::list cellsOf(const Table& table, std::size_t column) {
    py::list cells;
    for (const TableRow& row : table.rows)
        cells.append(toPython(row.at(column)));
    return cells;
}

void write(const Table& table, const std::string& path) {
    if (const auto written = writeTable(path, table); !written)
        raise(written.error());
}

} // namespace

py::object toPython(const Value& value) {
    return std::visit(
        [](const auto& held) -> py::object {
            using T = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<T, std::monostate>)
                return py::none();
            else if constexpr (std::is_same_v<T, LayerHead>)
                return py::make_tuple(held.layer, held.head);
            else if constexpr (std::is_same_v<T, List>) {
                py::list list;
                for (const Value& element : held)
                    list.append(toPython(element));
                return list;
            } else if constexpr (std::is_same_v<T, SharedRecord>) {
                py::dict members;
                for (const Member& member : *held.members)
                    members[py::str(member.name)] = toPython(member.value);
                return members;
            } else
                return py::cast(held);
        },
        value.held);
}

py::dict fieldsOf(const Table& table) {
    py::dict fields;
    for (const Field& field : table.fields)
        fields[py::str(field.key)] = toPython(field.value);
    return fields;
}

py::dict toPython(const Provenance& provenance) {
    return py::module_::import("json").attr("loads")(provenance.json());
}

void bindTables(py::module_& module) {
    py::class_<Table>(module, "Table")
        .def_readonly("caption", &Table::caption)
        .def_property_readonly("columns", columnsOf)
        .def_property_readonly("fields", fieldsOf)
        .def_property_readonly("provenance",
                               [](const Table& table) { return toPython(table.provenance); })
        .def("__len__", [](const Table& table) { return table.rows.size(); })
        .def("cells", cellsOf, py::arg("column"))
        .def("csv", tableCsv)
        .def("json", tableJson)
        .def("write", write, py::arg("path"));
}

} // namespace headscope::python
