// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ItemTransfer

/// Who may have a representation.
public enum NSItemProviderRepresentationVisibility: Int, Sendable {
  /// Every process.
  case all = 0
  /// Programs of the same maker.
  case team = 1
  /// Programs that have agreed to share; on Apple's systems macOS alone has it, as only the others have `team`.
  case group = 2
  /// The process that offers it.
  case ownProcess = 3
}

extension NSItemProviderRepresentationVisibility {
  var itemVisibility: ItemVisibility { ItemVisibility(rawValue: rawValue) ?? .ownProcess }
}

/// How a file is handed over.
public struct NSItemProviderFileOptions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Takes the bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// The source's own file may be used where it is; else it is copied.
  public static let openInPlace = NSItemProviderFileOptions(rawValue: 1)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of an option of a preview: its size in pixels.
public let NSItemProviderPreferredImageSizeKey = "NSItemProviderPreferredImageSizeKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key, in an item that is a property list, of what a web page's script has answered.
public let NSExtensionJavaScriptPreprocessingResultsKey = "NSExtensionJavaScriptPreprocessingResultsKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key, in an item that is a property list, of what a web page's script is to be ended with.
public let NSExtensionJavaScriptFinalizeArgumentKey = "NSExtensionJavaScriptFinalizeArgumentKey"

extension NSItemProvider {
  /// Why a load has failed.
  public enum ErrorCode: Int, Sendable {
    /// Something went wrong.
    case unknownError = -1
    /// Nothing conforms, or what does could not be made, or the load was cancelled.
    case itemUnavailableError = -1000
    /// What was made is no value of the class that was wanted.
    case unexpectedValueClassError = -1100
    /// There is no way from what is offered to what is wanted.
    case unavailableCoercionError = -1200
  }
}

extension NSItemProvider {
  /// What Apple's loads end with; the reason is the underlying error.
  static func error(_ code: ErrorCode, _ description: String, _ reason: (any Error)? = nil) -> NSError {
    var information: [String: Any] = [NSLocalizedDescriptionKey: description]
    if let reason { information[NSUnderlyingErrorKey] = describing(reason) }
    return NSError(domain: errorDomain, code: code.rawValue, userInfo: information)
  }

  /// What an error of this package is there.
  static func error(_ error: any Error, loading typeIdentifier: String) -> NSError {
    guard let known = error as? ItemProviderError else {
      if error is CancellationError { return cancellation }
      return Self.error(.itemUnavailableError, "Cannot load representation of type \(typeIdentifier)", error)
    }
    switch known.code {
    case .cancelled: return cancellation
    case .undecodable:
      return Self.error(
        .unexpectedValueClassError, "Cannot make the value of type \(typeIdentifier)", known.underlyingError ?? known)
    default:
      return Self.error(
        .itemUnavailableError, "Cannot load representation of type \(typeIdentifier)", known.underlyingError ?? known)
    }
  }

  /// The key, in an underlying error's information, of an error that is no `NSError` by birth.
  public static let swiftErrorKey = "org.dragpipe.swift-error"

  /// An error as an object that has its words: those that Swift makes by itself have none.
  private static func describing(_ error: any Error) -> NSError {
    let object = error as NSError
    if type(of: error) is NSError.Type || error is any CustomNSError || error is any LocalizedError { return object }
    var information = object.userInfo
    information[NSLocalizedDescriptionKey] = String(describing: error)
    information[swiftErrorKey] = error
    return NSError(domain: object.domain, code: object.code, userInfo: information)
  }

  private static var cancellation: NSError {
    error(.itemUnavailableError, "The load was cancelled", CocoaError(.userCancelled))
  }
}
