#pragma once

namespace headscope {

/// A second wall beside the filter of system calls: takes from this process every path, TCP port,
/// abstract socket and signal to others that Landlock knows of. Descriptors that are open stay so.
/// Whether the kernel has it; it must have been told PR_SET_NO_NEW_PRIVS. Needs no library.
bool forbidPathsAndPorts();

} // namespace headscope
