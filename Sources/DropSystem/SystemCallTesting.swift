// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

#if DEBUG
  internal import Glibc
  internal import Synchronization

  /// Fault injection for the system calls of this process, so that tests can check each failure.
  ///
  /// Debug builds only.
  package enum SystemCallFaults {
    private struct State {
      /// The number of calls that succeed before the failure.
      var left = 0
      /// Whether all later calls fail as well.
      var isLasting = false
      var failed: [String] = []
    }

    private static let isArmed = Atomic(false)
    private static let state = Lock(State())

    /// Makes a future call fail, on any thread.
    ///
    /// - Parameters:
    ///   - count: The number of calls that succeed before the failure.
    ///   - isLasting: Whether all later calls fail as well.
    package static func arm(after count: Int, isLasting: Bool) {
      state.withLock { $0 = State(left: count, isLasting: isLasting) }
      isArmed.store(true, ordering: .sequentiallyConsistent)
    }

    /// Ends the fault injection.
    ///
    /// - Returns: The names of the calls that failed, in their order.
    package static func disarm() -> [String] {
      isArmed.store(false, ordering: .sequentiallyConsistent)
      return state.withLock { $0.failed }
    }

    /// The limit of a call that transfers bytes, by the requested number; throws the error of the call.
    package typealias Answer = @Sendable (Int) throws(SystemError) -> Int

    private static let answers = Lock<[String: Answer]>([:])

    /// Limits or fails all calls of a name that transfers bytes; with `nil`, removes the limit.
    package static func answer(_ call: String, _ answer: Answer?) {
      answers.withLock { $0[call] = answer }
    }

    /// Returns how many bytes the current call may transfer; with 0, the call must not be made.
    static func limit(of call: String, _ count: Int) throws(SystemError) -> Int {
      guard let answer = answers.withLock({ $0[call] }) else { return count }
      return min(count, try answer(count))
    }

    /// Whether ``arm(after:isLasting:)`` was called without ``disarm()`` since.
    static var areArmed: Bool { isArmed.load(ordering: .relaxed) }

    /// Returns the error with which the current call must fail; `nil` if the call must be made.
    package static func failure(of call: String) -> SystemError? {
      guard areArmed else { return nil }
      return state.withLock { state in
        defer { state.left -= 1 }
        guard state.left == 0 || (state.left < 0 && state.isLasting) else { return nil }
        state.failed.append(call)
        return SystemError(likelyCode(of: call), in: call)
      }
    }

    /// Returns a typical error of a call.
    private static func likelyCode(of call: String) -> CInt {
      switch call {
      case "open", "openat", "fcntl", "pipe2", "eventfd", "socket", "socketpair", "accept4", "memfd_create": EMFILE
      case "write", "copy_file_range", "mkdir", "mkdirat", "ftruncate": ENOSPC
      case "send", "sendmsg": EPIPE
      case "poll": ENOMEM
      default: EIO
      }
    }
  }

  /// A record of the system calls on which crash safety depends, so that tests can check their order.
  ///
  /// Debug builds only.
  package enum SystemCallRecord {
    private static let isRunning = Atomic(false)
    private static let calls = Lock<[String]>([])

    /// Starts an empty record of the calls of all threads.
    package static func start() {
      calls.withLock { $0 = [] }
      isRunning.store(true, ordering: .sequentiallyConsistent)
    }

    /// Ends the record.
    ///
    /// - Returns: The calls in their order: each is the name, a space and the path. The path of a socket is
    ///   the target of its link in `/proc/self/fd`, such as `socket:[1234]`.
    package static func stop() -> [String] {
      isRunning.store(false, ordering: .sequentiallyConsistent)
      return calls.withLock { $0 }
    }

    fileprivate static func add(_ call: String, _ descriptor: CInt, _ name: String?) {
      guard isRunning.load(ordering: .relaxed) else { return }
      let path = (name?.utf8.first == UInt8(ascii: "/") || descriptor == AT_FDCWD) ? name : pathAt(descriptor, name)
      calls.withLock { $0.append("\(call) \(path ?? "")") }
    }

    private static func pathAt(_ descriptor: CInt, _ name: String?) -> String {
      var target = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
      let place = String(decoding: target.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return name.map { place + "/" + $0 } ?? place
    }
  }
#endif

extension SystemCalls {
  /// Records a call for ``SystemCallRecord`` in debug builds.
  ///
  /// A call that changes the disk is recorded after it returns. A call to which another process can react is recorded
  /// before it is made.
  @inline(__always) static func record(_ call: String, _ descriptor: CInt, _ name: String? = nil) {
    #if DEBUG
      SystemCallRecord.add(call, descriptor, name)
    #endif
  }
}
