// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
// Counts what the program asks the C library's heap for, by standing in for malloc and its kin.
#pragma once

#include <stdint.h>

/// How many blocks were asked for since the program began, by all threads.
uint64_t allocation_count(void);

/// How many bytes of blocks are in use now, their headers included.
uint64_t allocated_bytes(void);

/// Gives the kernel back what the heap keeps of blocks that are no longer in use.
void return_free_memory(void);
