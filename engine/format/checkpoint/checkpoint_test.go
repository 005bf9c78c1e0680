package checkpoint_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/format/review"
)

func point() checkpoint.Checkpoint {
	return checkpoint.Checkpoint{
		V: checkpoint.Version, Workspace: tree.Hash{1}, At: time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC), Engine: "0.1.0",
		Main: tree.Hash{2}, Commits: 3, InForce: tree.Hash{2},
		Journals: []checkpoint.Journal{{Ref: "refs/assent/pulls/a", Head: tree.Hash{3}, Events: 4}, {Ref: "refs/assent/pulls/b", Head: tree.Hash{4}, Events: 1}},
		Folds:    []checkpoint.Fold{{Ref: "refs/assent/closed/2026", Head: tree.Hash{5}}},
	}
}

func signer(t *testing.T) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRoundTrip(t *testing.T) {
	s := signer(t)
	text, err := checkpoint.Sign(point(), s)
	if err != nil {
		t.Fatal(err)
	}
	got, key, err := checkpoint.Open(text)
	if err != nil || key != review.FingerprintOf(s.PublicKey()) {
		t.Fatalf("%v, %v", key, err)
	}
	if diff := cmp.Diff(point(), got); diff != "" {
		t.Error(diff)
	}
}

// TestEveryByteIsSigned: changing any byte of the signed part is detected.
func TestEveryByteIsSigned(t *testing.T) {
	text, err := checkpoint.Sign(point(), signer(t))
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.Index(text, []byte("-----BEGIN"))
	for i := range end {
		changed := bytes.Clone(text)
		changed[i] ^= 1
		if _, _, err := checkpoint.Open(changed); err == nil {
			t.Errorf("byte %d (%q) can be changed", i, text[i])
		}
	}
	for name, bad := range map[string][]byte{
		"no signature": text[:end], "signature only": text[end:], "empty": nil,
		"more behind it": append(bytes.Clone(text), "more\n"...), "more before it": append([]byte("{}\n"), text...),
	} {
		if _, _, err := checkpoint.Open(bad); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestNamespace: the signature of a review or a commit is not valid for a checkpoint.
func TestNamespace(t *testing.T) {
	data, err := point().Encode()
	if err != nil {
		t.Fatal(err)
	}
	sig, err := review.SignCommit(data, signer(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := checkpoint.Open(append(data, sig...)); err == nil {
		t.Error("a commit's signature counts for a checkpoint")
	}
}

func TestCheck(t *testing.T) {
	for name, spoil := range map[string]func(*checkpoint.Checkpoint){
		"version":   func(c *checkpoint.Checkpoint) { c.V = 2 },
		"workspace": func(c *checkpoint.Checkpoint) { c.Workspace = tree.Hash{} },
		"commits":   func(c *checkpoint.Checkpoint) { c.Commits = 0 },
		"time":      func(c *checkpoint.Checkpoint) { c.At = c.At.Add(time.Nanosecond) },
		"order":     func(c *checkpoint.Checkpoint) { c.Journals[0], c.Journals[1] = c.Journals[1], c.Journals[0] },
		"twice":     func(c *checkpoint.Checkpoint) { c.Journals[1].Ref = c.Journals[0].Ref },
		"events":    func(c *checkpoint.Checkpoint) { c.Journals[0].Events = 0 },
		"fold":      func(c *checkpoint.Checkpoint) { c.Folds[0].Head = tree.Hash{} },
		"no lists":  func(c *checkpoint.Checkpoint) { c.Folds = nil },
	} {
		c := point()
		spoil(&c)
		if _, err := checkpoint.Sign(c, signer(t)); err == nil {
			t.Errorf("%s: signed", name)
		}
	}
}

func TestOpenSSHVerifies(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed: interoperability with OpenSSH is not tested")
	}
	s, dir := signer(t), t.TempDir()
	text, err := checkpoint.Sign(point(), s)
	if err != nil {
		t.Fatal(err)
	}
	data, sig, _ := strings.Cut(string(text), "-----BEGIN")
	for name, content := range map[string]string{
		"sig": "-----BEGIN" + sig, "allowed": "ada namespaces=\"" + review.CheckpointNamespace + "\" " + string(ssh.MarshalAuthorizedKey(s.PublicKey())),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("ssh-keygen", "-Y", "verify", "-f", "allowed", "-I", "ada", "-n", review.CheckpointNamespace, "-s", "sig")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(data)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
