// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
public import Foundation

/// A web server that serves one object by ranges, with a fault for each path.
///
/// It needs Python.
public struct RangeServer: Sendable {
  /// Whether Python and curl are installed.
  public static var isInstalled: Bool {
    startsPeers && installedProgram("python3") != nil && installedProgram("curl") != nil
  }

  private static let program = """
    import http.server, sys, time

    content = open(sys.argv[1], "rb").read()
    log = open(sys.argv[2], "a", buffering=1)
    count = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments):
            pass

        def end(self, status, *fields, body=b""):
            self.send_response(status)
            for name, value in fields:
                self.send_header(name, value)
            if not any(name == "Content-Length" for name, _ in fields):
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            fault = self.path.split("?")[0].split("/")[1]
            asked = self.headers.get("Range")
            log.write(f"{fault} {asked} {self.headers.get('If-Match')}\\n")
            number = count[fault] = count.get(fault, 0) + 1
            if fault == "redirected":
                return self.end(302, ("Location", "/good/a.drop"))
            if fault == "loop":
                return self.end(302, ("Location", "/loop/a.drop"))
            if fault == "secret" and self.headers.get("Authorization") is None:
                return self.end(401, ("WWW-Authenticate", 'Basic realm="store"'))
            if fault == "missing":
                return self.end(404, body=b"not here")
            size = len(content)
            if fault == "slow":
                self.end(200, ("Content-Length", str(size)))
                for start in range(0, size, 400):
                    self.wfile.write(content[start : start + 400])
                    time.sleep(0.25)
                return
            if asked is None or fault == "whole":
                if fault == "cut":
                    self.close_connection = True
                    return self.end(200, ("Content-Length", str(size)), body=content[: size // 2])
                return self.end(200, ("ETag", '"1"'), body=content)
            tag = '"2"' if fault == "changed" and number > 1 else '"1"'
            if self.headers.get("If-Match", tag) != tag:
                return self.end(412)
            first, last = asked.split("=")[1].split("-")
            start = max(0, size - int(last)) if first == "" else int(first)
            end = size if first == "" else min(size, int(last) + 1)
            body = content[start:end]
            fields = [("Content-Range", f"bytes {start}-{end - 1}/{size}"), ("ETag", tag)]
            if fault == "grown" and number > 1:
                fields = [("Content-Range", f"bytes {start}-{end - 1}/{size + 1}"), ("ETag", tag)]
            if fault == "shifted" and number > 1:
                fields = [("Content-Range", f"bytes {start + 1}-{end}/{size}"), ("ETag", tag)]
            if fault == "other" and number > 1:
                body = bytes(value ^ 1 for value in body)
            if fault == "cut" and number > 1:
                self.close_connection = True
                return self.end(206, *fields, ("Content-Length", str(len(body))), body=body[: len(body) // 2])
            if fault == "short" and number > 1:
                body = body[:-1]
            if fault == "long" and number > 1:
                body += b"x"
            if fault == "stalled" and number > 1:
                self.end(206, *fields, ("Content-Length", str(len(body))), body=body[:1])
                self.connection.settimeout(60)
                return self.rfile.read(1)
            self.end(206, *fields, body=body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    import threading
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    """

  private let log: URL
  private let port: Int

  /// The requests so far: the fault, the range and the condition of each.
  public var requests: [String] {
    String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Returns the address of the object with a fault, which is the first part of the path.
  public func address(_ fault: String) -> String { "http://127.0.0.1:\(port)/\(fault)/a.drop" }

  /// Serves an object while `body` runs.
  public static func serving(_ content: Data, _ body: (RangeServer) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let object = directory.file("object")
    try content.write(to: object)
    let log = directory.file("log")
    let command = ["python3", "-c", program, object.path, log.path]
    let (process, input, output) = try ChildProcess.conversing(command)
    let stdin = OwnedDescriptor(output)
    let line = try await ChildLines(of: process, input).next("the port of the server")
    let port = line.flatMap { Int($0) } ?? 0
    let result: Result<Void, any Error>
    do { result = .success(try await body(RangeServer(log: log, port: port))) } catch { result = .failure(error) }
    try stdin.close()
    await process.end()
    try result.get()
  }
}
