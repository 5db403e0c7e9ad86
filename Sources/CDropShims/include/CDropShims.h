// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
// Functions that Swift cannot express or its C library module lacks, such as variadic calls, Linux system calls and
// CRC32C instructions.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/eventfd.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

// MARK: System calls

static inline int dragpipe_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

static inline int dragpipe_openat(int directory, const char *path, int flags, mode_t mode) {
  return openat(directory, path, flags, mode);
}

static inline int dragpipe_fcntl(int descriptor, int command, int argument) {
  return fcntl(descriptor, command, argument);
}

/// Enlarges the buffer of a pipe to at least `size` bytes, and returns its size.
///
/// A buffer of that size or more stays unchanged.
///
/// Fails with EPERM if `size` exceeds the limit of this user.
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

/// Returns whether the program names a dynamic loader, so that it can load libraries.
int dragpipe_has_loader(void);

static inline int dragpipe_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Creates and closes an event queue with a wake-up and a timer, as libdispatch does.
///
/// Returns `NULL` on success, or the name of the failed call, with its error in `errno`.
const char *dragpipe_probe_event_queue(void);

/// Returns the arguments of this process and their number, or no arguments without glibc.
///
/// Unlike `CommandLine`, this needs no `/proc`.
char **dragpipe_arguments(int *argument_count);

/// Returns the value of the variable `DRAGPIPE_COMMIT` during the build, or an empty string.
const char *dragpipe_commit(void);

/// Sets the stack size of future threads to `stack` bytes, and makes all threads share one heap; only with glibc.
///
/// Errors are ignored.
void dragpipe_save_address_space(size_t stack);

/// Whether the calling thread may block, which `dragpipe_set_thread_may_block` sets; initially false.
bool dragpipe_thread_may_block(void);
void dragpipe_set_thread_may_block(bool value);

/// Moves bytes from an offset in a file into a pipe, within the kernel; does not wait for room.
static inline ssize_t dragpipe_splice(int from, int64_t offset, int pipe, size_t count) {
#if defined(SYS_splice)
  return (ssize_t)syscall(SYS_splice, from, &offset, pipe, (int64_t *)NULL, count, 3u /* MOVE | NONBLOCK */);
#else
  errno = ENOSYS;
  return -1;
#endif
}

/// Copies the first bytes of a pipe, which stay unread, into another pipe; does not wait.
static inline ssize_t dragpipe_tee(int pipe, int target, size_t count) {
#if defined(SYS_tee)
  return (ssize_t)syscall(SYS_tee, pipe, target, count, 2u /* SPLICE_F_NONBLOCK */);
#else
  errno = ENOSYS;
  return -1;
#endif
}

/// Copies within the kernel, from an offset in one file to the current offset of another file.
static inline ssize_t dragpipe_copy_file_range(int from, int64_t offset, int to, size_t count) {
#if defined(SYS_copy_file_range)
  return (ssize_t)syscall(SYS_copy_file_range, from, &offset, to, (int64_t *)NULL, count, 0u);
#else
  errno = ENOSYS;
  return -1;
#endif
}

/// Renames a file.
///
/// Fails with EEXIST instead of replacing a file.
static inline int dragpipe_rename_exclusively(int from_directory, const char *from, int to_directory, const char *to) {
#if defined(SYS_renameat2)
  return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 1u /* RENAME_NOREPLACE */);
#else
  errno = ENOSYS;
  return -1;
#endif
}

/// Exchanges the files of two names.
static inline int dragpipe_exchange(int one_directory, const char *one, int other_directory, const char *other) {
#if defined(SYS_renameat2)
  return (int)syscall(SYS_renameat2, one_directory, one, other_directory, other, 2u /* RENAME_EXCHANGE */);
#else
  errno = ENOSYS;
  return -1;
#endif
}

enum {
  /// The nanoseconds of a time that utimensat(2) leaves unchanged.
  dragpipe_time_omitted = UTIME_OMIT,
  /// The flag that opens the file at a path without read or write access.
  dragpipe_open_path = O_PATH,
};

// MARK: Files
//
// These functions have a source file of their own, like the functions for sockets.

/// Returns 1 if programs on other machines may use the same files, or if that is unknown; otherwise 0.
///
/// Not all locks on such files are visible on this machine.
int dragpipe_is_shared_with_machines(int descriptor);

/// Returns whether a process has the file open for writing; 0 if the file system does not grant leases.
int dragpipe_is_open_for_writing(int descriptor);

/// Calls getxattr(2), which Swift's C library module lacks.
ssize_t dragpipe_get_attribute(const char *path, const char *name, void *value, size_t count);

/// Lists the names of the extended attributes of an open file, each with a terminating zero.
ssize_t dragpipe_list_attributes(int descriptor, char *names, size_t count);

/// Reads an extended attribute of an open file.
ssize_t dragpipe_read_attribute(int descriptor, const char *name, void *value, size_t count);

/// Sets an extended attribute of an open file.
int dragpipe_set_attribute(int descriptor, const char *name, const void *value, size_t count);

/// Opens a path that stays below a directory and passes through no symbolic link.
///
/// Fails with ENOSYS on a kernel that cannot guarantee that.
int dragpipe_open_beneath(int directory, const char *path, int flags);

// MARK: Local sockets
//
// These functions have a source file of their own, because its headers conflict with the modules of the C library.

enum {
  /// The maximum length of a socket's path in bytes, without its terminating zero.
  dragpipe_socket_path_length = 107,
  /// The maximum number of descriptors that one call sends or receives, which equals that of libwayland.
  ///
  /// The kernel closes further descriptors.
  dragpipe_descriptors_a_call = 28,
};

int dragpipe_socket(void);
int dragpipe_accept(int socket);
int dragpipe_bind(int socket, const char *path);
int dragpipe_connect(int socket, const char *path);

/// Connects to an abstract socket, whose name has no file.
int dragpipe_connect_abstract(int socket, const char *name);

/// Connects a new socket to a TCP port of a host.
///
/// Each attempt to connect ends after `milliseconds`, and later so does each send through the socket. Fails with
/// EADDRNOTAVAIL if the lookup of the host fails.
int dragpipe_connect_network(const char *host, uint16_t port, int milliseconds);

/// Reads the network address of the peer, in network byte order.
///
/// Returns the number of its bytes: 4 or 16, and 0 if the socket is not an IP socket.
int dragpipe_network_peer(int socket, uint8_t address[16]);

/// Returns whether a descriptor is a local socket.
int dragpipe_is_local(int socket);

/// Returns whether a descriptor is a socket that listens.
int dragpipe_is_listening(int socket);

/// Reads the credentials of the peer, which the kernel recorded when the connection was made.
int dragpipe_peer(int socket, uint32_t *user, int32_t *process);

/// Sends bytes, and descriptors with the first byte; never waits.
///
/// Fails with EINVAL for more than `dragpipe_descriptors_a_call` descriptors.
ssize_t dragpipe_send_descriptors(
    int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count);

/// Receives bytes and the descriptors that were sent with them.
///
/// The descriptors are closed on exec. A single -1 at the end replaces the descriptors that this process could not
/// accept.
ssize_t dragpipe_receive(
    int socket, void *bytes, size_t count, int descriptors[dragpipe_descriptors_a_call], int *descriptor_count,
    int flags);

// MARK: Memory as a file

int dragpipe_memfd(const char *name);

/// Seals the memory against all changes.
int dragpipe_seal(int descriptor);

/// Seals the memory against a smaller size and against further seals.
int dragpipe_seal_size(int descriptor);

/// Returns whether the memory is sealed against all changes.
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

/// The length in bytes of each of three runs that are processed in parallel; a power of two.
///
/// A CRC instruction takes three cycles, but the processor can start an independent instruction every cycle.
enum { dragpipe_crc32c_run_length = 4096 };

/// Continues a CRC32C over `count` bytes, without the inversions at its start and end.
///
/// `shift` contains four tables of 256 words, one for each byte of a CRC. A table maps the value of its byte to the
/// effect on the CRC after `dragpipe_crc32c_run_length` zero bytes. The function reads `shift` only if `count` is at
/// least three runs. Call the function only if `dragpipe_crc32c_is_in_hardware` returns 1.
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
