// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Dispatch
internal import Glibc

/// Terminals, inherited descriptors, resource limits and paths of this process.
extension SystemCalls {
  package static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

  /// Returns the number of columns of a terminal; `nil` for any other descriptor, or if the number is unknown.
  package static func terminalColumns(_ descriptor: CInt) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Whether this program names a dynamic loader; false for a program that is linked with `-static-executable`.
  package static var hasDynamicLoader: Bool { dragpipe_has_loader() != 0 }

  /// Whether another process group is in the foreground of the terminal.
  package static func isInBackground(of terminal: CInt) -> Bool {
    let group = tcgetpgrp(terminal)
    return group > 0 && group != getpgrp()
  }

  package static func isOpen(_ descriptor: CInt) -> Bool {
    do throws(SystemError) { _ = try control(descriptor, F_GETFD) } catch { return error.errorNumber != EBADF }
    return true
  }

  /// Returns the open descriptors of this process, or `nil` without `/proc`.
  package static func openDescriptors() -> Set<CInt>? {
    guard let directory = opendir("/proc/self/fd") else { return nil }
    defer { closedir(directory) }
    var numbers: Set<CInt> = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      if let number = CInt(name), number != dirfd(directory) { numbers.insert(number) }
    }
    return numbers
  }

  /// Opens a file that child processes inherit.
  package static func openInheritable(_ path: String, _ flags: CInt) throws(SystemError) -> CInt {
    try valueOrErrno("open") { dragpipe_open(path, flags, 0) }
  }

  /// Returns the bytes of this machine's name; empty if the call fails.
  package static func hostName() -> [UInt8] {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return [] }
    return name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  }

  /// The number of this process.
  package static var processIdentifier: Int32 { getpid() }

  package static func canRead(_ path: String) -> Bool { access(path, R_OK) == 0 }

  /// Returns the absolute path without symbolic links.
  ///
  /// - Throws: The error of `realpath`; `EILSEQ` if the result is not UTF-8.
  package static func realPath(_ path: String) throws(SystemError) -> String {
    guard let resolved = realpath(path, nil) else { throw SystemError(errno, in: "realpath") }
    defer { free(resolved) }
    guard let text = String(validatingCString: resolved) else { throw SystemError(EILSEQ, in: "realpath") }
    return text
  }

  /// A resource with a limit.
  package enum Resource: Sendable {
    case openFiles
    case addressSpace
    /// The processes and threads of the user.
    case processes
    /// The data of the process, including the stacks of its threads.
    case data

    fileprivate var number: __rlimit_resource_t {
      switch self {
      case .openFiles: __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      case .addressSpace: __rlimit_resource_t(RLIMIT_AS.rawValue)
      case .processes: __rlimit_resource_t(__RLIMIT_NPROC.rawValue)
      case .data: __rlimit_resource_t(RLIMIT_DATA.rawValue)
      }
    }
  }

  /// The number of processors that run threads of this process.
  package static var processorCount: Int { sysconf(CInt(_SC_NPROCESSORS_ONLN)) }

  /// Starts threads that exist at the same time, and ends them.
  ///
  /// - Throws: `EAGAIN` if one of them cannot be created.
  package static func probeThreads(_ count: Int) throws(SystemError) {
    let end = DispatchSemaphore(value: 0)
    var threads: [pthread_t] = []
    var code: CInt = 0
    while threads.count < count, code == 0 {
      var thread = pthread_t()
      code = pthread_create(
        &thread, nil,
        { end in
          if let end { Unmanaged<DispatchSemaphore>.fromOpaque(end).takeUnretainedValue().wait() }
          return nil
        }, Unmanaged.passUnretained(end).toOpaque())
      if code == 0 { threads.append(thread) }
    }
    for _ in threads { end.signal() }
    for thread in threads { pthread_join(thread, nil) }
    if code != 0 { throw SystemError(code, in: "pthread_create") }
  }

  package static func limit(_ resource: Resource) throws(SystemError) -> (current: UInt, maximum: UInt) {
    var limit = rlimit()
    _ = try valueOrErrno("getrlimit") { getrlimit(resource.number, &limit) }
    return (limit.rlim_cur, limit.rlim_max)
  }

  package static func setLimit(
    _ resource: Resource, _ limit: (current: UInt, maximum: UInt)
  ) throws(SystemError) {
    var limit = rlimit(rlim_cur: limit.current, rlim_max: limit.maximum)
    _ = try valueOrErrno("setrlimit") { setrlimit(resource.number, &limit) }
  }

  /// Whether this process can map another `byteCount` bytes.
  package static func hasAddressSpace(_ byteCount: Int) -> Bool {
    let probe = mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let probe, probe != MAP_FAILED else { return false }
    munmap(probe, byteCount)
    return true
  }

  /// Checks that this process can create an event queue, as libdispatch does.
  package static func probeEventQueue() throws(SystemError) {
    if let call = dragpipe_probe_event_queue() { throw SystemError(errno, in: String(cString: call)) }
  }
}
