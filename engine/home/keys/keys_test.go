package keys_test

import (
	"context"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/home/keys"
)

func TestGenerateAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "id_ed25519")
	public, err := keys.Generate(path, "ann\n at  home", nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := keys.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Fingerprint() != review.FingerprintOf(public) || len(s.Warnings) > 0 {
		t.Errorf("loaded %s with warnings %q", s.Fingerprint(), s.Warnings)
	}
	line, err := os.ReadFile(path + ".pub")
	if err != nil || string(line) != s.AuthorizedKey()+" ann at home\n" {
		t.Errorf("public key file %q, %v", line, err)
	}
	if runtime.GOOS != "windows" {
		for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
			if info, err := os.Stat(p); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", p, info.Mode(), err)
			}
		}
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Generate(path, "again", nil); !errors.Is(err, keys.ErrExists) {
		t.Errorf("overwriting: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Error("the key was touched")
	}
}

// TestGenerateBesidePrivateKey: a private key without its public half is not overwritten, and
// no stray public key remains beside it.
func TestGenerateBesidePrivateKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Generate(path, "", nil); !errors.Is(err, keys.ErrExists) {
		t.Error(err)
	}
	if _, err := os.Stat(path + ".pub"); !errors.Is(err, os.ErrNotExist) {
		t.Error("a public key was left behind")
	}
}

func TestEncrypted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	public, err := keys.Generate(path, "", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	answer := func(s string) keys.Passphrase { return func() ([]byte, error) { return []byte(s), nil } }
	if s, err := keys.Load(path, answer("secret")); err != nil || s.Fingerprint() != review.FingerprintOf(public) {
		t.Error(err)
	}
	for name, ask := range map[string]keys.Passphrase{"wrong": answer("guess"), "nobody to ask": nil} {
		if _, err := keys.Load(path, ask); !errors.Is(err, keys.ErrPassphrase) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := keys.Public(path); err != nil || review.FingerprintOf(got) != review.FingerprintOf(public) {
		t.Errorf("the public key needs no passphrase: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		spec string
		want error
	}{
		"missing":   {filepath.Join(dir, "none"), keys.ErrMissing},
		"text":      {write("text", "hello"), keys.ErrNotKey},
		"empty":     {write("empty", ""), keys.ErrNotKey},
		"huge":      {write("huge", strings.Repeat("x", 1<<20)), keys.ErrNotKey},
		"directory": {dir, keys.ErrNotKey},
	} {
		if _, err := keys.Load(c.spec, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMissingKeyNamesAnother: the error names a key of another name that exists.
func TestMissingKeyNamesAnother(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "bob")
	if _, err := keys.Generate(other, "bob", nil); err != nil {
		t.Fatal(err)
	}
	_, err := keys.Load(filepath.Join(dir, keys.DefaultName), nil)
	if !errors.Is(err, keys.ErrMissing) || !strings.Contains(err.Error(), "ASSENT_KEY, such as "+other) {
		t.Errorf("Load of a missing key: %v", err)
	}
}

func TestOpenPermissionsWarn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	path := filepath.Join(t.TempDir(), "key")
	if _, err := keys.Generate(path, "", nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := keys.Load(path, nil)
	if err != nil || len(s.Warnings) != 1 {
		t.Errorf("%v, %v", s, err)
	}
}

// serveAgent runs the library's own agent on a socket.
func serveAgent(t *testing.T, add ...any) {
	t.Helper()
	ring := agent.NewKeyring()
	for _, key := range add {
		if err := ring.Add(agent.AddedKey{PrivateKey: key, Comment: "on the agent"}); err != nil {
			t.Fatal(err)
		}
	}
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Skipf("no unix sockets here: %v", err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				// The error only says that the client hung up.
				_ = agent.ServeAgent(ring, conn)
			}()
		}
	}()
	t.Setenv("SSH_AUTH_SOCK", socket)
}

func newKey(t *testing.T) (ed25519.PrivateKey, ssh.PublicKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return private, key
}

func TestAgent(t *testing.T) {
	private, public := newKey(t)
	serveAgent(t, private)
	pub := filepath.Join(t.TempDir(), "key.pub")
	if err := os.WriteFile(pub, ssh.MarshalAuthorizedKey(public), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{keys.AgentSpec, pub} {
		if key, err := keys.Public(spec); err != nil || review.FingerprintOf(key) != review.FingerprintOf(public) {
			t.Errorf("Public(%q): %v", spec, err)
		}
		s, err := keys.Load(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := review.SignCommit([]byte("payload"), s)
		if err != nil {
			t.Fatal(err)
		}
		if key, err := review.VerifyCommit([]byte("payload"), signed); err != nil || key != review.FingerprintOf(public) {
			t.Errorf("%s: %s, %v", spec, key, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAgentRefuses(t *testing.T) {
	a, _ := newKey(t)
	b, _ := newKey(t)
	_, stranger := newKey(t)
	serveAgent(t, a, b)
	pub := filepath.Join(t.TempDir(), "key.pub")
	if err := os.WriteFile(pub, ssh.MarshalAuthorizedKey(stranger), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{keys.AgentSpec, pub} {
		if _, err := keys.Load(spec, nil); !errors.Is(err, keys.ErrAgent) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	t.Setenv("SSH_AUTH_SOCK", "")
	if _, err := keys.Load(keys.AgentSpec, nil); !errors.Is(err, keys.ErrAgent) {
		t.Error(err)
	}
}

// TestPublicHalfSigns: Git accepts the public half in user.signingkey, and so does Load,
// wherever the private half is.
func TestPublicHalfSigns(t *testing.T) {
	t.Setenv("SSH_AUTH_SOCK", "")
	path := filepath.Join(t.TempDir(), "key")
	public, err := keys.Generate(path, "", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	ask := func() ([]byte, error) { return []byte("secret"), nil }
	if s, err := keys.Load(path+".pub", ask); err != nil || s.Fingerprint() != review.FingerprintOf(public) || s.Source != path {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := keys.Load(path+".pub", nil); !errors.Is(err, keys.ErrPassphrase) {
		t.Errorf("nobody to ask: %v", err)
	}
	if _, err := keys.Generate(path+"2", "", nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"2", path); err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Load(path+".pub", ask); !errors.Is(err, keys.ErrNotKey) {
		t.Errorf("another key beside it: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Load(path+".pub", ask); !errors.Is(err, keys.ErrAgent) || !strings.Contains(err.Error(), "is not at "+path) {
		t.Errorf("no private half: %v", err)
	}
}

func TestDefault(t *testing.T) {
	home := t.TempDir()
	t.Setenv("ASSENT_HOME", home)
	t.Setenv("ASSENT_KEY", "")
	own := filepath.Join(home, "keys", keys.DefaultName)
	for git, want := range map[string]string{"": own, "/k/id": "/k/id", "key::ssh-ed25519 AAAA": own, "ssh-ed25519 AAAA": own} {
		if got, err := keys.Default(git); err != nil || got != want {
			t.Errorf("Default(%q) = %q, %v", git, got, err)
		}
	}
	t.Setenv("ASSENT_KEY", "agent")
	if got, err := keys.Default("/k/id"); err != nil || got != "agent" {
		t.Errorf("%q, %v", got, err)
	}
}

func put(s keys.State) func(keys.State, bool) (keys.State, error) {
	return func(keys.State, bool) (keys.State, error) { return s, nil }
}

func TestState(t *testing.T) {
	t.Setenv("ASSENT_HOME", t.TempDir())
	ctx := context.Background()
	if _, ok, err := keys.LoadState("ws"); ok || err != nil {
		t.Fatal(ok, err)
	}
	want := keys.State{V: 1, Workspace: "ws", Genesis: tree.Hash{1}, Tip: tree.Hash{2}, SeenAt: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	if err := keys.SaveState(ctx, "ws", put(want)); err != nil {
		t.Fatal(err)
	}
	if got, ok, err := keys.LoadState("ws"); err != nil || !ok || got != want {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
	other := want
	other.Genesis = tree.Hash{9}
	if err := keys.SaveState(ctx, "ws", put(other)); !errors.Is(err, keys.ErrGenesis) {
		t.Errorf("genesis replaced: %v", err)
	}
	for _, id := range []string{"", "../x", "a/b", ".hidden"} {
		if _, _, err := keys.LoadState(id); err == nil {
			t.Errorf("workspace id %q accepted", id)
		}
	}
}

func TestDamagedStateIsNotForgotten(t *testing.T) {
	home := t.TempDir()
	t.Setenv("ASSENT_HOME", home)
	if err := os.MkdirAll(filepath.Join(home, "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{}", "{", `{"v":2,"workspace":"ws"}`} {
		if err := os.WriteFile(filepath.Join(home, "state", "ws.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := keys.LoadState("ws"); err == nil {
			t.Errorf("%q passes for a state", text)
		}
		if err := keys.SaveState(context.Background(), "ws", put(keys.State{Genesis: tree.Hash{1}, Tip: tree.Hash{1}})); err == nil {
			t.Errorf("%q was overwritten", text)
		}
	}
}

// TestSaveStateConcurrently: concurrent writers lose no update; each adds one.
func TestSaveStateConcurrently(t *testing.T) {
	t.Setenv("ASSENT_HOME", t.TempDir())
	const writers, each = 4, 5
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				err := keys.SaveState(context.Background(), "ws", func(s keys.State, _ bool) (keys.State, error) {
					s.Genesis = tree.Hash{1}
					s.Tip[19]++
					return s, nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if s, _, err := keys.LoadState("ws"); err != nil || s.Tip[19] != writers*each {
		t.Errorf("%d updates arrived, %v", s.Tip[19], err)
	}
}

func TestShortRSAIsRefused(t *testing.T) {
	t.Setenv("GODEBUG", "rsa1024min=0") // Go itself refuses such keys
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(short, "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Load(path, nil); err == nil || !strings.Contains(err.Error(), "1024") {
		t.Errorf("%v", err)
	}
}
