// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ContentSignaturesTests {
  private func type(_ content: [UInt8]) -> ContentSignatures.Match? { ContentSignatures.type(of: content.span) }

  /// Returns the bytes of a string in which each character stands for one byte.
  private static func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  @Test func leadingBytesDetermineTheType() {
    for (content, mimeType) in samples {
      #expect(type(Self.latin1(content)) == .mimeType(mimeType), "\(content.debugDescription)")
    }
    #expect(type(Array("bplist00".utf8)) == .identifier("com.apple.binary-property-list"))
    #expect(type(Array("#!/opt/new/tool\n".utf8)) == .identifier("public.script"))
  }

  @Test func weakEvidenceMatchesNothing() {
    for text in [
      "BM is a company", "BZhonest", "{", "{a}", "{\"a\"}", "{\"a", "{} else", "<htmlx>", "<", "#!relative", "#!",
      "RIFF", "",
    ] {
      #expect(type(Array(text.utf8)) == nil, "\(text)")
    }
  }

  @Test func truncatedContentDoesNotTrap() {
    let whole = Self.latin1(
      samples.map(\.content).joined().filter { $0 != "\0" } + "\u{1A}\u{45}\u{DF}\u{A3}\u{42}\u{82}")
    for start in whole.indices {
      for end in start...min(whole.count, start + 24) { _ = type(Array(whole[start..<end])) }
    }
  }

  @Test func detectsTheEncodingOfText() {
    for (content, encoding) in encodingSamples {
      #expect(TextDetection.encoding(of: Self.latin1(content).span) == encoding, "\(content.debugDescription)")
    }
  }
}

private let samples: [(content: String, mimeType: String)] = [
  ("\u{89}PNG\r\n\u{1A}\n", "image/png"), ("\u{FF}\u{D8}\u{FF}\u{E0}", "image/jpeg"), ("GIF89a", "image/gif"),
  ("GIF87a", "image/gif"), ("RIFF....WEBPVP8 ", "image/webp"), ("RIFF....WAVE", "audio/x-wav"),
  ("RIFF....AVI ", "video/x-msvideo"), ("BM....\0\0\0\0....\u{28}\0\0\0", "image/bmp"), ("II*\0", "image/tiff"),
  ("MM\0*", "image/tiff"), ("%PDF-1.7", "application/pdf"), ("PK\u{3}\u{4}", "application/zip"),
  ("\u{1F}\u{8B}\u{8}", "application/gzip"), ("BZh91AY&SY", "application/x-bzip2"),
  ("\u{FD}7zXZ\0", "application/x-xz"), ("\u{28}\u{B5}\u{2F}\u{FD}", "application/zstd"),
  ("7z\u{BC}\u{AF}\u{27}\u{1C}", "application/x-7z-compressed"), ("\u{7F}ELF", "application/x-elf"),
  (String(repeating: "\0", count: 257) + "ustar", "application/x-tar"), ("OggS", "application/ogg"),
  ("fLaC", "audio/flac"), ("ID3", "audio/mpeg"), ("\0\0\0\u{10}ftypisom\0\0\0\0", "video/mp4"),
  ("\0\0\0\u{10}ftypheic\0\0\0\0", "image/heif"), ("\0\0\0\u{10}ftypavif\0\0\0\0", "image/avif"),
  ("\0\0\0\u{18}ftypmif1\0\0\0\0miafavif", "image/avif"), ("\0\0\0\u{14}ftypmif1\0\0\0\0heicavif", "image/heif"),
  ("\0\0\0\u{10}ftypqt  \0\0\0\0", "video/quicktime"), ("\0\0\0\u{10}ftypM4A \0\0\0\0", "audio/mp4"),
  ("\u{1A}\u{45}\u{DF}\u{A3}\u{87}\u{42}\u{82}\u{84}webm", "video/webm"),
  ("\u{1A}\u{45}\u{DF}\u{A3}\u{8B}\u{42}\u{82}\u{88}matroska", "video/x-matroska"),
  ("SQLite format 3\0", "application/vnd.sqlite3"), ("<?xml version", "application/xml"),
  ("\u{EF}\u{BB}\u{BF} \n<!DOCTYPE HTML>", "text/html"), ("<html>", "text/html"),
  (#" {"a\"b" : 1}"#, "application/json"), ("{ }\n", "application/json"), (#"{\rtf1"#, "application/rtf"),
  ("%!PS-Adobe-3.0", "application/postscript"), ("#!/bin/sh\n", "application/x-shellscript"),
  ("#! /usr/bin/env -S A=1 python3.12 -u\n", "text/x-python"), ("#!/usr/bin/perl -w", "application/x-perl"),
]

private let encodingSamples: [(content: String, encoding: TextDetection.Encoding?)] = [
  ("Gr\u{C3}\u{BC}\t\n", .utf8), ("", .utf8), ("Gr\u{FC} a", .other), ("caf\u{E9}", .other), ("\u{FF}", .other),
  // Only longer content may end within a character.
  (String(repeating: "a", count: 127) + "\u{E2}\u{82}", .utf8), (String(repeating: "a", count: 127) + "\u{F0}", .other),
  (String(repeating: "a", count: 128) + "\u{F0}", .utf8), (String(repeating: "a", count: 128) + "\u{FF}", .other),
  ("a\r\n\u{1A}", .utf8), ("\u{1A}", nil), ("a\u{1A}a", nil),
  ("\u{FF}\u{FE}A\0", .utf16), ("\u{FE}\u{FF}\0A", .utf16), ("\u{FF}\u{FE}\0\0A\0\0\0", .utf32),
  ("\0\0\u{FE}\u{FF}", .utf32), ("A\0", nil), ("\u{7}", nil), ("\u{1B}[1m", .utf8),
  ("\u{80}\u{80}\u{80}\u{80}", .other),
]
