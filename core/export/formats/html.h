#pragma once

#include "core/base/table.h"

#include <string>
#include <string_view>

namespace headscope {

/// Text for HTML, between tags and inside quotation marks. What is no text, or turns the direction
/// of what follows, is written out ("\u{202e}"); line ends and tabs stay.
std::string htmlText(std::string_view text);

/// "<p>text</p>" and a line end; `attributes` begin with a space and are written as they are.
std::string htmlElement(std::string_view tag, std::string_view text,
                        std::string_view attributes = {});

/// The rows of a table with its caption and the headings of its columns. The first column is the
/// heading of each row, numbers are aligned, and what is nothing is "–".
std::string htmlTable(const Table& table);

/// The style sheet of a report, for screens, light and dark, and for A4. Without custom properties,
/// which viewers in mail programs may not know.
std::string_view reportStyle();

} // namespace headscope
