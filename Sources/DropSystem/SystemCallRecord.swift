// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

#if DEBUG
  /// Records the system calls that decide what survives a crash, so that tests can check their order; not in release
  /// builds.
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
    /// - Returns: The calls in their order, each as its name, a space and the path that it was about; a socket has the
    ///   path that `/proc` gives it.
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
  /// What a call achieves is recorded once it has returned, what another process can act on before it is made.
  @inline(__always) static func record(_ call: String, _ descriptor: CInt, _ name: String? = nil) {
    #if DEBUG
      SystemCallRecord.add(call, descriptor, name)
    #endif
  }
}
