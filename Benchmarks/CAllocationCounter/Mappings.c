// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
// Counts memory that is mapped by the kernel, which writers of long outputs use instead of the heap.
#define _GNU_SOURCE
#include "Counting.h"

#if defined(__linux__)
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#if defined(__GLIBC__) && defined(__LP64__)
enum { capacity = 1024, populate_read = 22, populate_write = 23 };

/// Addresses from `start` to `end`. Only those below `used` are accessible memory; the rest is reserved.
struct mapping {
  uintptr_t start, used, end;
};

static struct mapping mappings[capacity];
static size_t mapping_count;
static atomic_flag is_locked = ATOMIC_FLAG_INIT;

static void lock(void) {
  while (atomic_flag_test_and_set_explicit(&is_locked, memory_order_acquire)) {
  }
}

static void unlock(void) { atomic_flag_clear_explicit(&is_locked, memory_order_release); }

void dragpipe_forget_mappings(void) {
  lock();
  mapping_count = 0;
  unlock();
}

/// Adds a mapping. If the table is full, the mapping is counted but its memory is not added to the bytes in use.
static int64_t add(uintptr_t start, uintptr_t used, uintptr_t end) {
  if (start >= end || mapping_count == capacity) return 0;
  mappings[mapping_count++] = (struct mapping){start, used < start ? start : used < end ? used : end, end};
  return (int64_t)(mappings[mapping_count - 1].used - start);
}

/// Removes a range of addresses from all mappings.
static int64_t take_out(uintptr_t start, uintptr_t end) {
  int64_t difference = 0;
  size_t index = 0;
  while (index < mapping_count) {
    struct mapping old = mappings[index];
    if (old.end <= start || old.start >= end) {
      index++;
      continue;
    }
    mappings[index] = mappings[--mapping_count];
    difference -= (int64_t)(old.used - old.start);
    difference += add(old.start, old.used, start);
    difference += add(end, old.used, old.end);
  }
  return difference;
}

static void *map(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  void *result = (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
  if (result == MAP_FAILED || !is_counting() || (flags & MAP_ANONYMOUS) == 0) return result;
  // Reserved addresses become memory when they are made accessible.
  bool is_reserved = (flags & MAP_NORESERVE) != 0 || protection == PROT_NONE;
  size_t used = is_reserved ? 0 : length;
  uintptr_t start = (uintptr_t)result;
  dragpipe_count_blocks(1, used);
  lock();
  int64_t difference = take_out(start, start + length);
  difference += add(start, start + used, start + length);
  unlock();
  dragpipe_count_live(difference);
  return result;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  return map(address, length, protection, flags, file, offset);
}

void *mmap64(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  return map(address, length, protection, flags, file, offset);
}

int munmap(void *address, size_t length) {
  if (is_counting()) {
    lock();
    int64_t difference = take_out((uintptr_t)address, (uintptr_t)address + length);
    unlock();
    dragpipe_count_live(difference);
  }
  return (int)syscall(SYS_munmap, address, length);
}

void *mremap(void *address, size_t length, size_t new_length, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  void *target = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void *) : NULL;
  va_end(arguments);
  void *result = (void *)syscall(SYS_mremap, address, length, new_length, flags, target);
  if (result == MAP_FAILED || !is_counting()) return result;
  lock();
  int64_t before = take_out((uintptr_t)address, (uintptr_t)address + length);
  int64_t after = before == 0 ? 0 : add((uintptr_t)result, (uintptr_t)result + new_length, (uintptr_t)result + new_length);
  unlock();
  if (before != 0) dragpipe_count_blocks(1, new_length);
  dragpipe_count_live(before + after);
  return result;
}

int madvise(void *address, size_t length, int advice) {
  if (is_counting() && (advice == populate_read || advice == populate_write)) {
    uintptr_t end = (uintptr_t)address + length;
    int64_t difference = 0;
    lock();
    for (size_t index = 0; index < mapping_count; index++) {
      struct mapping *mapping = &mappings[index];
      if ((uintptr_t)address < mapping->start || (uintptr_t)address >= mapping->end || end <= mapping->used) continue;
      uintptr_t used = end < mapping->end ? end : mapping->end;
      difference += (int64_t)(used - mapping->used);
      mapping->used = used;
    }
    unlock();
    dragpipe_count_blocks(0, (size_t)difference);
    dragpipe_count_live(difference);
  }
  return (int)syscall(SYS_madvise, address, length, advice);
}
#else
void dragpipe_forget_mappings(void) {}
#endif
