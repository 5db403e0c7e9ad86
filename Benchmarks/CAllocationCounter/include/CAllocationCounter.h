// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
// Counts what the program asks the C library's heap for, by standing in for malloc and its kin.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Whether blocks are counted from now on.
void count_allocations(bool on);

/// How many blocks were asked for while they were counted, by all threads.
uint64_t allocation_count(void);

/// How many bytes these blocks were asked to have.
uint64_t allocation_bytes(void);

/// How many bytes of blocks are in use now, their headers included.
uint64_t allocated_bytes(void);

/// Gives the kernel back what the heap keeps of blocks that are no longer in use.
void return_free_memory(void);
