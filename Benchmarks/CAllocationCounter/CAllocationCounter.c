// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
#include "CAllocationCounter.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static _Atomic bool counts;
static _Atomic uint64_t count;
static _Atomic uint64_t bytes;

void count_allocations(bool on) { atomic_store_explicit(&counts, on, memory_order_relaxed); }

uint64_t allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

uint64_t allocation_bytes(void) { return atomic_load_explicit(&bytes, memory_order_relaxed); }

#if defined(__GLIBC__)
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// An addition that all threads see takes as long as a small block: times are measured without.
static void counted(size_t size) {
  if (!atomic_load_explicit(&counts, memory_order_relaxed)) return;
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
}

void *malloc(size_t size) {
  counted(size);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  counted(number * size);
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  counted(size);
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  counted(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  counted(size);
  *block = __libc_memalign(alignment, size);
  return *block == NULL ? 12 : 0;
}

uint64_t allocated_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void return_free_memory(void) { malloc_trim(0); }
#else
void return_free_memory(void) {}
uint64_t allocated_bytes(void) { return 0; }
#endif
