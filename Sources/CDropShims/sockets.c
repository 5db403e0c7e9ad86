// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CDropShims.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

int dragpipe_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

int dragpipe_accept(int socket) { return accept4(socket, NULL, NULL, SOCK_CLOEXEC); }

_Static_assert(
    dragpipe_socket_path_length == sizeof(((struct sockaddr_un *)0)->sun_path) - 1, "the room that an address has");

static int dragpipe_socket_address(const char *path, struct sockaddr_un *address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (strlen(path) > dragpipe_socket_path_length) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address->sun_path, path);
  return 0;
}

int dragpipe_bind(int socket, const char *path) {
  struct sockaddr_un address;
  if (dragpipe_socket_address(path, &address) == -1) return -1;
  return bind(socket, (const struct sockaddr *)&address, sizeof address);
}

int dragpipe_connect(int socket, const char *path) {
  struct sockaddr_un address;
  if (dragpipe_socket_address(path, &address) == -1) return -1;
  return connect(socket, (const struct sockaddr *)&address, sizeof address);
}

int dragpipe_connect_abstract(int socket, const char *name) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  size_t length = strlen(name);
  if (length > dragpipe_socket_path_length) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address.sun_path + 1, name, length);
  return connect(
      socket, (const struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length));
}

int dragpipe_connect_network(const char *host, uint16_t port, int milliseconds) {
  char service[8];
  snprintf(service, sizeof service, "%u", (unsigned)port);
  struct addrinfo hints = {0};
  hints.ai_socktype = SOCK_STREAM;
  struct addrinfo *addresses = NULL;
  if (getaddrinfo(host, service, &hints, &addresses) != 0) {
    errno = EADDRNOTAVAIL;
    return -1;
  }
  int descriptor = -1;
  int failure = EADDRNOTAVAIL;
  for (struct addrinfo *next = addresses; next; next = next->ai_next) {
    descriptor = socket(next->ai_family, next->ai_socktype | SOCK_CLOEXEC, next->ai_protocol);
    if (descriptor == -1) {
      failure = errno;
      continue;
    }
    struct timeval limit = {milliseconds / 1000, milliseconds % 1000 * 1000};
    int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(descriptor, next->ai_addr, next->ai_addrlen) == 0) break;
    failure = errno == EINPROGRESS ? ETIMEDOUT : errno;
    close(descriptor);
    descriptor = -1;
  }
  freeaddrinfo(addresses);
  if (descriptor == -1) errno = failure;
  return descriptor;
}

int dragpipe_network_peer(int socket, uint8_t address[16]) {
  struct sockaddr_storage peer;
  socklen_t length = sizeof peer;
  if (getpeername(socket, (struct sockaddr *)&peer, &length) == -1) return -1;
  if (peer.ss_family == AF_INET) {
    memcpy(address, &((const struct sockaddr_in *)&peer)->sin_addr, 4);
    return 4;
  }
  if (peer.ss_family == AF_INET6) {
    const struct in6_addr *full = &((const struct sockaddr_in6 *)&peer)->sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(full)) {
      memcpy(address, full->s6_addr + 12, 4);
      return 4;
    }
    memcpy(address, full->s6_addr, 16);
    return 16;
  }
  return 0;
}

int dragpipe_is_local(int socket) {
  int domain = 0;
  socklen_t length = sizeof domain;
  return getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX;
}

int dragpipe_is_listening(int socket) {
  int listens = 0;
  socklen_t length = sizeof listens;
  return getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens != 0;
}

int dragpipe_peer(int socket, uint32_t *user, int32_t *process) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == -1) return -1;
  *user = peer.uid;
  *process = peer.pid;
  return 0;
}

ssize_t dragpipe_send_descriptors(
    int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * dragpipe_descriptors_a_call)];
  } control;
  if (descriptor_count < 0 || descriptor_count > dragpipe_descriptors_a_call) {
    errno = EINVAL;
    return -1;
  }
  struct iovec part = {(void *)bytes, count};
  struct msghdr message = {0};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor_count > 0) {
    size_t size = sizeof(int) * (size_t)descriptor_count;
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(size);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(&control.header), descriptors, size);
  }
  return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

ssize_t dragpipe_receive(
    int socket, void *bytes, size_t count, int descriptors[dragpipe_descriptors_a_call], int *descriptor_count,
    int flags) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * dragpipe_descriptors_a_call)];
  } control;
  struct iovec part = {bytes, count};
  struct msghdr message = {0};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = &control;
  message.msg_controllen = sizeof control;
  *descriptor_count = 0;
  ssize_t received = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
  if (received == -1) return -1;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t length = header->cmsg_len - CMSG_LEN(0);
    for (size_t offset = 0; offset + sizeof(int) <= length; offset += sizeof(int)) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + offset, sizeof descriptor);
      if (*descriptor_count < dragpipe_descriptors_a_call) {
        descriptors[(*descriptor_count)++] = descriptor;
      } else {
        close(descriptor);
      }
    }
  }
  // The kernel has discarded descriptors that this process could not accept.
  if (message.msg_flags & MSG_CTRUNC) {
    if (*descriptor_count == dragpipe_descriptors_a_call) close(descriptors[--*descriptor_count]);
    descriptors[(*descriptor_count)++] = -1;
  }
  return received;
}

// MARK: Memory as a file

int dragpipe_memfd(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

enum { dragpipe_all_seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

int dragpipe_seal(int descriptor) { return fcntl(descriptor, F_ADD_SEALS, dragpipe_all_seals); }

int dragpipe_seal_size(int descriptor) { return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK); }

int dragpipe_is_sealed(int descriptor) {
  int seals = fcntl(descriptor, F_GET_SEALS);
  return seals != -1 && (seals & dragpipe_all_seals) == dragpipe_all_seals;
}
