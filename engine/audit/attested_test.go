package audit_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// TestVerifyAttestationSignature: the signature of an attestation must be valid, and an
// existing one must not disappear.
func TestVerifyAttestationSignature(t *testing.T) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	eve, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	signedBy := func(d *world) func(*attest.Attestation) {
		return func(a *attest.Attestation) { a.Signer = d.Ada.Fingerprint() }
	}
	resigned := func(as ssh.Signer) func(data, _ []byte) []byte {
		return func(data, _ []byte) []byte {
			sig, err := review.SignAttestation(data, as)
			if err != nil {
				t.Fatal(err)
			}
			return sig
		}
	}
	for name, c := range map[string]struct {
		prepare func(*world) func(*attest.Attestation)
		reason  string
	}{
		"good":     {signedBy, ""},
		"unsigned": {func(*world) func(*attest.Attestation) { return nil }, ""},
		"stripped": {func(d *world) func(*attest.Attestation) {
			d.resign = func(_, _ []byte) []byte { return nil }
			return signedBy(d)
		}, "the signature is gone"},
		"stripped, and the attestation too": {func(d *world) func(*attest.Attestation) {
			d.claims = strings.NewReplacer("Assent-Report:", attest.AttesterTrailer+": "+string(d.Ada.Fingerprint())+"\nAssent-Report:")
			return nil
		}, "the merge commit says that its attestation is signed"},
		"a signature from nowhere": {func(d *world) func(*attest.Attestation) {
			d.resign = resigned(d.Ada)
			return nil
		}, "names nobody who signed"},
		"forged": {func(d *world) func(*attest.Attestation) {
			d.resign = resigned(eve)
			return signedBy(d)
		}, "is signed with SHA256:"},
		"by nobody": {func(d *world) func(*attest.Attestation) {
			d.resign = resigned(eve)
			return func(a *attest.Attestation) { a.Signer = review.FingerprintOf(eve.PublicKey()) }
		}, "did not list then"},
		"over something else": {func(d *world) func(*attest.Attestation) {
			d.resign = func(data, _ []byte) []byte { return resigned(d.Ada)(bytes.ToUpper(data), nil) }
			return signedBy(d)
		}, "signature"},
		"for another purpose": {func(d *world) func(*attest.Attestation) {
			d.resign = func(data, _ []byte) []byte {
				sig, err := review.SignCheckpoint(data, d.Ada)
				d.OK(err)
				return sig
			}
			return signedBy(d)
		}, "signature"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorld(t)
			commit := d.merged(d.approved(skill("bowline", "Pull.")), c.prepare(d))
			res := d.verify()
			b := res.Broken
			switch {
			case c.reason == "" && (b != nil || res.Signed+res.Unsigned != 1 || (res.Signed == 1) != (name == "good")):
				t.Errorf("%d signed, %d not, broken: %+v", res.Signed, res.Unsigned, b)
			case c.reason != "" && (b == nil || b.Rule != audit.RuleAttestation || b.Commit != commit || !strings.Contains(b.Reason, c.reason)):
				t.Errorf("broken: %+v", b)
			}
		})
	}
}

// TestVerifyProvenance: the provenance of a merged proposal can be neither changed nor
// removed.
func TestVerifyProvenance(t *testing.T) {
	for name, change := range map[string]func(*attest.Attestation){
		"another":  func(a *attest.Attestation) { a.Provenance = "sha256:0" },
		"left out": func(a *attest.Attestation) { a.Provenance = "" },
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorld(t)
			commit := d.merged(d.approved(skill("bowline", "Pull.")), change)
			b := d.verify().Broken
			if b == nil || b.Rule != audit.RuleVerdict || b.Commit != commit || !strings.Contains(b.Reason, "the provenance is") {
				t.Errorf("broken: %+v", b)
			}
		})
	}
}
