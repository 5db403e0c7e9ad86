// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
// Counts the memory that the program requests from the heap and the kernel. Replaces malloc, mmap and related
// functions.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Starts or stops counting. A start resets the bytes in use to zero.
void count_allocations(bool on);

/// Returns the number of blocks that all threads have requested from the heap or the kernel while counting.
uint64_t allocation_count(void);

/// Returns the number of bytes in these blocks. Reserved addresses are included when they become memory.
uint64_t allocation_bytes(void);

/// Returns the number of bytes in use beyond those at the start of counting, including headers of the heap. The number
/// is negative if more bytes were freed than requested.
int64_t live_bytes(void);

/// Returns the maximum of `live_bytes` since the start of counting.
int64_t peak_live_bytes(void);

/// Whether the bytes in use can be measured with this C library.
bool sees_live_bytes(void);

/// Returns the number of calls on sockets while counting, and their number of bytes.
uint64_t socket_calls(void);
uint64_t socket_bytes(void);

/// Appears to read the memory, so that the optimizer cannot remove the code that wrote it.
static inline void keep_memory(const void *memory) { __asm__ volatile("" : : "r"(memory) : "memory"); }
