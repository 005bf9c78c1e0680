// Package check decides which commit of a workspace is in force, from git's output alone.
//
// It is the second implementation of the rules that docs/gate.md describes, and must never
// import the engine. docs/verify.md says what it checks and what it takes on trust.
package check

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // Git names objects by it.
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// Bounds: nothing larger is read, and no chain is followed further.
const (
	maxBytes   = 4 << 20 // of one object
	maxEvents  = 20_000  // of one journal
	maxSkipped = 256     // commits upon a journal that are no events
	maxClaims  = 8       // announcements of one commit at one place by each person listed, and as many others
	maxPaths   = 1 << 17 // that one comparison looks at
)

// The reasons why a commit is not in force, and why that cannot be found out.
var (
	errRefused    = errors.New("refused")
	errUnreadable = errors.New("unreadable")
	errUnverified = errors.New("unverified")
	errTool       = errors.New("cannot go on")
	objectName    = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// repo reads one repository through git. What it reads is immutable, and so stays known. The first failure stays in
// err until it is taken. What is read after it is empty, so that no decision is made before.
type repo struct {
	dir, temp string
	env       []string
	cat       *exec.Cmd
	in        io.WriteCloser
	out       *bufio.Reader
	err       error
	known     map[string]any // by kind and name
}

// fail notes an error of a kind if failed is set, and returns failed.
func (v *repo) fail(kind error, failed bool, format string, args ...any) bool {
	if failed && v.err == nil {
		v.err = fmt.Errorf("%w: "+format, append([]any{kind}, args...)...)
	}
	return failed
}

// tool notes that a program, or the system, failed.
func (v *repo) tool(err error) { v.fail(errTool, err != nil, "%v", err) }

func (v *repo) take() (err error) {
	err, v.err = v.err, nil
	return err
}

// pass drops a failure of a kind, and reports whether there was one.
func (v *repo) pass(kind error) bool { return errors.Is(v.err, kind) && v.take() != nil }

// once computes what is not known yet, and keeps it unless something failed.
func once[T any](v *repo, key string, compute func() T) T {
	value, done := v.known[key].(T)
	if !done {
		if value = compute(); v.err == nil {
			v.known[key] = value
		}
	}
	return value
}

// Open starts one cat-file that answers all questions. No hook, filter, include, replacement or graft is obeyed, nothing
// is fetched, and what merge-tree writes goes to a temporary folder. With unsigned, attestations that no human or witness
// signed are believed too, for changes with the approvals of a critical one. Re-anchors count under the accepted keys.
func Open(dir string, unsigned bool, accepted ...string) (*Checker, error) {
	temp, err := os.MkdirTemp("", "assent-verify-")
	v := &repo{dir: dir, temp: temp, known: map[string]any{}, err: err}
	v.env = []string{"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "HOME=" + temp, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_GRAFT_FILE=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0"}
	var major, minor int
	version, objects := v.git("version"), v.git("rev-parse", "--path-format=absolute", "--git-path", "objects")
	_, _ = fmt.Sscanf(version, "git version %d.%d", &major, &minor)
	v.fail(errTool, major < 2 || major == 2 && minor < 38, "%q is too old, 2.38 is needed", version)
	v.fail(errTool, v.git("rev-parse", "--show-object-format") != "sha1", "objects that are not named by SHA-1 cannot be read")
	v.fail(errTool, v.git("rev-parse", "--is-shallow-repository") == "true", "it is a shallow clone: git fetch --unshallow brings the rest")
	own, quote := filepath.Join(temp, "objects"), strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	v.env = append(v.env, "GIT_OBJECT_DIRECTORY="+own, `GIT_ALTERNATE_OBJECT_DIRECTORIES="`+quote.Replace(objects)+`"`)
	if v.tool(os.Mkdir(own, 0o700)); v.err == nil {
		v.cat = v.command("cat-file", "--batch-command")
		v.in, err = v.cat.StdinPipe()
		out, piped := v.cat.StdoutPipe()
		v.out = bufio.NewReader(out)
		v.tool(cmp.Or(err, piped, v.cat.Start()))
	}
	if v.err != nil {
		v.Close()
	}
	return &Checker{repo: v, unsigned: unsigned, accepted: accepted}, v.take()
}

func (v *repo) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-C", v.dir, "-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false",
		"-c", "core.commitGraph=false", "-c", "core.attributesFile=" + os.DevNull, "-c", "protocol.allow=never",
		"-c", "merge.renames=false", "-c", "safe.directory=*"}, args...)...)
	cmd.Env = v.env
	return cmd
}

// git runs one command that ends. That a merge has conflicts is no failure.
func (v *repo) git(args ...string) string {
	if v.err != nil {
		return ""
	}
	cmd := v.command(args...)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil && (args[0] != "merge-tree" || cmd.ProcessState.ExitCode() != 1) {
		v.fail(errUnreadable, true, "git %s: %v: %s", args[0], err, strings.TrimSpace(problem.String()))
	}
	return strings.TrimSpace(string(out))
}

// Close ends the programs that were started.
func (v *repo) Close() {
	if v.in != nil {
		_ = v.in.Close()
		_ = v.cat.Wait()
	}
	_ = os.RemoveAll(v.temp)
}

// object reads an object once its kind and size are known to fit, and checks that its name is its content's.
func (v *repo) object(id, kind string) (data []byte) {
	v.fail(errUnreadable, !objectName.MatchString(id), "%q names no object", id)
	for _, verb := range []string{"info", "contents"} {
		if v.err != nil {
			return nil
		}
		var got string
		var size int
		_, err := fmt.Fprintf(v.in, "%s %s\n", verb, id)
		line, ended := v.out.ReadString('\n')
		v.tool(cmp.Or(err, ended))
		n, _ := fmt.Sscanf(line, id+" %s %d", &got, &size)
		v.fail(errUnreadable, n != 2 || got != kind || size > maxBytes,
			"the %s %s is missing, of another kind, or larger than %d bytes: %q", kind, id, maxBytes, line)
		if v.err == nil && verb == "contents" {
			data = make([]byte, size+1)
			_, err = io.ReadFull(v.out, data)
			v.tool(err)
		}
	}
	data = data[:max(len(data), 1)-1]
	if v.err != nil || v.fail(errUnreadable, nameOf(kind, data) != id, "the %s %s holds something else than its name says", kind, id) {
		return nil
	}
	return data
}

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// nameOf is the name that git gives to an object.
func nameOf(kind string, data []byte) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", kind, len(data), data))) //nolint:gosec // see the import
}

var (
	// commitForm is git's headers in git's order: with others, two readers see two commits.
	commitForm = regexp.MustCompile(`^tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)` +
		`author (?:[^<\n\x00]*<([^>\n\x00]*)>)?[^\n\x00]*\ncommitter [^<>\n\x00]*<([^<>\n\x00]*)> (\d{1,12}) [+-]\d+\n` +
		`((?:[!-~]+ [^\n\x00]*\n(?: [^\n\x00]*\n)*)*)\n([^\x00]*)$`)
	repeated  = regexp.MustCompile(`(?m)^(?:tree|parent|author|committer) |(?s:^encoding .*^encoding |^gpgsig .*^gpgsig )`)
	continued = regexp.MustCompile(`\s*\n[ \t]+`)
	trailer   = regexp.MustCompile(`^([A-Za-z0-9-]+):(.*)$`)
	modes     = regexp.MustCompile(`^(100644|100755|120000|160000|40000)$`)
)

// commit is one commit object. Zero is one that cannot be read.
type commit struct {
	id, tree, author, committer string
	parents                     []string
	date                        time.Time
	trailers                    map[string]string
}

func (v *repo) commit(id string) *commit {
	return once(v, "commit "+id, func() *commit {
		m := commitForm.FindStringSubmatch(string(v.object(id, "commit")))
		if v.fail(errUnreadable, m == nil || repeated.MatchString(m[6]), "the commit %s is not as git writes one", id) {
			return &commit{}
		}
		seconds, _ := strconv.ParseInt(m[5], 10, 64)
		parents := strings.Fields(strings.ReplaceAll(m[2], "parent ", ""))
		return &commit{id, m[1], m[3], m[4], parents, time.Unix(seconds, 0).UTC(), trailersOf(m[7])}
	})
}

// parent returns the first parent, or "".
func (c *commit) parent() string { return strings.Join(c.parents[:min(len(c.parents), 1)], "") }

// trailersOf returns the lines "Key: value" of a message's last paragraph, by their keys and by those in lower case. It
// returns none if other lines are among them, or if the paragraph is the subject.
func trailersOf(message string) map[string]string {
	message = strings.TrimRight(message, "\n")
	last, out := strings.LastIndex(message, "\n\n"), map[string]string{}
	for line := range strings.SplitSeq(continued.ReplaceAllString(strings.TrimPrefix(message[max(last, 0):], "\n\n"), " "), "\n") {
		m := trailer.FindStringSubmatch(line)
		if m == nil || last < 0 {
			return nil
		}
		out[m[1]], out[strings.ToLower(m[1])] = strings.TrimSpace(m[2]), strings.TrimSpace(m[2])
	}
	return out
}

const folder = "40000"

// entry is what a tree has under a name; the zero entry is nothing.
type entry struct{ mode, id string }

// file is an entry that is no folder; of a folder it is nothing.
func (e entry) file() entry { return map[bool]entry{false: e}[e.mode == folder] }

func (e entry) isFile() bool { return strings.HasPrefix(e.mode, "100") }

// tree reads a folder whose entries stand as git writes them: known modes, sorted, each name once.
func (v *repo) tree(at entry) map[string]entry {
	if at.mode != folder || at.id == "" {
		return nil
	}
	return once(v, "tree "+at.id, func() map[string]entry {
		out, before := map[string]entry{}, ""
		for raw := v.object(at.id, "tree"); len(raw) > 0; {
			head, rest, ok := bytes.Cut(raw, []byte{0})
			mode, name, _ := strings.Cut(string(head), " ")
			place := name + map[bool]string{true: "/"}[mode == folder]
			wrong := !ok || len(rest) < 20 || !modes.MatchString(mode) || name == "" || strings.Contains(name, "/") || place <= before
			if v.fail(errUnreadable, wrong || out[name] != entry{}, "the tree %s is not as git writes one", at.id) {
				return nil
			}
			out[name], before, raw = entry{mode, fmt.Sprintf("%x", rest[:20])}, place, rest[20:]
		}
		return out
	})
}

// change is a path before and after.
type change struct{ old, new entry }

// diff compares the files of two trees, below the named folders of the root or everywhere.
func (v *repo) diff(a, b string, roots ...string) map[string]change {
	out, seen := map[string]change{}, 0
	var walk func(dir string, a, b entry)
	walk = func(dir string, a, b entry) {
		old, now := v.tree(a), v.tree(b)
		names := slices.Sorted(slices.Values(slices.Concat(sorted(old), sorted(now))))
		for _, name := range slices.Compact(names) {
			if old[name] == now[name] || dir == "" && len(roots) > 0 && !slices.Contains(roots, name) {
				continue
			}
			if seen++; v.fail(errUnreadable, seen > maxPaths, "more than %d paths differ", maxPaths) {
				return
			}
			at := path.Join(dir, name)
			if c := (change{old[name].file(), now[name].file()}); c.old != c.new {
				out[at] = c
			}
			walk(at, old[name], now[name])
		}
	}
	walk("", entry{folder, a}, entry{folder, b})
	return out
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// find returns the entry at a path, or the zero entry.
func (v *repo) find(tree, file string) entry {
	e := entry{folder, tree}
	for name := range strings.SplitSeq(file, "/") {
		e = v.tree(e)[name]
	}
	return e
}

// file reads a regular file; nil if it does not exist.
func (v *repo) file(tree, file string) []byte {
	if e := v.find(tree, file); e.isFile() {
		return v.object(e.id, "blob")
	}
	return nil
}

// signer lets ssh-keygen check a signature and returns whose key made it, nothing where it is not good. Neither
// certificates nor short RSA keys stand for anybody.
func (v *repo) signer(data, armored []byte, namespace string) string {
	var sealed struct {
		Magic   [6]byte
		Version uint32
		Key     []byte
		Rest    []byte `ssh:"rest"`
	}
	block, rest := pem.Decode(armored)
	if v.err != nil || block == nil || len(bytes.TrimSpace(rest)) > 0 || ssh.Unmarshal(block.Bytes, &sealed) != nil {
		return ""
	}
	parsed, _ := ssh.ParsePublicKey(sealed.Key)
	key, plain := parsed.(ssh.CryptoPublicKey)
	if !plain {
		return ""
	}
	if public, is := key.CryptoPublicKey().(*rsa.PublicKey); is && public.N.BitLen() < 2048 {
		return ""
	}
	return once(v, "signed "+namespace+digest(data)+digest(armored), func() string {
		file, allowed := filepath.Join(v.temp, "signature"), filepath.Join(v.temp, "allowed")
		v.tool(os.WriteFile(file, armored, 0o600))
		v.tool(os.WriteFile(allowed, append([]byte("signer "), ssh.MarshalAuthorizedKey(parsed)...), 0o600))
		cmd := exec.Command("ssh-keygen", "-Y", "verify", "-n", namespace, "-f", allowed, "-I", "signer", "-s", file)
		cmd.Env, cmd.Stdin = v.env, bytes.NewReader(data)
		err := cmd.Run()
		v.fail(errTool, cmd.ProcessState == nil, "signatures cannot be checked: %v", err)
		return map[bool]string{true: ssh.FingerprintSHA256(parsed)}[err == nil]
	})
}

// fingerprint is that of a public key, and of any other text the text.
func fingerprint(text string) string {
	if key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text)); err == nil {
		return ssh.FingerprintSHA256(key)
	}
	return text
}
