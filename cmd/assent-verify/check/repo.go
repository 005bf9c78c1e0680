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
	"encoding/json"
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
	"unicode/utf8"

	"golang.org/x/crypto/ssh"
	"gopkg.in/yaml.v3"
)

// Bounds: nothing larger is read, and no chain is followed further.
const (
	maxEvents, maxWalked, maxSkipped = 20_000, 200_000, 256        // of a journal: events up to an announcement, commits from one head, those in a row that are no events
	maxEntries, maxEvent, maxJournal = 256, 32 << 20, 64 << 20     // of an event: files and folders, bytes; bytes of a journal up to an announcement
	maxClaims, maxTold, maxHeld      = 8, 256, 64 << 20            // announcements of one commit at one place: by each person listed, and as many others; all; bytes of objects kept in memory
	maxPaths, maxPath                = 1 << 19, 4096               // that one comparison looks at; bytes of each
	maxText, maxPerson, lastSecond   = 1 << 20, 4096, 253402300799 // of a commit: bytes, those of author and committer, its last date
)

// maxBytes bounds one object by its kind.
var maxBytes = map[string]int{"commit": 64 << 20, "tree": 16 << 20, "blob": 32 << 20}

// repo reads one repository through git. Objects are immutable, so repo caches them. The first
// failure stays in err until it is taken. Later reads return nothing, so that no decision is made
// before.
type repo struct {
	dir, temp string
	env       []string
	cat       *exec.Cmd
	in        io.WriteCloser
	out       *bufio.Reader
	err       error
	known     map[string]any // by kind and name
	held      int            // bytes of the objects that known may hold
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

// once computes a value and caches it, unless something failed.
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
// is fetched. With unsigned, attestations that no human or witness
// signed are believed too, for changes with the approvals of a critical one. Re-anchors count under the accepted keys.
func Open(dir string, unsigned bool, accepted ...string) (*Checker, error) {
	temp, err := os.MkdirTemp("", "assent-verify-")
	v := &repo{dir: dir, temp: temp, known: map[string]any{}, err: err}
	v.env = []string{"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "HOME=" + temp, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_GRAFT_FILE=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0"}
	// The repository's own keys of single protocols outdo protocol.allow, and older gits know no GIT_NO_LAZY_FETCH.
	v.env = append(v.env, "GIT_ALLOW_PROTOCOL=none")
	v.fail(errTool, v.git("rev-parse", "--show-object-format") != "sha1", "objects that are not named by SHA-1 cannot be read")
	v.fail(errTool, promised.MatchString(v.git("config", "--list", "--name-only")), "it is a partial clone, from which git fetches what is missing: verify a full one")
	v.fail(errTool, v.git("rev-parse", "--is-shallow-repository") == "true", "it is a shallow clone: git fetch --unshallow brings the rest")
	if v.err == nil {
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
	cmd := exec.Command("git", append([]string{"-C", v.dir, "-c", "core.fsmonitor=false", "-c", "core.commitGraph=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "protocol.allow=never", "-c", "safe.directory=*"}, args...)...)
	cmd.Env = v.env
	return cmd
}

// git runs one command that ends.
func (v *repo) git(args ...string) string {
	if v.err != nil {
		return ""
	}
	out, err := v.command(args...).Output()
	if exit := (&exec.ExitError{}); errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	v.fail(errUnreadable, err != nil, "git %s: %v", args[0], err)
	return strings.TrimSpace(string(out))
}

// Close ends the programs that were started.
func (v *repo) Close() {
	if v.in != nil {
		_, _ = v.in.Close(), v.cat.Wait()
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
		got, size := "", 0
		_, err := fmt.Fprintf(v.in, "%s %s\n", verb, id)
		line, ended := v.out.ReadString('\n')
		v.fail(errTool, cmp.Or(err, ended) != nil, "git cat-file --batch-command ends (it needs git 2.36 or newer): %v", cmp.Or(err, ended))
		n, _ := fmt.Sscanf(line, id+" %s %d", &got, &size)
		v.fail(errUnreadable, n != 2 || got != kind || size > maxBytes[kind],
			"the %s %s is missing, of another kind, or larger than %d bytes: %q", kind, id, maxBytes[kind], line)
		if v.err == nil && verb == "contents" {
			data = make([]byte, size+1)
			_, err = io.ReadFull(v.out, data)
			v.tool(err)
		}
	}
	data = data[:max(len(data), 1)-1]
	if v.held += len(data); v.held > maxHeld {
		v.known, v.held = map[string]any{}, 0
	}
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

// person is NAME <EMAIL> SECONDS ZONE: of other lines, git's own readers read different parts.
const person = `[^<>\n\x00]*<([^<>\n\x00]*)> (\d{1,12}) [+-]\d+`

var (
	// The reasons why a commit is not in force, and why that cannot be found out.
	errRefused           = errors.New("refused")
	errUnreadable        = errors.New("unreadable")
	errUnverified        = errors.New("unverified")
	errTool              = errors.New("cannot go on")
	objectName, promised = regexp.MustCompile(`^[0-9a-f]{40}$`), regexp.MustCompile(`(?m)^(extensions\.partialclone|remote\..*\.(promisor|partialclonefilter))$`)
	// commitForm is git's headers in git's order: with others, two readers see two commits.
	commitForm         = regexp.MustCompile(`^tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)author (` + person + `)\ncommitter (` + person + `)\n((?:[!-~]+ [^\n\x00]*\n(?: [^\n\x00]*\n)*)*)(?:\n([^\x00]*))?$`)
	repeated, encoding = regexp.MustCompile(`(?m)^(?:tree|parent|author|committer) |^encoding .*\n |(?s:^encoding .*^encoding |^gpgsig .*^gpgsig |^gpgsig-sha256 .*^gpgsig-sha256 )`), regexp.MustCompile(`(?m)^encoding (.*)\n`)
	// asciiName are the charsets in which bytes below 0x80 are ASCII; others may hide text in those.
	asciiName          = regexp.MustCompile(`^(?i:(us-)?ascii|koi8-[ru]|euc-?jp|euc-kr|euc-cn|gb2312|gbk|gb18030|big5|cp936|cp949|cp950|iso_8859-1|latin-?1|latin2|iso-?8859-(1|2|5|15)|(windows-|cp)125[0-2])$`)
	looseForm          = regexp.MustCompile(`^tree [0-9a-fA-F]{40}\n(?:(?:parent 0{40}\n)*parent ([0-9a-fA-F]{40})\n(?:parent [0-9a-fA-F]{40}\n)*(parent .*\n)?|author )`)
	continued, trailer = regexp.MustCompile(`\s*\n[ \t]+`), regexp.MustCompile(`^([A-Za-z0-9-]+):(.*)$`)
	modes, misnamed    = regexp.MustCompile(`^(100644|100755|120000|160000|40000)$`), regexp.MustCompile(`^(\.{0,2}|(?i)\.git)$|/`)
)

// commit is one commit object. Zero is one that cannot be read.
type commit struct {
	id, tree, author, committer string
	parents                     []string
	loose                       bool // malformed, but git and this program read the same first parent
	date                        time.Time
	trailers                    map[string]string
	size                        int // of the message
}

func (v *repo) commit(id string) *commit {
	return once(v, "commit "+id, func() *commit {
		data := v.object(id, "commit")
		m := append(commitForm.FindStringSubmatch(string(data[:min(len(data), maxText)])), make([]string, 10)...)
		charset := append(encoding.FindStringSubmatch(m[9]), "", "UTF-8")[1]
		ascii := asciiName.MatchString(charset) && !bytes.ContainsFunc(data, func(c rune) bool { return c >= utf8.RuneSelf })
		wrote, _ := strconv.ParseInt(m[5], 10, 64)
		date, _ := strconv.ParseInt(m[8], 10, 64)
		wrong := m[1] == "" || len(data) > maxText || repeated.MatchString(m[9]) || !ascii && strings.ToLower(charset) != "utf-8" && strings.ToLower(charset) != "utf8" || max(wrote, date) > lastSecond || max(len(m[3]), len(m[6])) > maxPerson
		if v.fail(errUnreadable, wrong, "the commit %s is not as git writes one", id) {
			links := append(looseForm.FindStringSubmatch(string(data[:min(len(data), maxText)])), "", "", "unreadable")
			return &commit{id: id, parents: strings.Fields(strings.ToLower(links[1])), loose: links[2] == ""}
		}
		return &commit{id, m[1], m[4], m[7], strings.Fields(strings.ReplaceAll(m[2], "parent ", "")), false, time.Unix(date, 0).UTC(), trailersOf(m[10]), len(m[10])}
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

// entry is the entry of a tree under a name; the zero entry is a missing one.
type entry struct{ mode, id string }

// file returns the entry, or the zero entry if it is a folder.
func (e entry) file() entry { return either(e.mode == folder, entry{}, e) }

func (e entry) isFile() bool { return strings.HasPrefix(e.mode, "100") }

// tree reads a folder whose entries are as git writes them: known modes, sorted, each name once, and none
// that cannot be checked out.
func (v *repo) tree(at entry) map[string]entry {
	if at.mode != folder || at.id == "" {
		return nil
	}
	return once(v, "tree "+at.id, func() map[string]entry {
		out, before := map[string]entry{}, ""
		for raw := v.object(at.id, "tree"); len(raw) > 0; {
			head, rest, ok := bytes.Cut(raw, []byte{0})
			mode, name, _ := strings.Cut(string(head), " ")
			place := name + either(mode == folder, "/", "")
			wrong := !ok || len(rest) < 20 || !modes.MatchString(mode) || misnamed.MatchString(name) || place <= before
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
	return v.compare(maxPaths, a, b, roots...)
}

// compare is diff for trees in which at most most files and folders differ.
func (v *repo) compare(most int, a, b string, roots ...string) map[string]change {
	out, seen := map[string]change{}, 0
	var walk func(dir string, a, b entry)
	walk = func(dir string, a, b entry) {
		old, now := v.tree(a), v.tree(b)
		for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(sorted(old), sorted(now))))) {
			if old[name] == now[name] || dir == "" && len(roots) > 0 && !slices.Contains(roots, name) {
				continue
			}
			at := path.Join(dir, name)
			if seen++; v.fail(errUnreadable, seen > most || len(at) > maxPath, "more than %d paths differ, or a path is too long", most) {
				return
			}
			if c := (change{old[name].file(), now[name].file()}); c.old != c.new {
				out[at] = c
			}
			walk(at, old[name], now[name])
		}
	}
	walk("", entry{folder, a}, entry{folder, b})
	return out
}

// either returns a if the condition holds, else b.
func either[T any](condition bool, a, b T) T {
	if condition {
		return a
	}
	return b
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

// signer checks a signature with ssh-keygen and returns the fingerprint of its key, "" if it is
// not good. It accepts neither certificates nor short RSA keys.
func (v *repo) signer(data, armored []byte, namespace string) string {
	var sealed struct {
		Header [10]byte // magic and version
		Key    []byte
		Rest   []byte `ssh:"rest"`
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
		v.tool(cmp.Or(os.WriteFile(file, armored, 0o600), os.WriteFile(allowed, append([]byte("signer "), ssh.MarshalAuthorizedKey(parsed)...), 0o600)))
		cmd := exec.Command("ssh-keygen", "-Y", "verify", "-n", namespace, "-f", allowed, "-I", "signer", "-s", file)
		cmd.Env, cmd.Stdin = v.env, bytes.NewReader(data)
		err := cmd.Run()
		v.fail(errTool, cmd.ProcessState == nil, "signatures cannot be checked: %v", err)
		return either(err == nil, ssh.FingerprintSHA256(parsed), "")
	})
}

// fingerprint returns the fingerprint of a public key, and any other text as it is.
func fingerprint(text string) string {
	if key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text)); err == nil {
		return ssh.FingerprintSHA256(key)
	}
	return text
}

// announcements finds the events by which the journal of a commit's proposal announces it, at its
// ref and where it was folded. Any writer can push commits upon a journal, so commits that are no
// events hide nothing below them.
func (v *Checker) announcements(c *commit) (out [][]*event) {
	id := c.trailers["assent-proposal"]
	heads, sum := []string{v.refs["refs/assent/pulls/"+id]}, fmt.Sprintf("%x", sha1.Sum([]byte(id))) //nolint:gosec // see the import
	for _, ref := range sorted(v.refs) {
		var folded struct {
			V          int
			Name, Head string
		}
		at, line := path.Join(sum[:1], sum[1:2], sum[2:3], id), v.commit(v.refs[ref])
		written := strings.HasPrefix(ref, "refs/assent/closed/") && line.trailers["assent-fold"] == "1" && v.find(line.tree, at).mode == "100644"
		if written && json.Unmarshal(v.file(line.tree, at), &folded) == nil && folded.V == 1 && folded.Name == id {
			heads = append(heads, folded.Head)
		}
		v.pass(errUnreadable)
	}
	for _, at := range heads {
		var told []*event
		for begun, skipped, n := false, 0, 0; at != "" && skipped <= maxSkipped && n < maxWalked; at, n = v.commit(at).parent(), n+1 {
			e := v.event(at)
			if v.pass(errUnreadable) {
				if skipped++; begun {
					break // below the first event are commits of the proposal
				}
				continue
			}
			begun, skipped = begun || e.sequence == 1, 0
			if e.kind == "merging" && e.trailers["Commit"] == c.id {
				told = append(told, e)
			}
		}
		v.pass(errUnreadable)
		slices.Reverse(told)
		out = append(out, told[:min(len(told), maxTold)])
	}
	return out
}

// event is one event of a proposal's journal.
type event struct {
	*commit
	kind     string
	sequence int
	at       time.Time
}

// naming are the fields of events that must name a commit.
var naming = map[string][]string{"opened": {"Head"}, "pushed": {"Head"}, "review": {"Head"}, "report": {"Head", "Base-Commit"}, "merging": {"Commit"}, "merged": {"Commit"}}

// event reads one event without its files.
func (v *Checker) event(id string) *event {
	return once(v.repo, "event "+id, func() *event {
		c := v.commit(id)
		at, err := time.Parse(time.RFC3339Nano, c.trailers["Assent-At"])
		sequence, _ := strconv.Atoi(c.trailers["Assent-Sequence"])
		kind := c.trailers["Assent-Event"]
		formed := err == nil && sequence > 0 && c.trailers["Assent-Journal"] == "1" && kind != "" && c.trailers["Assent-By"] != ""
		nameless := slices.ContainsFunc(naming[kind], func(field string) bool { return !objectName.MatchString(c.trailers[field]) })
		v.fail(errUnreadable, !formed || nameless || (kind == "opened") != (sequence == 1), "%s is no event of a journal", id)
		return &event{c, kind, sequence, at}
	})
}

// bytes are those of an event. All of its files must be there, and be of a size that is read.
func (v *Checker) bytes(e *event) int {
	return once(v.repo, "bytes "+e.id, func() int {
		n := 0
		for file, f := range v.compare(maxEntries, "", e.tree) {
			n += len(v.file(e.tree, file))
			v.fail(errUnreadable, f.new.mode != "100644" || n > maxEvent, "event %s has an entry that is no regular file, or too many bytes", e.id)
		}
		return n + e.size
	})
}

// before reads the events before an announcement, the oldest first. Where they make no sense it returns none.
func (v *Checker) before(id string, at *event) (events []*event) {
	for left := maxJournal - v.bytes(at); ; left -= v.bytes(at) {
		if v.pass(errUnreadable) || left < 0 || len(events) == maxEvents {
			return nil
		}
		if at.sequence == 1 {
			break
		}
		e := v.event(at.parent())
		if v.pass(errUnreadable) || e.sequence != at.sequence-1 {
			return nil
		}
		at, events = e, append(events, e)
	}
	slices.Reverse(events)
	merged := ""
	for _, e := range events {
		stray := e.kind == "opened" && (e.trailers["Branch"] != "proposal/"+id || e.trailers["Base"] != "main")
		final := e.kind == "closed" || e.kind == "reopened" || e.kind == "merged" && merged != e.trailers["Commit"]
		if stray || merged != "" && final {
			return nil
		}
		merged = either(e.kind == "merged", e.trailers["Commit"], merged)
	}
	return events
}

// actor is a person as the journal names them. Nothing proves it.
type actor struct{ Name, Login, Email, Key string }

// actors are those who opened or pushed, those who are behind it, and who ran the session. The zero actor is unknown.
func (v *Checker) actors(e *event) []actor {
	by, behind := actor{}, []actor{}
	if json.Unmarshal(v.file(e.tree, "actor.json"), &by) != nil {
		by = actor{Name: e.trailers["Assent-By"]}
	}
	if data := v.file(e.tree, "behind.json"); data != nil && (json.Unmarshal(data, &behind) != nil || len(behind) == 0) {
		behind = []actor{{}}
	}
	var made struct{ Session struct{ Email, Key string } }
	if json.Unmarshal(v.file(e.tree, "provenance.json"), &made) == nil && made.Session.Email+made.Session.Key != "" {
		behind = append(behind, actor{Email: made.Session.Email, Key: made.Session.Key})
	}
	return append(behind, by)
}

// review is one decision, with the key that signed it.
type review struct {
	V                                                             int
	Workspace, Proposal, Head, Tree, Decision, Reason, Nonce, key string
	At                                                            time.Time
}

// review reads the record of a review. One that is about something else has no key.
func (v *Checker) review(proposal string, e *event) (out review) {
	data := v.file(e.tree, "review.json")
	if e.kind == "review" && json.Unmarshal(data, &out) == nil && out.V == 1 && out.Workspace == v.genesis && out.Proposal == proposal {
		out.key = v.signer(data, v.file(e.tree, "review.sig"), "assent-review")
	}
	return out
}

// identity is one entry of roles.yaml.
type identity struct {
	Keys, Emails []string
	Logins       map[string]string
	Owner, Until string
	Revoked      []struct{ Key string }
}

// need is a number of approvals by those who hold a role.
type need struct {
	Role  string
	Count int
}

// policies are the policies that judge a merge, as far as their demands can be derived here. They
// are trusted to be well-formed: validation found no error when they were merged.
type policies struct {
	ids, People, Agents  map[string]identity // all; the sections of roles.yaml
	Roles                map[string][]string
	byKey, revoked       map[string]string // names by key
	marks                map[string]string // names by anything that is or was theirs, in lower case
	Tiers                map[string][]need
	Checks               []any // required checks; whether they passed is taken from the attestation
	Attestations, Expiry string
	Default              string            // the mode in autonomy.yaml
	Kinds                map[string]string // the modes by kind
	expiry               time.Duration     // of a request for approval, and of an approval
}

const human, lead, witness, folder = "human", "lead", "witness", "40000"

var units = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}

// policies reads the policies of a tree. A file that cannot be used is replaced by the strictest.
func (v *Checker) policies(tree string) *policies {
	p := &policies{ids: map[string]identity{}, byKey: map[string]string{}, revoked: map[string]string{}, marks: map[string]string{}}
	var roles policies
	if yaml.Unmarshal(v.file(tree, "policies/roles.yaml"), &roles) == nil {
		p.Roles = roles.Roles
		p.add(roles.People)
		p.add(roles.Agents)
	}
	if yaml.Unmarshal(v.file(tree, "policies/approvals.yaml"), p) != nil || len(p.Tiers) != 4 {
		p.Tiers = map[string][]need{"low": {{human, 1}}, "medium": {{human, 1}}, "high": {{human, 2}}, "critical": {{human, 2}}}
	}
	_ = yaml.Unmarshal(v.file(tree, "policies/autonomy.yaml"), p)
	_ = yaml.Unmarshal(v.file(tree, "policies/security.yaml"), p)
	_ = yaml.Unmarshal(v.file(tree, "policies/limits.yaml"), p)
	n, unit := 0, ""
	_, _ = fmt.Sscanf(cmp.Or(p.Expiry, "7d"), "%d%s", &n, &unit)
	p.expiry = time.Duration(n) * units[unit]
	return p
}

// add records the keys, emails and logins of people or agents.
func (p *policies) add(section map[string]identity) {
	for name, id := range section {
		p.ids[name] = id
		marks := slices.Concat(id.Keys, id.Emails, slices.Collect(maps.Values(id.Logins)))
		for _, gone := range id.Revoked {
			marks, p.revoked[fingerprint(gone.Key)] = append(marks, gone.Key), name
		}
		for _, mark := range marks {
			p.marks[strings.ToLower(fingerprint(mark))] = name
		}
		for _, key := range id.Keys {
			p.byKey[fingerprint(key)] = name
		}
	}
}

func (p *policies) has(name, role string) bool {
	return slices.Contains(p.Roles[role], name) || role == lead && slices.Contains(p.Roles[human], name)
}

// possible returns all names that some actors may have; a journal proves none of them.
func (p *policies) possible(actors []actor) (out []string) {
	for _, a := range actors {
		out = append(out, a.Name)
		for _, mark := range []string{a.Key, a.Email, a.Login} {
			out = append(out, p.marks[strings.ToLower(mark)])
		}
	}
	return slices.DeleteFunc(out, func(name string) bool { _, known := p.ids[name]; return !known })
}

// lost reports whether later policies revoke every key of a person who has no account.
func (p *policies) lost(name string, later *policies) bool {
	id := p.ids[name]
	return len(id.Logins) == 0 && len(id.Keys)+len(id.Revoked) > 0 && !slices.ContainsFunc(id.Keys, func(key string) bool { return later.revoked[fingerprint(key)] != name })
}

func (id identity) expired(at time.Time) bool {
	return id.Until != "" && at.UTC().Format(time.DateOnly) >= id.Until
}

var (
	filesKey  = regexp.MustCompile(`(?m)^files:(?: \[\])?\n(?:  - [\w./"-]+\n)*`)
	entryForm = regexp.MustCompile(`(?m)^### Capability: ([a-z0-9-]+)\n\*\*Learned\*\*: \d{4}-\d\d-\d\d · ` +
		`\*\*Status\*\*: \w+ · \*\*Verified By\*\*: assent\n\n\*\*Description\*\*: (.+)\n\n\*\*Usage\*\*:\n` +
		`(?:Load the skill [a-z0-9-]+ and follow it|Call by name: [a-z0-9_]+\(…\))\.\n\n+`)
	emptyList = regexp.MustCompile(`\n*## Learned Capabilities\n\s*(\z|#{1,2} )`)
)

func isSoul(p string) bool { return strings.HasPrefix(p, "soul/") && path.Base(p) == "SOUL.md" }

// effect returns the digest of a head's changes since it left the main that the merge goes into.
func (v *Checker) effect(m *claim, head string) string {
	base, _ := v.branch(m.rare, m.Base, head)
	return digest([]byte(strings.Join(v.footprint(base.tree, v.commit(head).tree), "")))
}

// footprint lists the changes between two trees: a line for each path, without text that the
// engine writes. Reviews are bound to its digest.
func (v *repo) footprint(from, to string, roots ...string) (out []string) {
	for p, c := range v.diff(from, to, roots...) {
		before, after := v.stripped(from, p, c.old), v.stripped(to, p, c.new)
		if before != after || c.old.mode != c.new.mode {
			out = append(out, fmt.Sprintf("%q %s %s %s %s\n", p, cmp.Or(c.old.mode, "000000"), before, cmp.Or(c.new.mode, "000000"), after))
		}
	}
	slices.Sort(out)
	return out
}

// stripped returns the name of a file's content without the files list of a proposal or the
// engine's own entries of a learned list.
func (v *repo) stripped(tree, file string, e entry) string {
	proposal := strings.HasPrefix(file, "proposals/") && strings.HasSuffix(file, ".md")
	if !e.isFile() || !isSoul(file) && !proposal {
		return cmp.Or(e.id, strings.Repeat("0", 40))
	}
	data := v.file(tree, file)
	if isSoul(file) {
		data = v.withoutLearned(tree, string(data))
	} else if at := filesKey.FindIndex(front(data)); at != nil { // anything else in front stays, and so is bound
		data = slices.Concat(data[:4+at[0]], data[4+at[1]:])
	}
	return nameOf("blob", data)
}

// front is the YAML between the first two lines of dashes.
func front(data []byte) []byte {
	if head, _, ok := bytes.Cut(data, []byte("\n---\n")); ok && len(head) > 4 && bytes.HasPrefix(data, []byte("---\n")) {
		return data[4 : len(head)+1]
	}
	return nil
}

// withoutLearned drops the entries that the engine wrote: each describes a skill of the same tree as that does
// itself. It also drops the heading of a list that holds nothing else.
func (v *repo) withoutLearned(tree, text string) []byte {
	text = strings.ReplaceAll(strings.Trim(text, " \t\r\n"), "\r\n", "\n") + "\n\n"
	text = entryForm.ReplaceAllStringFunc(text, func(item string) string {
		m := entryForm.FindStringSubmatch(item)
		for _, group := range append(sorted(v.tree(v.find(tree, "skills"))), "") {
			var skill struct{ Description string }
			head := front(v.file(tree, path.Join("skills", group, m[1], "SKILL.md")))
			if yaml.Unmarshal(head, &skill) == nil && strings.Join(strings.Fields(skill.Description), " ") == m[2] {
				return ""
			}
		}
		return item
	})
	return []byte(strings.Trim(emptyList.ReplaceAllString(text, "\n\n$1"), " \t\r\n"))
}
