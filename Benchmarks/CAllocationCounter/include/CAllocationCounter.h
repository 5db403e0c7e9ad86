// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
// Counts what the program asks the heap and the kernel for, by standing in for malloc, mmap and their kin.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Whether blocks are counted from now on; what is in use is counted from zero.
void count_allocations(bool on);

/// Returns the number of blocks requested while counting, from the heap or the kernel, by all threads.
uint64_t allocation_count(void);

/// Returns the number of bytes in these blocks; reserved addresses count once they become memory.
uint64_t allocation_bytes(void);

/// Returns the bytes in use beyond those at the start of counting, including the heap's headers.
int64_t live_bytes(void);

/// Returns the maximum of `live_bytes` since the start of counting.
int64_t peak_live_bytes(void);

/// Whether this C library lets us count what is in use.
bool sees_live_bytes(void);

/// Calls that sent to a socket or received from one while blocks were counted, and their bytes.
uint64_t socket_calls(void);
uint64_t socket_bytes(void);

/// Looks as if it read the memory, so that nothing that is in it can be left out.
static inline void keep_memory(const void *memory) { __asm__ volatile("" : : "r"(memory) : "memory"); }
