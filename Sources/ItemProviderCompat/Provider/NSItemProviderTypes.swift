// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ItemTransfer

/// The processes that may load a representation.
public enum NSItemProviderRepresentationVisibility: Int, Sendable {
  /// All processes.
  case all = 0
  /// Programs of the same vendor.
  case team = 1
  /// Programs of the same group. On Apple's systems only macOS has this case; the other systems have `team`.
  case group = 2
  /// The offering process only.
  case ownProcess = 3
}

extension NSItemProviderRepresentationVisibility {
  var itemVisibility: ItemVisibility { ItemVisibility(rawValue: rawValue) ?? .ownProcess }
}

/// Options for files.
public struct NSItemProviderFileOptions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// A destination may use the original file.
  ///
  /// Without this option, it gets a copy.
  public static let openInPlace = NSItemProviderFileOptions(rawValue: 1)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the preview option for the preferred size in pixels.
public let NSItemProviderPreferredImageSizeKey = "NSItemProviderPreferredImageSizeKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key, in a property-list item, of the result of a web page's script.
public let NSExtensionJavaScriptPreprocessingResultsKey = "NSExtensionJavaScriptPreprocessingResultsKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key, in a property-list item, of the argument for a web page's finalizing script.
public let NSExtensionJavaScriptFinalizeArgumentKey = "NSExtensionJavaScriptFinalizeArgumentKey"

extension NSItemProvider {
  /// The codes of load errors.
  public enum ErrorCode: Int, Sendable {
    /// An unknown error.
    case unknownError = -1
    /// No representation conforms, it could not be created, or the load was cancelled.
    case itemUnavailableError = -1000
    /// The created value is not of the requested class, or could not be created from the loaded bytes.
    case unexpectedValueClassError = -1100
    /// No conversion leads from an offered type to the requested type.
    case unavailableCoercionError = -1200
  }
}

extension NSItemProvider {
  /// Creates an error of ``errorDomain`` with the reason as its underlying error.
  static func error(_ code: ErrorCode, _ description: String, _ reason: (any Error)? = nil) -> NSError {
    var information: [String: Any] = [NSLocalizedDescriptionKey: description]
    if let reason { information[NSUnderlyingErrorKey] = describing(reason) }
    return NSError(domain: errorDomain, code: code.rawValue, userInfo: information)
  }

  /// Converts an error of this package to an error of ``errorDomain``.
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

  /// The key of the original error in the user info of an underlying error, if the original is not an `NSError`.
  public static let swiftErrorKey = "org.dragpipe.swift-error"

  /// Returns an error object with a description, since errors that Swift bridges have none.
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

/// A value that crosses threads without a check by the compiler.
///
/// Apple's signatures do not require that the value is Sendable.
package struct Shared<Value>: @unchecked Sendable {
  /// The value.
  package let value: Value

  /// Wraps a value.
  package init(_ value: Value) {
    self.value = value
  }
}
