package review_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
)

func record() review.Record {
	return review.Record{
		V: review.Version, Workspace: "ws-1", Proposal: "short-note-k3v9q2mt", Head: tree.Hash{1},
		Tree: "sha256:beef", Decision: review.Approve, Reason: "fine <&> \"quoted\" – ünïcode\nsecond line",
		At: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC), Nonce: "abcdefghij012345",
	}
}

func newSigner(t testing.TB) ssh.Signer {
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

func TestSignVerify(t *testing.T) {
	signer := newSigner(t)
	signed, err := review.Sign(record(), signer)
	if err != nil {
		t.Fatal(err)
	}
	got, key, err := review.Verify(signed)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(record(), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if key != review.FingerprintOf(signer.PublicKey()) {
		t.Errorf("key %s", key)
	}
}

func TestVerifyRefuses(t *testing.T) {
	signer := newSigner(t)
	good, err := review.Sign(record(), signer)
	if err != nil {
		t.Fatal(err)
	}
	other := func(change func(*review.Record)) []byte {
		r := record()
		change(&r)
		data, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	commit, err := review.SignCommit(good.Record, signer)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]review.Signed{
		"another decision":    {Record: other(func(r *review.Record) { r.Decision = review.Reject }), Signature: good.Signature},
		"another proposal":    {Record: other(func(r *review.Record) { r.Proposal = "other" }), Signature: good.Signature},
		"another workspace":   {Record: other(func(r *review.Record) { r.Workspace = "ws-2" }), Signature: good.Signature},
		"another head":        {Record: other(func(r *review.Record) { r.Head[0]++ }), Signature: good.Signature},
		"another namespace":   {Record: good.Record, Signature: commit},
		"no signature":        {Record: good.Record},
		"two signatures":      {Record: good.Record, Signature: append(bytes.Clone(good.Signature), good.Signature...)},
		"text before":         {Record: good.Record, Signature: append([]byte("x\n"), good.Signature...)},
		"broken signature":    {Record: good.Record, Signature: bytes.Replace(good.Signature, []byte("U1NI"), []byte("U1NJ"), 1)},
		"record with a space": {Record: append([]byte(" "), good.Record...), Signature: good.Signature},
	} {
		if _, key, err := review.Verify(s); err == nil || key != "" {
			t.Errorf("%s: accepted for %q", name, key)
		}
	}
}

// TestVerifyRefusesSignedButNotCanonical: a valid signature over bytes that are not
// canonical must not count.
func TestVerifyRefusesSignedButNotCanonical(t *testing.T) {
	signer := newSigner(t)
	data, err := record().Encode()
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for name, bytes := range map[string]string{
		"unknown field":     strings.Replace(text, `{"v":1`, `{"v":1,"extra":true`, 1),
		"unknown version":   strings.Replace(text, `"v":1`, `"v":2`, 1),
		"repeated field":    strings.Replace(text, `"decision":"approve"`, `"decision":"reject","decision":"approve"`, 1),
		"field in capitals": strings.Replace(text, `"decision"`, `"Decision"`, 1),
		"space":             strings.Replace(text, `"v":1,`, `"v":1, `, 1),
		"trailing":          text + "{}\n",
		"no newline":        strings.TrimSpace(text),
		"escape":            strings.Replace(text, "fine", `\u0066ine`, 1),
		"other zone":        strings.Replace(text, "12:00:00Z", "13:00:00+01:00", 1),
		"null":              "null\n",
		"empty":             "",
	} {
		sig := signRaw(t, signer, []byte(bytes))
		if _, _, err := review.Verify(review.Signed{Record: []byte(bytes), Signature: sig}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func signRaw(t *testing.T, signer ssh.Signer, data []byte) []byte {
	t.Helper()
	sig, err := sshsig.Sign(bytes.NewReader(data), signer, sshsig.HashSHA512, review.Namespace)
	if err != nil {
		t.Fatal(err)
	}
	return sshsig.Armor(sig)
}

func TestCheck(t *testing.T) {
	for name, change := range map[string]func(*review.Record){
		"version":          func(r *review.Record) { r.V = 0 },
		"workspace":        func(r *review.Record) { r.Workspace = "" },
		"proposal":         func(r *review.Record) { r.Proposal = "../x" },
		"tree":             func(r *review.Record) { r.Tree = "a\nb" },
		"head":             func(r *review.Record) { r.Head = tree.Hash{} },
		"decision":         func(r *review.Record) { r.Decision = "ok" },
		"nonce":            func(r *review.Record) { r.Nonce = "short" },
		"half a second":    func(r *review.Record) { r.At = r.At.Add(time.Second / 2) },
		"no time":          func(r *review.Record) { r.At = time.Time{} },
		"local time":       func(r *review.Record) { r.At = r.At.In(time.FixedZone("x", 3600)) },
		"escape sequence":  func(r *review.Record) { r.Reason = "a\x1b[2Jb" },
		"carriage return":  func(r *review.Record) { r.Reason = "a\rb" },
		"bidi":             func(r *review.Record) { r.Reason = "a\u202eb" },
		"C1":               func(r *review.Record) { r.Reason = "a\u009bb" },
		"invalid UTF-8":    func(r *review.Record) { r.Reason = "a\xff" },
		"long":             func(r *review.Record) { r.Reason = strings.Repeat("x", review.MaxReason+1) },
		"reject, silently": func(r *review.Record) { r.Decision, r.Reason = review.Reject, " \n" },
	} {
		r := record()
		change(&r)
		if _, err := r.Encode(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	r := record()
	r.Reason = ""
	if _, err := r.Encode(); err != nil {
		t.Errorf("an approval needs no reason: %v", err)
	}
}

// shortRSA is a public key of 1 024 bits; only its length matters.
func shortRSA(t *testing.T) ssh.PublicKey {
	t.Helper()
	n := new(big.Int).SetBit(big.NewInt(1), 1023, 1)
	key, err := ssh.NewPublicKey(&rsa.PublicKey{N: n, E: 65537})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestWeakKeys(t *testing.T) {
	if err := review.CheckKey(shortRSA(t)); err == nil {
		t.Error("a short RSA key is accepted")
	}
	if err := review.CheckKey(&ssh.Certificate{Key: newSigner(t).PublicKey()}); err == nil {
		t.Error("a certificate is accepted")
	}
	strong, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ok, err := ssh.NewSignerFromKey(strong)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := review.Sign(record(), ok)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := review.Verify(signed); err != nil {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	data, err := record().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"v":1}`))
	f.Add([]byte("{\"v\":1,\"v\":1}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := review.Decode(data)
		if err != nil {
			return
		}
		again, err := r.Encode()
		if err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%q came back as %q (%v)", data, again, err)
		}
	})
}
