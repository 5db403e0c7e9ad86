// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

#if DEBUG
  internal import Synchronization

  /// A value for one thread at a time: a `Mutex` that the thread sanitizer understands.
  ///
  /// On Linux, a thread that waits for a `Mutex` acquires it inside the standard library, which is not instrumented.
  /// The sanitizer misses that synchronization and reports a race. A debug build therefore adds an atomic whose release
  /// store and acquire load show the sanitizer the same order. An access without the lock is still reported.
  ///
  /// In a release build `Lock` is an alias of `Mutex`, so a file that uses it imports `Synchronization` too.
  package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    /// Stored with release order at the end of an access, loaded with acquire order at the start of the next.
    ///
    /// The value is not used.
    private let handover = Atomic<UInt8>(0)

    /// Creates a lock that guards `value`.
    package init(_ value: consuming sending Value) {
      mutex = Mutex(value)
    }

    /// Calls `body` with the value while no other thread has access to it.
    ///
    /// The lock is not recursive: taking it again inside `body` is a programming error.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: Rethrows the error of `body`, after the lock is released.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock { value throws(Failure) in
        _ = handover.load(ordering: .acquiring)
        defer { handover.store(0, ordering: .releasing) }
        return try body(&value)
      }
    }
  }
#else
  package import Synchronization

  /// A value for one thread at a time.
  package typealias Lock<Value: ~Copyable> = Mutex<Value>
#endif
