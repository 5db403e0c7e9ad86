// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
// What Swift cannot say or its C library module lacks: variadic calls, Linux system calls, CRC32C instructions.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/eventfd.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

// MARK: System calls

static inline int dragpipe_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

static inline int dragpipe_openat(int directory, const char *path, int flags, mode_t mode) {
  return openat(directory, path, flags, mode);
}

static inline int dragpipe_fcntl(int descriptor, int command, int argument) {
  return fcntl(descriptor, command, argument);
}

/// Makes a pipe hold `size` bytes at least; one that does so already stays as it is.
///
/// Fails with EPERM where that is more than this user may have.
static inline int dragpipe_widen_pipe(int descriptor, int size) {
#if defined(F_SETPIPE_SZ)
  int now = fcntl(descriptor, F_GETPIPE_SZ);
  return now < 0 || now >= size ? now : fcntl(descriptor, F_SETPIPE_SZ, size);
#else
  errno = ENOSYS;
  return -1;
#endif
}

static inline int dragpipe_pipe(int descriptors[2]) { return pipe2(descriptors, O_CLOEXEC); }

static inline int dragpipe_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Gives threads to come a stack of `stack` bytes, and all threads one heap together.
void dragpipe_save_address_space(size_t stack);

/// Copies within the kernel from a place in one file to where another one stands.
static inline ssize_t dragpipe_copy_file_range(int from, int64_t offset, int to, size_t count) {
#if defined(SYS_copy_file_range)
  return (ssize_t)syscall(SYS_copy_file_range, from, &offset, to, (int64_t *)NULL, count, 0u);
#else
  errno = ENOSYS;
  return -1;
#endif
}

/// Renames, and fails with EEXIST rather than replace anything.
static inline int dragpipe_rename_exclusively(int from_directory, const char *from, int to_directory, const char *to) {
#if defined(SYS_renameat2)
  return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 1u /* RENAME_NOREPLACE */);
#else
  errno = ENOSYS;
  return -1;
#endif
}

/// Lets two names change what they stand for.
static inline int dragpipe_exchange(int one_directory, const char *one, int other_directory, const char *other) {
#if defined(SYS_renameat2)
  return (int)syscall(SYS_renameat2, one_directory, one, other_directory, other, 2u /* RENAME_EXCHANGE */);
#else
  errno = ENOSYS;
  return -1;
#endif
}

enum {
  /// Stands for a time that is left as it is.
  dragpipe_time_omitted = UTIME_OMIT,
  /// Opens what a path leads to as what it is, neither for reading nor for writing.
  dragpipe_open_path = O_PATH,
};

// MARK: Files that are in memory
//
// In a file of their own, as those of sockets.

/// Opens a file if that takes no waiting for a disk or another machine; fails where it does, or where nobody can say.
int dragpipe_open_at_once(const char *path, int flags);

/// Reads what is in memory, and does not wait for the rest; fails where nothing is, or where nobody can say.
ssize_t dragpipe_read_at_once(int descriptor, void *bytes, size_t count, int64_t offset);

/// Kind, owner, size, times and numbers of an open file, which may be one of O_PATH, as the kernel knows them.
///
/// Wants nothing brought up to date, and so fails with EAGAIN for what may be out of date: whatever is on no block device.
int dragpipe_status_at_once(int descriptor, struct stat *status);

/// Whether programs on other machines may use the same files, whose locks are then not all seen here; so where that is
/// not known.
int dragpipe_is_shared_with_machines(int descriptor);

/// Fails where this program may not open for reading what was opened with O_PATH.
int dragpipe_may_read(int descriptor);

/// getxattr(2), which Swift's module of the C library does not have.
ssize_t dragpipe_get_attribute(const char *path, const char *name, void *value, size_t count);

// MARK: Sockets of the local machine
//
// In a file of their own: what they include does not go together with the modules of the C library.

enum {
  /// The longest path that a socket's address has room for, in bytes, without its terminating zero.
  dragpipe_socket_path_length = 107,
  /// How many descriptors one call takes; of more, the kernel closes the rest.
  dragpipe_descriptors_a_call = 16,
};

int dragpipe_socket(void);
int dragpipe_accept(int socket);
int dragpipe_bind(int socket, const char *path);
int dragpipe_connect(int socket, const char *path);

/// Whether it is a socket of the local machine.
int dragpipe_is_local(int socket);

/// Who is at the other end, as the kernel knows it since the connection was made.
int dragpipe_peer(int socket, uint32_t *user, int32_t *process);

/// Sends bytes, and with the first of them a descriptor; never waits.
ssize_t dragpipe_send_descriptor(int socket, const void *bytes, size_t count, int descriptor);

struct dragpipe_part {
  const void *bytes;
  size_t count;
};

/// Sends what there is room for of three parts, one behind the other; never waits.
ssize_t dragpipe_send_parts(
    int socket, struct dragpipe_part first, struct dragpipe_part second, struct dragpipe_part third);

/// Receives bytes and the descriptors that came with them, which are closed when a program is executed; in the place of
/// those that this process could not take there is one -1.
ssize_t dragpipe_receive(
    int socket, void *bytes, size_t count, int descriptors[dragpipe_descriptors_a_call], int *descriptor_count,
    int flags);

// MARK: Memory as a file

int dragpipe_memfd(const char *name);

/// Lets nobody change it any more.
int dragpipe_seal(int descriptor);

/// Whether nobody can change it any more.
int dragpipe_is_sealed(int descriptor);

// MARK: CRC32C

#if defined(__x86_64__)

static inline int dragpipe_crc32c_is_in_hardware(void) {
  unsigned int a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 20));
}

#define DRAGPIPE_CRC_TARGET __attribute__((target("sse4.2")))
#define DRAGPIPE_CRC_8(crc, word) ((uint32_t)__builtin_ia32_crc32di((crc), (word)))
#define DRAGPIPE_CRC_1(crc, byte) (__builtin_ia32_crc32qi((crc), (byte)))

#elif defined(__aarch64__) && defined(__linux__)

static inline int dragpipe_crc32c_is_in_hardware(void) { return (getauxval(AT_HWCAP) & (1ul << 7)) != 0; }

#define DRAGPIPE_CRC_TARGET __attribute__((target("crc")))
#define DRAGPIPE_CRC_8(crc, word) (__builtin_arm_crc32cd((crc), (word)))
#define DRAGPIPE_CRC_1(crc, byte) (__builtin_arm_crc32cb((crc), (byte)))

#else

static inline int dragpipe_crc32c_is_in_hardware(void) { return 0; }

#endif

/// The length of each of the three runs that are checked side by side: the instruction takes three cycles but a new
/// one can start every cycle. A power of two.
enum { dragpipe_crc32c_run_length = 4096 };

/// Continues a CRC32C (without the inversions at its ends) over `count` bytes.
///
/// `shift` is four tables of 256 words: what becomes of each byte of a CRC when `dragpipe_crc32c_run_length` zero bytes
/// follow; not looked at for less than three runs. Call it only where `dragpipe_crc32c_is_in_hardware`.
#if defined(DRAGPIPE_CRC_TARGET)
DRAGPIPE_CRC_TARGET
static inline uint32_t dragpipe_crc32c_in_hardware(
    uint32_t crc, const void *bytes, size_t count, const uint32_t *shift) {
  const unsigned char *next = (const unsigned char *)bytes;
  const size_t run = dragpipe_crc32c_run_length;
  while (count >= 3 * run) {
    uint32_t second = 0, third = 0;
    for (size_t offset = 0; offset < run; offset += 8) {
      uint64_t a, b, c;
      memcpy(&a, next + offset, 8);
      memcpy(&b, next + run + offset, 8);
      memcpy(&c, next + 2 * run + offset, 8);
      crc = DRAGPIPE_CRC_8(crc, a);
      second = DRAGPIPE_CRC_8(second, b);
      third = DRAGPIPE_CRC_8(third, c);
    }
    crc = shift[crc & 0xff] ^ shift[256 + ((crc >> 8) & 0xff)] ^ shift[512 + ((crc >> 16) & 0xff)]
        ^ shift[768 + (crc >> 24)] ^ second;
    crc = shift[crc & 0xff] ^ shift[256 + ((crc >> 8) & 0xff)] ^ shift[512 + ((crc >> 16) & 0xff)]
        ^ shift[768 + (crc >> 24)] ^ third;
    next += 3 * run;
    count -= 3 * run;
  }
  for (; count >= 8; next += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    crc = DRAGPIPE_CRC_8(crc, word);
  }
  for (; count > 0; next++, count--) crc = DRAGPIPE_CRC_1(crc, *next);
  return crc;
}
#else
static inline uint32_t dragpipe_crc32c_in_hardware(
    uint32_t crc, const void *bytes, size_t count, const uint32_t *shift) {
  (void)bytes, (void)count, (void)shift;
  return crc;
}
#endif
