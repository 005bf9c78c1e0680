package review_test

import (
	"bytes"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"crypto/ed25519"
	"crypto/rand"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/format/review"
)

// sshFolder is a folder with a private key file and an allowed_signers file.
type sshFolder struct {
	dir    string
	signer ssh.Signer
}

func newSSHFolder(t *testing.T) sshFolder {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed: interoperability with OpenSSH is not tested")
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "ann")
	if err != nil {
		t.Fatal(err)
	}
	f := sshFolder{dir: t.TempDir(), signer: signer}
	public := string(ssh.MarshalAuthorizedKey(signer.PublicKey()))
	f.write(t, "key", pem.EncodeToMemory(block))
	f.write(t, "key.pub", []byte(public))
	f.write(t, "allowed", []byte("ann@example.org namespaces=\"git,"+review.Namespace+"\" "+public))
	return f
}

func (f sshFolder) path(name string) string { return filepath.Join(f.dir, name) }

func (f sshFolder) write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(f.path(name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (f sshFolder) run(t *testing.T, stdin []byte, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = f.dir
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "HOME="+f.dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestOpenSSHVerifiesOurs(t *testing.T) {
	f := newSSHFolder(t)
	signed, err := review.Sign(record(), f.signer)
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, "sig", signed.Signature)
	out := f.run(t, signed.Record, "ssh-keygen", "-Y", "verify", "-f", "allowed", "-I", "ann@example.org", "-n", review.Namespace, "-s", "sig")
	if !strings.Contains(out, "Good") {
		t.Error(out)
	}
}

func TestWeVerifyOpenSSH(t *testing.T) {
	f := newSSHFolder(t)
	data, err := record().Encode()
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, "record", data)
	f.run(t, nil, "ssh-keygen", "-Y", "sign", "-f", "key", "-n", review.Namespace, "record")
	sig, err := os.ReadFile(f.path("record.sig"))
	if err != nil {
		t.Fatal(err)
	}
	_, key, err := review.Verify(review.Signed{Record: data, Signature: sig})
	if err != nil || key != review.FingerprintOf(f.signer.PublicKey()) {
		t.Errorf("key %q, %v", key, err)
	}
}

// split separates the gpgsig header from a raw commit.
func split(raw string) (payload, sig string) {
	var keep []string
	inSig := false
	head, body, _ := strings.Cut(raw, "\n\n")
	for line := range strings.SplitSeq(head, "\n") {
		value, starts := strings.CutPrefix(line, "gpgsig ")
		switch {
		case starts:
			inSig, sig = true, value+"\n"
		case inSig && strings.HasPrefix(line, " "):
			sig += line[1:] + "\n"
		default:
			inSig = false
			keep = append(keep, line)
		}
	}
	return strings.Join(keep, "\n") + "\n\n" + body, sig
}

func TestCommitsWithGit(t *testing.T) {
	f := newSSHFolder(t)
	f.run(t, nil, "git", "init", "-q", ".")
	config := []string{
		"-c", "gpg.format=ssh", "-c", "user.signingkey=key", "-c", "gpg.ssh.allowedSignersFile=allowed",
		"-c", "user.name=ann", "-c", "user.email=ann@example.org",
	}
	f.run(t, nil, "git", append(config, "commit", "-q", "-S", "--allow-empty", "-m", "signed by git")...)
	payload, sig := split(f.run(t, nil, "git", "cat-file", "commit", "HEAD"))
	key, err := review.VerifyCommit([]byte(payload), []byte(sig))
	if err != nil || key != review.FingerprintOf(f.signer.PublicKey()) {
		t.Fatalf("git's signature: key %q, %v", key, err)
	}
	if _, err := review.VerifyCommit([]byte(payload+"x"), []byte(sig)); err == nil {
		t.Error("a changed commit verifies")
	}

	payload = strings.Replace(payload, "signed by git", "signed by us", 1)
	ours, err := review.SignCommit([]byte(payload), f.signer)
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(payload, "\n\n")
	header := "gpgsig " + strings.ReplaceAll(strings.TrimSpace(string(ours)), "\n", "\n ")
	id := f.run(t, []byte(head+"\n"+header+"\n\n"+body), "git", "hash-object", "-t", "commit", "-w", "--stdin")
	out := f.run(t, nil, "git", append(config, "verify-commit", strings.TrimSpace(id))...)
	if !strings.Contains(out, "Good") {
		t.Error(out)
	}
}
