// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

#if DEBUG
  internal import Synchronization

  /// A value that one thread at a time may touch: a `Mutex` that thread sanitizer understands.
  ///
  /// On Linux a thread that had to wait for a `Mutex` gets it inside the standard library, which is not instrumented:
  /// the sanitizer misses who handed over to whom, and takes the next access for a race. A debug build therefore says
  /// it again, with an atomic beside the mutex. That hides nothing: an access without the lock is still reported.
  ///
  /// In a release build `Lock` is another name for `Mutex`, so who uses one imports `Synchronization` too.
  package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    /// Released by the thread that leaves, acquired by the one that enters; its value means nothing.
    private let handover = Atomic<UInt8>(0)

    /// Guards `value` from now on.
    package init(_ value: consuming sending Value) {
      mutex = Mutex(value)
    }

    /// Waits until nobody else has the value, and hands it to `body`.
    ///
    /// Not recursive: a `body` that takes the same lock again is a programming error.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; the lock is free again by then.
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

  /// A value that one thread at a time may touch.
  package typealias Lock<Value: ~Copyable> = Mutex<Value>
#endif
