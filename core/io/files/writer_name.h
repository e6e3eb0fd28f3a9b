#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// This process as a part of a file name: its number, when it began, among which processes the
/// number is its own, and since when the machine runs. Empty where the system does not tell.
std::string thisWriter();

/// Whether the process that calls itself so has ended: it was one of this machine since it runs,
/// and its number is free or is now another's. Not known of other machines and other containers.
bool hasEnded(std::string_view writer);

} // namespace headscope
