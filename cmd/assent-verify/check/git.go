// Package check decides which commit of a workspace is in force, from git's output alone.
//
// It is the second implementation of the rules that docs/gate.md describes, and must never
// import the engine. docs/verify.md says what it checks and what it takes on trust.
package check

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha1" //nolint:gosec // Git names objects by it.
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
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
)

// Bounds: nothing larger is read, and no chain is followed further.
const (
	maxBytes   = 4 << 20 // of one object
	maxEvents  = 20_000  // of one journal
	maxSkipped = 256     // commits upon a journal that are no events
	maxPaths   = 1 << 17 // that one comparison looks at
	maxCommits = 1 << 20 // of main, and of one branch
)

// The reasons why a commit is not in force. Any other error means that it could not be found out.
var (
	errRefused    = errors.New("refused")
	errUnreadable = errors.New("unreadable")
	errUnverified = errors.New("unverified")
	objectName    = regexp.MustCompile(`^[0-9a-f]{40}$`)
	// commitForm is git's headers in git's order: with others, two readers see two commits.
	commitForm = regexp.MustCompile(`^tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)` +
		`author [^<>\n\x00]*<([^<>\n\x00]*)> \d{1,12} [+-]\d{4}\ncommitter [^<>\n\x00]*<([^<>\n\x00]*)> (\d{1,12}) [+-]\d{4}\n` +
		`(?:(?:encoding|gpgsig|gpgsig-sha256|mergetag) [^\n\x00]*\n(?: [^\n\x00]*\n)*)*\n([^\x00]*)$`)
	signedForm = regexp.MustCompile(`(?s)^(.*?\n)gpgsig ((?:[^\n]*\n )*[^\n]*\n)(.*)$`)
	modes      = regexp.MustCompile(`^(100644|100755|120000|160000|40000)$`)
	trailer    = regexp.MustCompile(`^([A-Za-z0-9-]+):(.*)$`)
	// fold is where a line goes on, with the space around it.
	fold = regexp.MustCompile(`[\t\v\f\r \x{85}\p{Z}]*(?:\n[ \t][\t\v\f\r \x{85}\p{Z}]*)+`)
)

// repo reads one repository through git. What it reads is immutable, and so is cached. The first failure
// stays in err until it is taken; what is read after it is empty, so that nobody decides before taking it.
type repo struct {
	dir, temp string
	env       []string
	cat       *exec.Cmd
	in        io.WriteCloser
	out       *bufio.Reader
	err       error
	known     map[string]any // by kind and name, or by question to a program
}

// fail notes why nothing can be said or a commit is refused, where failed is set, and returns failed.
func (r *repo) fail(kind error, failed bool, format string, args ...any) bool {
	if failed && r.err == nil {
		r.err = fmt.Errorf("%w: "+format, append([]any{kind}, args...)...)
	}
	return failed
}

func (r *repo) world(err error) { r.fail(err, err != nil, "assent-verify cannot go on") }

func (r *repo) take() (err error) {
	err, r.err = r.err, nil
	return err
}

// pass drops a failure of a kind, and reports whether there was one.
func (r *repo) pass(kind error) bool { return errors.Is(r.err, kind) && r.take() != nil }

// once computes what is not known yet, and keeps it unless something failed.
func once[T any](r *repo, key string, compute func() T) T {
	value, done := r.known[key].(T)
	if !done {
		if value = compute(); r.err == nil {
			r.known[key] = value
		}
	}
	return value
}

// Open starts one cat-file that answers all questions. No hook, filter, include, replacement or graft is
// obeyed, nothing is fetched, and what merge-tree writes goes to a temporary folder. With unsigned, what cannot
// be derived is also taken from attestations that nobody vouches for, where the change is approved as a critical one.
// Re-anchors count under the accepted keys.
func Open(dir string, unsigned bool, accepted ...string) (*Checker, error) {
	temp, err := os.MkdirTemp("", "assent-verify-")
	r := &repo{dir: dir, temp: temp, known: map[string]any{}, err: err}
	r.env = []string{"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "HOME=" + temp, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_GRAFT_FILE=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0"}
	var major, minor int
	version, objects := r.git("version"), r.git("rev-parse", "--path-format=absolute", "--git-path", "objects")
	if _, _ = fmt.Sscanf(version, "git version %d.%d", &major, &minor); major < 2 || major == 2 && minor < 38 {
		r.world(fmt.Errorf("%q is too old: git 2.38 is the first with merge-tree --write-tree", version))
	}
	r.fail(errors.New("only sha1 is known"), r.git("rev-parse", "--show-object-format") != "sha1", "the objects have another format")
	own, quote := filepath.Join(temp, "objects"), strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	r.env = append(r.env, "GIT_OBJECT_DIRECTORY="+own, `GIT_ALTERNATE_OBJECT_DIRECTORIES="`+quote.Replace(objects)+`"`)
	if r.world(os.Mkdir(own, 0o700)); r.err == nil {
		r.cat = r.command("cat-file", "--batch-command")
		r.in, err = r.cat.StdinPipe()
		out, piped := r.cat.StdoutPipe()
		r.out = bufio.NewReader(out)
		r.world(cmp.Or(err, piped, r.cat.Start()))
	}
	if err := r.take(); err != nil {
		r.Close()
		return nil, err
	}
	return &Checker{repo: r, unsigned: unsigned, accepted: accepted}, nil
}

func (r *repo) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false",
		"-c", "core.commitGraph=false", "-c", "core.attributesFile=" + os.DevNull, "-c", "protocol.allow=never",
		"-c", "merge.renames=false", "-c", "safe.directory=*"}, args...)...)
	cmd.Env = r.env
	return cmd
}

// git runs one command that ends. That a merge has conflicts is no failure.
func (r *repo) git(args ...string) string {
	cmd := r.command(args...)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil && (args[0] != "merge-tree" || cmd.ProcessState.ExitCode() != 1) {
		r.world(fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(problem.String())))
	}
	return strings.TrimSpace(string(out))
}

// Close ends the programs that were started.
func (r *repo) Close() {
	if r.in != nil {
		_ = r.in.Close()
		_ = r.cat.Wait()
	}
	_ = os.RemoveAll(r.temp)
}

// object reads an object once its kind and size are known to fit, and checks that its name is its content's.
func (r *repo) object(id, kind string) (data []byte) {
	r.fail(errUnreadable, !objectName.MatchString(id), "%q names no object", id)
	for _, verb := range []string{"info", "contents"} {
		if r.err != nil {
			return nil
		}
		var got string
		var size int
		_, err := fmt.Fprintf(r.in, "%s %s\n", verb, id)
		line, ended := r.out.ReadString('\n')
		err = cmp.Or(err, ended)
		r.fail(err, err != nil, "git cat-file ended")
		n, _ := fmt.Sscanf(line, id+" %s %d", &got, &size)
		r.fail(errUnreadable, n != 2 || got != kind || size > maxBytes,
			"the %s %s is missing, of another kind, or larger than %d bytes: %q", kind, id, maxBytes, line)
		if r.err == nil && verb == "contents" {
			data = make([]byte, size+1)
			_, err = io.ReadFull(r.out, data)
			r.world(err)
		}
	}
	data = data[:max(len(data), 1)-1]
	if r.err != nil || r.fail(errUnreadable, nameOf(kind, data) != id, "the %s %s holds something else than its name says", kind, id) {
		return nil
	}
	return data
}

// nameOf is the name that git gives to an object.
func nameOf(kind string, data []byte) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", kind, len(data), data))) //nolint:gosec // see the import
}

// commit is one commit object. Zero is one that cannot be read.
type commit struct {
	id, tree, author, committer, message string
	parents                              []string
	date                                 time.Time
}

func (r *repo) commit(id string) *commit {
	return once(r, "commit "+id, func() *commit {
		m := commitForm.FindStringSubmatch(string(r.object(id, "commit")))
		if r.fail(errUnreadable, m == nil, "the commit %s is not as git writes one", id) {
			return &commit{}
		}
		seconds, _ := strconv.ParseInt(m[5], 10, 64)
		parents := strings.Fields(strings.ReplaceAll(m[2], "parent ", ""))
		return &commit{id, m[1], m[3], m[4], m[6], parents, time.Unix(seconds, 0).UTC()}
	})
}

// parent returns the first parent, or "".
func (c *commit) parent() string { return strings.Join(c.parents[:min(len(c.parents), 1)], "") }

// trailers are the lines "Key: value" of a message's last paragraph, which holds nothing else.
func (c *commit) trailers() (out [][2]string) {
	message := strings.TrimRight(c.message, "\n")
	cut := strings.LastIndex(message, "\n\n")
	if cut < 0 {
		return nil
	}
	for line := range strings.SplitSeq(fold.ReplaceAllString(message[cut+2:], " "), "\n") {
		m := trailer.FindStringSubmatch(line)
		if m == nil {
			return nil
		}
		out = append(out, [2]string{m[1], strings.TrimSpace(m[2])})
	}
	return out
}

func (c *commit) trailer(key string) (value string) {
	for _, t := range c.trailers() {
		if strings.EqualFold(t[0], key) {
			value = t[1]
		}
	}
	return value
}

const folder = "40000"

// entry is what a tree has under a name; the zero entry is nothing.
type entry struct{ mode, id string }

// file is an entry that is no folder; of a folder it is nothing.
func (e entry) file() entry {
	if e.mode == folder {
		return entry{}
	}
	return e
}

func (e entry) isFile() bool { return strings.HasPrefix(e.mode, "100") }

// tree reads a folder whose entries stand as git writes them: known modes, sorted, each name once.
func (r *repo) tree(at entry) map[string]entry {
	if at.mode != folder || at.id == "" {
		return nil
	}
	return once(r, "tree "+at.id, func() map[string]entry {
		out, before := map[string]entry{}, ""
		for raw := r.object(at.id, "tree"); len(raw) > 0; {
			head, rest, ok := bytes.Cut(raw, []byte{0})
			mode, name, _ := strings.Cut(string(head), " ")
			place := name + map[bool]string{true: "/"}[mode == folder]
			wrong := !ok || len(rest) < 20 || !modes.MatchString(mode) || name == "" || strings.Contains(name, "/") || place <= before
			if r.fail(errUnreadable, wrong || out[name] != entry{}, "the tree %s is not as git writes one", at.id) {
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
func (r *repo) diff(a, b string, roots ...string) map[string]change {
	out, seen := map[string]change{}, 0
	var walk func(dir string, a, b entry)
	walk = func(dir string, a, b entry) {
		both := map[string]change{}
		for name, e := range r.tree(a) {
			both[name] = change{old: e}
		}
		for name, e := range r.tree(b) {
			both[name] = change{both[name].old, e}
		}
		for name, c := range both {
			if c.old == c.new || dir == "" && len(roots) > 0 && !slices.Contains(roots, name) {
				continue
			}
			if seen++; r.fail(errUnreadable, seen > maxPaths, "more than %d paths differ", maxPaths) {
				return
			}
			at := path.Join(dir, name)
			if old, now := c.old.file(), c.new.file(); old != now {
				out[at] = change{old, now}
			}
			walk(at, c.old, c.new)
		}
	}
	walk("", entry{folder, a}, entry{folder, b})
	return out
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// find returns the entry at a path, or the zero entry.
func (r *repo) find(tree, file string) entry {
	e := entry{folder, tree}
	for name := range strings.SplitSeq(file, "/") {
		e = r.tree(e)[name]
	}
	return e
}

// file reads a regular file; nil if it does not exist. It is kept if it is small.
func (r *repo) file(tree, file string) []byte {
	e := r.find(tree, file)
	if !e.isFile() {
		return nil
	}
	data, done := r.known["blob "+e.id].([]byte)
	if !done {
		if data = r.object(e.id, "blob"); r.err == nil && len(data) < 16<<10 {
			r.known["blob "+e.id] = data
		}
	}
	return data
}

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// wire cuts the first string off SSH's wire format.
func wire(b []byte) (value, rest []byte) {
	if len(b) < 4 || uint64(binary.BigEndian.Uint32(b)) > uint64(len(b)-4) {
		return nil, nil
	}
	n := binary.BigEndian.Uint32(b) + 4
	return b[4:n], b[n:]
}

var strongKeys = regexp.MustCompile(`^(ssh-ed25519|ecdsa-sha2-nistp(256|384|521)|` +
	`sk-ssh-ed25519@openssh\.com|sk-ecdsa-sha2-nistp256@openssh\.com)$`)

// keyOf is the type and fingerprint of a public key, empty where it is too weak to stand for anybody.
func keyOf(blob []byte) (kind, fingerprint string) {
	name, rest := wire(blob)
	_, rest = wire(rest)
	n, _ := wire(rest)
	n = bytes.TrimLeft(n, "\x00")
	strong := len(n) > 256 || len(n) == 256 && n[0]&0x80 != 0 // 2048 bits of RSA
	if kind = string(name); !strongKeys.MatchString(kind) && (kind != "ssh-rsa" || !strong) {
		return "", ""
	}
	sum := sha256.Sum256(blob)
	return kind, "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// signer lets ssh-keygen check a signature and returns whose key made it, nothing where it is not good.
func (v *Checker) signer(data, armored []byte, namespace string) string {
	block, rest := pem.Decode(armored)
	if v.err != nil || block == nil || len(bytes.TrimSpace(rest)) > 0 || !bytes.HasPrefix(armored, []byte("-----BEGIN")) ||
		!bytes.HasPrefix(block.Bytes, []byte("SSHSIG\x00\x00\x00\x01")) {
		return ""
	}
	blob, _ := wire(block.Bytes[10:])
	kind, fingerprint := keyOf(blob)
	if fingerprint == "" {
		return ""
	}
	return once(v.repo, "signed "+namespace+digest(data)+digest(armored), func() string {
		signature, allowed := filepath.Join(v.temp, "signature"), filepath.Join(v.temp, "allowed")
		v.world(os.WriteFile(signature, armored, 0o600))
		v.world(os.WriteFile(allowed, []byte("signer "+kind+" "+base64.StdEncoding.EncodeToString(blob)+"\n"), 0o600))
		cmd := exec.Command("ssh-keygen", "-Y", "verify", "-n", namespace, "-f", allowed, "-I", "signer", "-s", signature)
		cmd.Env, cmd.Stdin = v.env, bytes.NewReader(data)
		err := cmd.Run()
		v.fail(fmt.Errorf("ssh-keygen: %w", cmp.Or(err, errUnreadable)), cmd.ProcessState == nil, "signatures cannot be checked")
		return map[bool]string{true: fingerprint}[err == nil]
	})
}

// fingerprint is that of a key in roles.yaml: itself, or a whole public key.
func fingerprint(text string) string {
	if keyShape.MatchString(text) {
		return text
	}
	parts := strings.Fields(text)
	if len(parts) < 2 || strings.ContainsAny(text, "\r\n") {
		return ""
	}
	blob, _ := base64.StdEncoding.DecodeString(parts[1])
	if kind, print := keyOf(blob); kind == parts[0] {
		return print
	}
	return ""
}
