// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
// Declarations shared by the parts of the counter.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern _Atomic bool dragpipe_counts __attribute__((visibility("hidden")));

/// Whether to count. Atomic additions take as long as a small allocation, so times are measured without counting.
static inline bool is_counting(void) { return atomic_load_explicit(&dragpipe_counts, memory_order_relaxed); }

/// Counts new blocks, or additional bytes of an existing block.
__attribute__((visibility("hidden"))) void dragpipe_count_blocks(uint64_t number, size_t size);

/// Adds a difference to the number of bytes in use.
__attribute__((visibility("hidden"))) void dragpipe_count_live(int64_t difference);

/// Removes all mappings from the table.
__attribute__((visibility("hidden"))) void dragpipe_forget_mappings(void);
