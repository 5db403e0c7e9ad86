// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A message from one side of a session to the other.
///
/// Each message takes one frame, except an offer, which takes several.
enum SessionMessage: Sendable {
  case hello(SessionHello)
  case offer(SessionOffer)
  case withdrawal(generation: UInt32, SenderFailure)
  case request(number: UInt32, SessionRequest)
  case credit(number: UInt32, UInt64)
  case cancellation(number: UInt32, SenderFailure)
  /// The progress of the loader; the total is `nil` if the loader does not know it.
  case preparation(number: UInt32, completed: UInt64, total: UInt64?)
  /// A chunk of the requested content; with `isWhole`, all of it.
  case data(number: UInt32, Data, isWhole: Bool)
  /// A run of zeros (a hole in a file) and its length in bytes.
  case zeros(number: UInt32, UInt64)
  case endOfRepresentation(number: UInt32, byteCount: UInt64)
  case failure(number: UInt32, SenderFailure)
  case descriptor(number: UInt32, SessionDescriptor)
  case finish(generation: UInt32, SessionFinish)
  case acknowledgement(generation: UInt32, isKnown: Bool)
  case bye
}

/// The protocol versions, features and limits of one side.
struct SessionHello: Hashable, Sendable {
  struct Features: OptionSet, Hashable, Sendable {
    let rawValue: UInt64
    /// The side supports open files in place of bytes.
    static let descriptors = Features(rawValue: 1)
    /// The side supports runs of zeros in place of their bytes.
    static let zeros = Features(rawValue: 2)
    /// The side compares the start of content with the checksum of a request.
    static let starts = Features(rawValue: 4)
    /// The side takes drops and offers none.
    static let onlyTakes = Features(rawValue: 8)
  }

  /// The protocol versions that this version of the package supports.
  static let versions: ClosedRange<UInt8> = 1...1

  var versions = SessionHello.versions
  var features: Features = []
  /// The maximum number of concurrent requests that the side accepts.
  var requests: UInt32 = 32
}

/// The items of one offer.
struct SessionOffer: Sendable {
  var generation: UInt32
  var items: [DropOffer]
  var actions: DropActions
  var size = OfferSize()
}

/// A request for a representation.
struct SessionRequest: Hashable, Sendable {
  struct Acceptance: OptionSet, Hashable, Sendable {
    let rawValue: UInt32
    /// Sealed memory, which cannot change.
    static let sealedMemory = Acceptance(rawValue: 1)
    /// The source's own file, for use at its path.
    static let originalFile = Acceptance(rawValue: 2)
    /// The source's own file, for copying.
    static let fileToCopy = Acceptance(rawValue: 4)
    /// All known flags.
    ///
    /// Other flags are ignored.
    static let all: Acceptance = [.sealedMemory, .originalFile, .fileToCopy]
  }

  static let length = 24
  /// The maximum length of a chunk in bytes.
  ///
  /// A longer chunk is rejected.
  static let maximumChunkLength = 1 << 20

  var generation: UInt32
  var item: UInt32
  var representation: UInt32
  var accepts: Acceptance = []
  /// The number of bytes that the peer may send before it receives more credit.
  var credit: UInt64
  /// The offsets of the requested bytes; `nil` for the complete content.
  var range: Range<UInt64>?
  /// The ``StartDigest`` of all bytes before the range, which the destination has already.
  ///
  /// The source compares them with its content. It is `nil` if nothing is compared.
  var startDigest: [UInt8]?

  /// Returns whether the destination has the complete content after a response that ends at an offset of the content.
  ///
  /// That is the end of the content only if the range reaches beyond it.
  func isComplete(at end: UInt64) -> Bool {
    guard let range else { return true }
    return (startDigest != nil || range.lowerBound == 0) && end < range.upperBound
  }
}

/// An open file in place of bytes.
struct SessionDescriptor: Hashable, Sendable {
  enum Kind: UInt8, Hashable, Sendable {
    case sealedMemory = 1
    case originalFile = 2
    case fileToCopy = 3

    /// The flag that the receiver must have set in its request.
    var acceptance: SessionRequest.Acceptance { SessionRequest.Acceptance(rawValue: 1 << UInt32(rawValue - 1)) }
  }

  var kind: Kind
  var byteCount: UInt64
  /// The CRC32C of sealed memory; `nil` for a file, whose content can change.
  var check: UInt32?
}

/// The report of a destination that has finished with an offer.
struct SessionFinish: Hashable, Sendable {
  /// The maximum length of the payload in bytes.
  ///
  /// A longer finish is rejected.
  static let maximumLength = 4 << 20

  var action: DropAction?
  /// The indices of the kept items, as ascending runs of consecutive indices.
  var kept: [Range<UInt32>] = []
  /// The reason why nothing was kept, if the destination states one.
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

/// The memory cost of an open offer: the length of its description and the number of its types.
struct OfferSize: Hashable, Sendable {
  /// The length of the description in bytes.
  var bytes = 0
  /// The number of representation types and their supertypes.
  ///
  /// A type takes far more memory than the bytes of its identifier.
  var types = 0

  init() {}

  init(of item: DropOffer, bytes: Int) {
    self.bytes = bytes
    types = item.representations.reduce(0) { $0 + 1 + $1.supertypes.count }
  }

  static func += (sum: inout OfferSize, other: OfferSize) {
    sum.bytes += other.bytes
    sum.types += other.types
  }

  /// Returns the end of a message about offers that exceed a limit; `nil` if they exceed none.
  func excess(over limits: DropStreamLimits) -> String? {
    if bytes > limits.openOfferBytes { return "exceed the limit of \(limits.openOfferBytes) bytes of description" }
    if types > limits.openOfferTypes { return "exceed the limit of \(limits.openOfferTypes) types" }
    return nil
  }
}

extension Sequence<OfferSize> {
  var sum: OfferSize { reduce(into: OfferSize()) { $0 += $1 } }
}
