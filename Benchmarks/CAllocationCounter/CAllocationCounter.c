// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
#include "CAllocationCounter.h"

#include "Counting.h"

#include <errno.h>
#include <malloc.h>
#include <unistd.h>

_Atomic bool dragpipe_counts;
static _Atomic uint64_t count;
static _Atomic uint64_t bytes;
static _Atomic int64_t live;
static _Atomic int64_t peak;

void count_allocations(bool on) {
  if (on) {
    dragpipe_forget_mappings();
    atomic_store(&live, 0);
    atomic_store(&peak, 0);
  }
  atomic_store(&dragpipe_counts, on);
}

uint64_t allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

uint64_t allocation_bytes(void) { return atomic_load_explicit(&bytes, memory_order_relaxed); }

int64_t live_bytes(void) { return atomic_load_explicit(&live, memory_order_relaxed); }

int64_t peak_live_bytes(void) { return atomic_load_explicit(&peak, memory_order_relaxed); }

void dragpipe_count_blocks(uint64_t number, size_t size) {
  atomic_fetch_add_explicit(&count, number, memory_order_relaxed);
  atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
}

void dragpipe_count_live(int64_t difference) {
  int64_t now = atomic_fetch_add_explicit(&live, difference, memory_order_relaxed) + difference;
  int64_t most = atomic_load_explicit(&peak, memory_order_relaxed);
  while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {
  }
}

#if defined(__GLIBC__)
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void *__libc_valloc(size_t);
extern void *__libc_pvalloc(size_t);
extern void __libc_free(void *);

/// Returns the size of a block in the heap, including its header.
static int64_t room(void *block) { return block == NULL ? 0 : (int64_t)(malloc_usable_size(block) + sizeof(size_t)); }

/// Whether the kernel provided the block as a separate mapping. Such a block grows without being copied.
static bool is_mapped(void *block) { return (((size_t *)block)[-1] & 2) != 0; }

static void *counted(size_t size, void *block) {
  if (is_counting()) {
    dragpipe_count_blocks(1, size);
    dragpipe_count_live(room(block));
  }
  return block;
}

void *malloc(size_t size) { return counted(size, __libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return counted(number * size, __libc_calloc(number, size)); }

void *memalign(size_t alignment, size_t size) { return counted(size, __libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return counted(size, __libc_memalign(alignment, size)); }

void *valloc(size_t size) { return counted(size, __libc_valloc(size)); }

void *pvalloc(size_t size) { return counted(size, __libc_pvalloc(size)); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  void *memory = counted(size, __libc_memalign(alignment, size));
  if (memory == NULL) return ENOMEM;
  *block = memory;
  return 0;
}

void *realloc(void *block, size_t size) {
  if (!is_counting()) return __libc_realloc(block, size);
  int64_t before = room(block);
  bool was_mapped = block != NULL && is_mapped(block);
  void *result = __libc_realloc(block, size);
  dragpipe_count_blocks(1, size);
  if (result == NULL) {
    // With size 0 the block has been freed. Otherwise memory was exhausted, and the block is unchanged.
    if (size == 0) dragpipe_count_live(-before);
  } else if (result == block || (was_mapped && is_mapped(result))) {
    dragpipe_count_live(room(result) - before);
  } else {
    // Both blocks existed for a moment.
    dragpipe_count_live(room(result));
    dragpipe_count_live(-before);
  }
  return result;
}

void free(void *block) {
  if (is_counting()) dragpipe_count_live(-room(block));
  __libc_free(block);
}

bool sees_live_bytes(void) { return true; }
#else
bool sees_live_bytes(void) { return false; }
#endif
