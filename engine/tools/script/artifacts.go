package script

import (
	"archive/tar"
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// MadeFolder is the folder inside in which a script makes its artifacts, and GivenFolder the one that
// holds those of the jobs that it needs, by job.
const (
	MadeFolder  = sandbox.Scratch + "/artifacts"
	givenFolder = ".artifacts"
	GivenFolder = sandbox.Code + "/" + givenFolder
)

// Given are the artifacts of a job that a script gets.
type Given struct {
	Job  string
	View tree.View
}

// bundle runs the program that follows its first argument. If that succeeds, it writes the first
// argument on a line, and then all files in the folder.
const bundle = `mark=$1; shift
mkdir ` + MadeFolder + ` || exit
"$@" || exit
printf '\n%s\n' "$mark"
set -o pipefail
cd ` + MadeFolder + ` && tar -cf - . | base64`

// bundling are the programs that bundle needs beside bash.
func bundling() []string { return []string{"tar", "base64"} }

// bundled returns the arguments that run a program and write its artifacts behind mark.
func bundled(args []string) (all []string, mark string) {
	mark = "assent-artifacts-" + rand.Text()
	return append([]string{"bash", "-c", bundle, "assent", mark}, args...), mark
}

// tarGaveUp is the last line of tar after an error, which it named before.
const tarGaveUp = "tar: Exiting with failure status due to previous errors\n"

const unreadable = "its artifacts cannot be read: "

// cutMark returns what precedes and what follows the mark.
func cutMark(stdout []byte, mark string) (own, artifacts []byte, found bool) {
	return bytes.Cut(stdout, []byte("\n"+mark+"\n"))
}

// unbundle separates what a script wrote from its artifacts. The script chooses what is there, so
// nothing of it is trusted. why says what is wrong, "" if nothing is.
func unbundle(stdout []byte, mark string, patterns []string) (own []byte, files []tree.Edit, why string) {
	own, text, found := cutMark(stdout, mark)
	if !found {
		return stdout, nil, "it ended before its artifacts could be read"
	}
	left := int64(run.MaxArtifactBytes)
	for archive := tar.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text))); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return own, nil, unreadable + err.Error()
		}
		path := strings.TrimPrefix(h.Name, "./")
		if h.Typeflag == tar.TypeDir || !slices.ContainsFunc(patterns, func(p string) bool { return policy.MatchPath(p, path) }) {
			continue
		}
		e := tree.Edit{Path: path, Mode: tree.Regular}
		if h.Mode&0o111 != 0 {
			e.Mode = tree.Executable
		}
		switch {
		case h.Typeflag == tar.TypeSymlink:
			return own, nil, sprint("its artifact %s is no regular file but a link; copy what it points to", shown(path))
		case h.Typeflag == tar.TypeLink:
			return own, nil, sprint("its artifact %s is a second name (hard link) of another artifact; copy the file", shown(path))
		case h.Typeflag != tar.TypeReg:
			return own, nil, sprint("its artifact %s is no regular file; write its content into one", shown(path))
		case h.Size > left || len(files) >= run.MaxArtifacts:
			return own, nil, sprint("its artifacts are more than %d files or %d MiB; match fewer under artifacts, or pack them", run.MaxArtifacts, run.MaxArtifactBytes>>20)
		}
		left -= h.Size
		if e.Content, err = io.ReadAll(archive); err != nil {
			return own, nil, unreadable + err.Error()
		}
		files = append(files, e)
	}
	order.Sort(files, func(a, b tree.Edit) int { return strings.Compare(a.Path, b.Path) })
	if why := CheckArtifacts(paths(files)); why != "" {
		return own, nil, why
	}
	for _, p := range patterns {
		if !slices.ContainsFunc(files, func(e tree.Edit) bool { return policy.MatchPath(p, e.Path) }) {
			return own, nil, sprint("its artifact %s is missing: the script wrote no such file below $ASSENT_ARTIFACTS", p)
		}
	}
	return own, files, ""
}

func paths(files []tree.Edit) []string {
	var out []string
	for _, e := range files {
		out = append(out, e.Path)
	}
	return out
}

// shown quotes a name, and cuts a long one.
func shown(path string) string {
	const most = 80
	if len(path) > most {
		path = strings.ToValidUTF8(path[:most], "") + "…"
	}
	return strconv.Quote(path)
}

// CheckArtifacts says which name cannot be written safely on every system, "" for none.
func CheckArtifacts(paths []string) string {
	for i, p := range paths {
		//defence:artifacts-have-harmless-names
		if ds := names.CheckPath(p); len(ds) > 0 {
			return sprint("its artifact %s is refused: %s; %s", shown(p), ds[0].Message, ds[0].Fix)
		}
		if slices.Contains(paths[:i], p) {
			return sprint("two of its artifacts are called %s", shown(p))
		}
	}
	if ds := names.Collisions(paths); len(ds) > 0 {
		return "two of its artifacts would be one file on some systems: " + ds[0].Message
	}
	return ""
}
