// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import TestSupport
import Testing

/// Folders, and the folders of files from a list.
@Suite(.serialized, .limited, .timeLimit(minutes: 10)) struct FolderTests {
  @Test func foldersArriveCompleteOrAsArchives() async throws {
    try await transcript(
      #"""
      $ mkdir -p Tales/deep in; echo once > Tales/deep/.a; : > Tales/empty; chmod 700 Tales/deep
      $ touch -d '2001-02-03 04:05:06' Tales Tales/deep Tales/deep/.a Tales/empty
      $ dragpipe send Tales/ | dragpipe receive in; diff -r Tales in/Tales; stat -c %a in/Tales/deep
      700
      $ dragpipe send Tales > stream; dragpipe receive in < stream
      dragpipe: "Tales" is in in already
      [73]
      $ dragpipe receive --rename in < stream; dragpipe receive --archives in < stream; ls in
      Tales
      Tales-2
      Tales.tar
      # The archive is also a type of its own.
      $ dragpipe receive --accept archive -f in < stream; tar xOf in/Tales.tar Tales/deep/.a
      once
      $ dragpipe receive --from "$SENDER Tales" --accept public.tar-archive -o out.tar; cmp out.tar in/Tales.tar
      $ dragpipe receive --all two/ < stream; ls two; dragpipe send Tales --to a.drop
      Tales
      $ dragpipe extract a.drop 1 public.tar-archive | cmp - out.tar
      $ dragpipe send --type public.folder=out.tar | dragpipe receive -o Copy; diff -r Tales Copy
      # An archive whose names lead elsewhere.
      $ for name in ../../out $'e\e[2J'; do
      >   tar cPf hostile.tar --sort=name --transform "s:deep/.a:$name:" Tales; dragpipe send --type public.folder=hostile.tar --name T > stream; dragpipe receive three/ < stream
      > done; ls -d three out ../out
      dragpipe: cannot create the folder T: "Tales/../../out": a name is "." or ".." at byte 1024
      dragpipe: cannot create the folder T: "Tales/e\u{1b}[2J": a name has the control character U+1B at byte 1024
      ls: cannot access 'three': No such file or directory
      ls: cannot access 'out': No such file or directory
      ls: cannot access '../out': No such file or directory
      [2]
      """#)
  }

  /// The output is left out under its final name and under the name that it has until it is complete.
  @Test func dropInItsOwnFolderIsNoPartOfItself() async throws {
    try await transcript(
      #"""
      $ mkdir -p Tales/deep in; head -c 3M /dev/urandom > Tales/z; echo a > Tales/deep/a; cd Tales
      $ list() { dragpipe extract y.drop 1 .tar | tar t | paste -sd ' '; rm -f y.drop; }
      $ dragpipe send --to y.drop .; list
      Tales/ Tales/deep/ Tales/deep/a Tales/z
      $ echo old > y.drop; dragpipe send --overwrite --to y.drop ../Tales; list
      dragpipe: left out Tales/y.drop: it is the output file
      Tales/ Tales/deep/ Tales/deep/a Tales/z
      $ echo old > y.drop; ln y.drop deep/hard; dragpipe send --overwrite --to y.drop .; list; rm deep/hard
      dragpipe: left out Tales/y.drop: it is the output file
      Tales/ Tales/deep/ Tales/deep/a Tales/deep/hard Tales/z
      $ dragpipe send --append --to y.drop deep/a; dragpipe send --append --to y.drop .; dragpipe extract y.drop 2 .tar | tar t | paste -sd ' '; rm y.drop
      dragpipe: left out Tales/y.drop: it is the output file
      Tales/ Tales/deep/ Tales/deep/a Tales/z
      $ dragpipe send --indexed . > y.drop; list
      dragpipe: left out Tales/y.drop: it is the output file
      Tales/ Tales/deep/ Tales/deep/a Tales/z
      $ dragpipe send --to deep/y.drop .; mv deep/y.drop .; list
      Tales/ Tales/deep/ Tales/deep/a Tales/z
      """#)
  }

  @Test func overwriteReplacesFilesAndMergesFolders() async throws {
    try await transcript(
      #"""
      $ mkdir -p d/e/f d/new in/d/e; echo 1 > d/e/x; echo 1 > d/e/f/y; echo 1 > d/new/z; echo 1 > a
      $ echo 0 > in/d/e/x; echo 0 > in/d/e/kept; echo 0 > in/a
      $ dragpipe send a d | dragpipe receive --overwrite in; (cd in; grep -r . . | sort; ls -A)
      ./a:1
      ./d/e/f/y:1
      ./d/e/kept:0
      ./d/e/x:1
      ./d/new/z:1
      a
      d
      # All or nothing: a file in the place of a folder takes everything back.
      $ echo 2 > a; echo 2 > d/e/x; rm -r in/d/new; echo 0 > in/d/new; dragpipe send a d > stream; dragpipe receive --overwrite in < stream
      dragpipe: "d/new" is in in already; only a file replaces a file, and a folder merges with a folder
      [73]
      $ (cd in; grep -r . . | sort; ls -A)
      ./a:1
      ./d/e/f/y:1
      ./d/e/kept:0
      ./d/e/x:1
      ./d/new:0
      a
      d
      # Only links replace links.
      $ mkdir Tales; echo x > Tales/a; ln -s a Tales/link; ln -s a Tales/new; chmod 644 Tales/a
      $ dragpipe send Tales > stream; dragpipe receive in < stream; ln -sf missing in/Tales/link; rm in/Tales/new
      $ dragpipe receive --overwrite in < stream; readlink in/Tales/link in/Tales/new
      a
      a
      $ echo own > canary; chmod 600 canary; ln -sf ../../canary in/Tales/a; rm in/Tales/link; echo mine > in/Tales/link
      $ dragpipe receive --overwrite in < stream
      dragpipe: "Tales/a" is in in already; only a file replaces a file, and a folder merges with a folder
      [73]
      $ cat canary in/Tales/link; stat -c %a canary; readlink in/Tales/a
      own
      mine
      600
      ../../canary
      """#)
  }

  @Test func linksOutOfAFolderAndSpecialFilesNeedAnOption() async throws {
    try await transcript(
      #"""
      $ mkdir -p Tales/sub in; ln -s /etc/hostname Tales/sub/out; ln -s sub Tales/in; umask 0; dragpipe send Tales > stream
      $ dragpipe receive in < stream
      dragpipe: cannot create the folder Tales: "Tales/sub/out": the link leads to "/etc/hostname", outside the folder at byte 5632
      [77]
      $ dragpipe receive --links inside in < stream 2> errors
      [77]
      $ ls in; dragpipe receive --links all in < stream; readlink in/Tales/sub/out in/Tales/in; rm -r in/* Tales/*
      /etc/hostname
      sub
      $ mkdir Tales/sub; echo x > Tales/a; mkfifo Tales/sub/pipe Tales/z; dragpipe send Tales > stream
      dragpipe: the file of public.folder could not be used: "Tales/sub/pipe": a pipe cannot be sent
      [74]
      $ dragpipe send -k Tales | dragpipe receive in; echo ${PIPESTATUS[*]} $(cd in; find . | sort)
      dragpipe: left out: "Tales/sub/pipe": a pipe cannot be sent
      dragpipe: left out: "Tales/z": a pipe cannot be sent
      dragpipe: some content failed to load: "Tales/sub/pipe": a pipe cannot be sent, and 1 more
      2 0 . ./Tales ./Tales/a ./Tales/sub
      $ dragpipe send -k --to "$RECEIVER again/" Tales
      dragpipe: left out: "Tales/sub/pipe": a pipe cannot be sent
      dragpipe: left out: "Tales/z": a pipe cannot be sent
      dragpipe: some content failed to load: "Tales/sub/pipe": a pipe cannot be sent, and 1 more
      [2]
      $ ls again/Tales
      a
      sub
      """#)
  }

  @Test func permissionsAndTimesAreKeptOnRequest() async throws {
    try await transcript(
      #"""
      $ umask 0; mkdir -p Tales/deep usual kept private; echo x > Tales/deep/a; echo y > Tales/b; echo z > run; echo m > mine
      $ chmod 6777 Tales/deep/a; chmod 666 Tales/b; chmod 1777 Tales/deep; chmod 2775 Tales; chmod 7750 run; chmod 700 mine
      $ touch -d '2001-02-03 04:05:06.123456789' Tales/deep/a Tales/b Tales/deep Tales run
      $ dragpipe send Tales run mine > stream; umask 027; dragpipe receive usual < stream
      $ dragpipe receive --preserve kept < stream; umask 077; dragpipe receive private < stream
      $ dragpipe send run | dragpipe receive -p -o other; stat -c '%a %.9Y' other
      1750 981173106.123456789
      $ for place in usual kept private; do
      >   (cd $place; stat -c "$place %n %a %.9Y" Tales Tales/deep Tales/deep/a Tales/b run mine); done |
      >   sed 's/ 1[0-8][0-9]\{8\}\..*/ now/'
      usual Tales 750 981173106.123456789
      usual Tales/deep 750 981173106.123456789
      usual Tales/deep/a 750 981173106.123456789
      usual Tales/b 640 981173106.123456789
      usual run 750 now
      usual mine 740 now
      kept Tales 775 981173106.123456789
      kept Tales/deep 1777 981173106.123456789
      kept Tales/deep/a 777 981173106.123456789
      kept Tales/b 666 981173106.123456789
      kept run 1750 981173106.123456789
      kept mine 700 now
      private Tales 700 981173106.123456789
      private Tales/deep 700 981173106.123456789
      private Tales/deep/a 700 981173106.123456789
      private Tales/b 600 981173106.123456789
      private run 700 now
      private mine 700 now
      """#)
  }

  @Test func attributesAndOwnersNeedTheOptionOnBothSides() async throws {
    try await withShell { shell in
      let isRoot = geteuid() == 0
      _ = try await shell.run("mkdir Tales; echo x > Tales/a\(isRoot ? "; chown 12345:54321 Tales/a" : "")")
      let path = { (folder: String) in shell.directory.appendingPathComponent(folder + "Tales/a").path }
      let source = try OwnedDescriptor.open(path(""), O_RDONLY)
      // A file system may have no attributes.
      do { try SystemCalls.setAttribute(source.raw, "user.mood", Array("calm".utf8)) } catch { return }
      let owners = isRoot ? " --owners" : ""
      for (sent, received) in [
        ("", ""), ("--xattrs", ""), ("", "--xattrs"), ("--xattrs" + owners, "--xattrs" + owners),
      ] {
        try await shell.expect("$ dragpipe send \(sent) Tales | dragpipe receive \(received) in/")
        let isKept = !sent.isEmpty && !received.isEmpty
        let file = try OwnedDescriptor.open(path("in/"), O_RDONLY)
        #expect(try SystemCalls.attributeNames(file.raw) == (isKept ? ["user.mood"] : []))
        let owner = try FileManager.default.attributesOfItem(atPath: path("in/"))[.ownerAccountID] as? UInt32
        #expect(owner == (isKept && isRoot ? 12345 : geteuid()))
        try FileManager.default.removeItem(at: shell.directory.appendingPathComponent("in"))
      }
    }
  }

  // MARK: Lists

  @Test func listedFilesKeepTheirPathsBelowTheCommonFolder() async throws {
    try await transcript(
      #"""
      $ mkdir -p d/a d/b/c in; echo 1 > d/a/x.txt; echo 2 > d/b/x.txt; echo 3 > d/b/c/x.txt; find d -type f | sort > list
      $ for change in '' "s:^:$PWD/:" s:^:d/../: s:^:./:; do
      >   sed "$change" list | dragpipe send --from-list - | dragpipe receive in; (cd in; grep -r . . | sort); rm -r in/*
      > done | sort | uniq -c
            4 ./a/x.txt:1
            4 ./b/c/x.txt:3
            4 ./b/x.txt:2
      $ dragpipe send --to "$RECEIVER in" --from-list list; (cd in; grep -r . . | sort)
      ./a/x.txt:1
      ./b/c/x.txt:3
      ./b/x.txt:2
      $ dragpipe send --from-list list > stream; dragpipe receive in < stream
      dragpipe: "a/x.txt" is in in already
      [73]
      $ echo 0 > in/a/x.txt; echo 0 > in/a/kept; rm -r in/b; dragpipe receive in < stream 2> errors; ls in
      a
      $ dragpipe receive --overwrite in < stream; dragpipe receive --rename in < stream
      $ (cd in; grep -r . . | sort)
      ./a/kept:0
      ./a/x-2.txt:1
      ./a/x.txt:1
      ./b/c/x-2.txt:3
      ./b/c/x.txt:3
      ./b/x-2.txt:2
      ./b/x.txt:2
      $ dragpipe receive --list < stream
      1	a/x.txt	public.plain-text	2
      2	b/c/x.txt	public.plain-text	2
      3	b/x.txt	public.plain-text	2
      $ dragpipe receive --from "$SENDER --from-list list" --list | cut -f 2
      a/x.txt
      b/c/x.txt
      b/x.txt
      $ dragpipe inspect stream | grep -o '"[ab]/[^"]*"'; dragpipe inspect --json stream | grep -o '"folder": *"[^"]*"'
      "a/x.txt"
      "b/c/x.txt"
      "b/x.txt"
      "folder":"a"
      "folder":"b/c"
      "folder":"b"
      $ dragpipe receive --list --json < stream | grep -o '"folder" *: *"[^"]*"'
      "folder":"a"
      "folder":"b/c"
      "folder":"b"
      """#)
  }

  @Test func foldersAndLinksOfAListFollowTheOptions() async throws {
    try await transcript(
      #"""
      $ mkdir -p d/a d/b in; echo 1 > d/a/x; echo 2 > d/b/x
      # A name below a listed folder is sent once.
      $ find d | dragpipe send --from-list - | dragpipe receive in
      $ (cd d; find . -mindepth 1) | sed s:^./:d/: | dragpipe send --from-list - | dragpipe receive --overwrite in/d
      $ (cd in; find . | sort)
      .
      ./d
      ./d/a
      ./d/a/x
      ./d/b
      ./d/b/x
      # A link in the destination is not followed.
      $ mkdir outside; rm -r in/d; ln -s ../outside in/b
      $ find d -type f | sort | dragpipe send --from-list - > stream
      $ for option in '' --overwrite --rename --skip-existing; do dragpipe receive $option in < stream; echo $?; done 2>&1 | sort | uniq -c
            4 73
            4 dragpipe: cannot create "b/x" in in: a folder in its path is not a directory
      $ ls outside; find in | sort
      in
      in/b
      $ mkdir d/.ssh; echo 1 > d/.ssh/keys; printf 'd/.ssh/keys\nd/a/x\n' > list; rm in/b
      $ dragpipe send --from-list list > stream; dragpipe receive in < stream
      dragpipe: left out "keys": its name or its folder is hidden (see --hidden)
      [2]
      $ ls -A in; rm -r in/*; dragpipe receive --hidden in < stream; cat in/.ssh/keys
      a
      1
      """#)
  }

  // MARK: Other programs

  @Test(.peers("rsync", "git", "python3")) func treesOfOtherProgramsArriveEqual() async throws {
    try await transcript(
      #"""
      $ mkdir in; ls /usr/share/zoneinfo > /dev/null; ln -s /usr/share/zoneinfo zones; python3 -m venv --without-pip venv
      $ git init -q tree; cd tree; mkdir -p a/b; echo x > a/b/c; ln -s b/c a/link; git add .
      $ git -c user.name=n -c user.email=e@e commit -qm 'a commit'; git branch other; cd ..
      $ mkdir image; truncate -s 8G image/disk; printf start | dd of=image/disk conv=notrunc status=none
      $ printf middle | dd of=image/disk conv=notrunc status=none bs=1M seek=5000; ln image/disk image/same
      $ for name in zones venv tree image; do dragpipe send $name | dragpipe receive --preserve --links all in; done
      $ same() { rsync -aHAXn --checksum --delete --itemize-changes "$1/" "$2/"; }
      $ same /usr/share/zoneinfo in/zones; same venv in/venv; same tree in/tree
      $ git -C in/tree status --porcelain; git -C in/tree fsck 2>&1 | grep -v '^Checking'
      [1]
      $ [ $(du -sk in/image | cut -f 1) -lt 2000 ] || du -sk in/image; stat -c '%s %h' in/image/disk
      8589934592 2
      $ cmp -i 5242870000 -n 20000 image/disk in/image/disk; cmp -n 9999 image/disk in/image/disk
      """#)
  }

  @Test(.peers("python3"), .enabled(if: isFullRun)) func oneMillionEntriesNeedLittleMemory() async throws {
    try await transcript(
      within: .seconds(600),
      #"""
      $ python3 - << 'END'
      > import os, subprocess
      > for folder in range(1000):
      >     os.makedirs(f"many/{folder}")
      >     for file in range(998): os.mknod(f"many/{folder}/{file}", 0o100644)
      > os.mkdir("in"); tool = os.environ["TOOL"]
      > def run(arguments, **files):
      >     process = subprocess.Popen([tool] + arguments, **files)
      >     _, status, usage = os.wait4(process.pid, 0)
      >     print(status, usage.ru_maxrss < 40 << 10 or usage.ru_maxrss >> 10)
      > with open("stream", "wb") as output: run(["send", "many"], stdout=output)
      > with open("stream", "rb") as input: run(["receive", "in"], stdin=input)
      > END
      0 True
      0 True
      $ find in | wc -l
      999002
      """#)
  }
}
