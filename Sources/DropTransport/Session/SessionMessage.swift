// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// What one side of a session says to the other, each in a frame of its own; only an offer takes several.
enum SessionMessage: Sendable {
  case hello(SessionHello)
  case offer(SessionOffer)
  case withdrawal(generation: UInt32, SenderFailure)
  case request(number: UInt32, SessionRequest)
  case credit(number: UInt32, UInt64)
  case cancellation(number: UInt32, SenderFailure)
  /// How far the making is; the total where the loader knows it.
  case preparation(number: UInt32, completed: UInt64, total: UInt64?)
  /// A chunk of what was asked for, or with `isWhole` all of it.
  case data(number: UInt32, Data, isWhole: Bool)
  /// A hole in a file, by its length in bytes.
  case zeros(number: UInt32, UInt64)
  case endOfRepresentation(number: UInt32, byteCount: UInt64)
  case failure(number: UInt32, SenderFailure)
  case descriptor(number: UInt32, SessionDescriptor)
  case finish(generation: UInt32, SessionFinish)
  case acknowledgement(generation: UInt32, isKnown: Bool)
  case bye

  /// Whether it can wake only who waits for what the other side has.
  var isAnswer: Bool {
    switch self {
    case .offer, .preparation, .data, .zeros, .endOfRepresentation, .failure, .descriptor, .acknowledgement: true
    case .hello, .withdrawal, .request, .credit, .cancellation, .finish, .bye: false
    }
  }
}

/// What one side knows and allows.
struct SessionHello: Hashable, Sendable {
  struct Features: OptionSet, Hashable, Sendable {
    let rawValue: UInt64
    /// Open files can come in place of bytes.
    static let descriptors = Features(rawValue: 1)
    /// Runs of zeros can come in place of their bytes.
    static let zeros = Features(rawValue: 2)
  }

  /// What this version of the package speaks.
  static let versions: ClosedRange<UInt8> = 1...1

  var versions = SessionHello.versions
  var features: Features = []
  /// How many requests may be under way at once.
  var requests: UInt32 = 32
}

/// Items that are offered together.
struct SessionOffer: Sendable {
  var generation: UInt32
  var items: [DropOffer]
  var actions: DropActions
  var size = OfferSize()
}

/// Which representation is wanted, and how.
struct SessionRequest: Hashable, Sendable {
  struct Acceptance: OptionSet, Hashable, Sendable {
    let rawValue: UInt32
    /// Memory that nobody can change any more.
    static let sealedMemory = Acceptance(rawValue: 1)
    /// The source's own file, to be used where it is.
    static let originalFile = Acceptance(rawValue: 2)
    /// The source's own file, to be copied.
    static let fileToCopy = Acceptance(rawValue: 4)
    /// All that mean something; others are ignored.
    static let all: Acceptance = [.sealedMemory, .originalFile, .fileToCopy]
  }

  static let length = 24
  /// A longer chunk is refused.
  static let maximumChunkLength = 1 << 20

  var generation: UInt32
  var item: UInt32
  var representation: UInt32
  var accepts: Acceptance = []
  /// How many bytes may come before more is allowed.
  var credit: UInt64
  /// The first byte wanted, and how many; all where there is none.
  var range: Range<UInt64>?
}

/// An open file that comes in place of bytes.
struct SessionDescriptor: Hashable, Sendable {
  enum Kind: UInt8, Hashable, Sendable {
    case sealedMemory = 1
    case originalFile = 2
    case fileToCopy = 3

    /// What whoever gets it must have said.
    var acceptance: SessionRequest.Acceptance {
      switch self {
      case .sealedMemory: .sealedMemory
      case .originalFile: .originalFile
      case .fileToCopy: .fileToCopy
      }
    }
  }

  var kind: Kind
  var byteCount: UInt64
  /// CRC32C of the content; there is one for what cannot change.
  var check: UInt32?
}

/// What the destination says when it has what it wanted.
struct SessionFinish: Hashable, Sendable {
  /// A longer one is refused.
  static let maximumLength = 4 << 20

  var action: DropAction?
  /// The items that were kept, by index: runs of those that follow each other, in order.
  var kept: [Range<UInt32>] = []
  /// Why nothing was.
  var refusal: SenderFailure?

  init(action: DropAction? = nil, kept: [UInt32] = [], refusal: SenderFailure? = nil) {
    self.action = action
    self.refusal = refusal
    for item in kept {
      if let last = self.kept.last, last.upperBound == item {
        self.kept[self.kept.count - 1] = last.lowerBound..<(item + 1)
      } else {
        self.kept.append(item..<(item + 1))
      }
    }
  }
}
