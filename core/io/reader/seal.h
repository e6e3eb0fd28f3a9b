#pragma once

#include <cstddef>
#include <string>

namespace headscope {

/// Gives up for ever what describing a file does not need, before its first byte is read: this
/// process may then read the descriptors it has, take memory, compute and write to `answer_fd`; any
/// other system call kills it. It ends with its parent, after 7 seconds of computing, and cannot
/// take more than `memory` bytes of addresses. Returns what the system would not set up, as a
/// reason, or "". Linux: prctl(2), setrlimit(2), seccomp(2), and landlock(7) where
/// the kernel has it.
std::string sealProcess(int answer_fd, std::size_t memory);

/// Only the limits of time and memory: for systems that allow no filter of system calls.
std::string limitProcess(std::size_t memory);

} // namespace headscope
