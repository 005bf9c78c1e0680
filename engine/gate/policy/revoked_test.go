package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// rolesWith loads a roles.yaml in the place of the built-in one.
func rolesWith(t interface {
	Helper()
	Fatal(...any)
}, files map[string]string, text string) policy.Policies {
	t.Helper()
	next := map[string]string{}
	for path, content := range files {
		next[path] = content
	}
	next[policy.RolesFile] = text
	p, ds := policy.Load(tree.MapOf(next))
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	return p
}

const threeHumans = `people:
  ann: {keys: ["%s"]}
  bob: {keys: [%s]%s}
  eve: {keys: ["%s"]}
roles: {human: [ann, bob, eve], lead: [ann, bob, eve]}
`

// signedBy is an approval of the change by a key, with a date of the signer's choice.
func signedBy(key string, at time.Time) policy.Review {
	return policy.Review{By: policy.Actor{Key: review.Fingerprint(key)}, Decision: review.Approve, At: at, Effective: "sha256:aa", Valid: true}
}

// Whatever the dates of a revocation and a signature, a revoked key approves nothing, and
// the same signature counts as long as the key is in use.
func TestRevokedKeyNeverApproves(t *testing.T) {
	files := defaults(t)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	rapid.Check(t, func(r *rapid.T) {
		seconds := func(name string, least, most int) time.Duration {
			return time.Duration(rapid.IntRange(least, most).Draw(r, name)) * time.Second
		}
		from := now.Add(-seconds("revoked", 0, 400*86400)).UTC()
		signed := now.Add(-seconds("signed", 0, 6*86400)) // not yet expired
		if rapid.Bool().Draw(r, "at the same instant") {
			signed = from
		}
		replaced := ""
		if rapid.Bool().Draw(r, "replaced") {
			replaced = `"` + fp("New") + `"`
		}
		f := policy.Facts{ID: "x-k3v9q2mt", State: policy.Open, Now: now, Effective: "sha256:aa", RequestedAt: now}
		f.Reviews = []policy.Review{signedBy(fp("Bob"), signed)}
		entry := fmt.Sprintf(`, revoked: [{key: "%s", from: "%s", reason: lost}]`, fp("Bob"), from.Format(time.RFC3339))
		after := rolesWith(r, files, fmt.Sprintf(threeHumans, fp("Ann"), replaced, entry, fp("Eve")))
		if got := policy.Approvers(after, f); len(got) > 0 {
			r.Fatalf("%v approved with a revoked key", got)
		}
		before := rolesWith(r, files, fmt.Sprintf(threeHumans, fp("Ann"), `"`+fp("Bob")+`"`, "", fp("Eve")))
		if got := policy.Approvers(before, f); now.Sub(signed) <= before.Limits.Expiry && len(got) != 1 {
			r.Fatalf("the key in use approves nothing: %v", got)
		}
	})
}

// Two humans revoke the only key of a third, who cannot sign. One human cannot revoke a key of
// another alone.
func TestWhoRevokes(t *testing.T) {
	files, now := defaults(t), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	two := "people:\n  ann: {keys: [\"" + fp("Ann") + "\"]}\n  bob: {keys: [\"" + fp("Bob") + "\"]}\nroles: {human: [ann, bob]}\n"
	three := fmt.Sprintf(threeHumans, fp("Ann"), `"`+fp("Bob")+`"`, "", fp("Eve"))
	for name, c := range map[string]struct {
		roles    string
		proposer string
		signers  []string
		want     policy.Outcome
	}{
		"two of three, one of whom proposed": {three, "ann", []string{"Ann", "Eve"}, policy.Allowed},
		"two of three":                       {three, "", []string{"Ann", "Eve"}, policy.Allowed},
		"one of three":                       {three, "", []string{"Eve"}, policy.Waiting},
		"one of three, another proposed":     {three, "ann", []string{"Eve"}, policy.Waiting},
		"one of two":                         {two, "", []string{"Ann"}, policy.Waiting},
		"one of two, who proposed":           {two, "ann", []string{"Ann"}, policy.Waiting},
	} {
		p := rolesWith(t, files, c.roles)
		f := policy.Facts{
			ID: "x-k3v9q2mt", Kind: "policy", State: policy.Open, Now: now, RequestedAt: now, Effective: "sha256:aa",
			People: policy.People{PushersKnown: true, Proposer: policy.Actor{Name: c.proposer}},
			Changes: policy.Changes{
				Paths: []policy.PathChange{{Path: policy.RolesFile, Op: policy.Modified, Size: 10}}, Revokes: []string{"bob"},
			},
		}
		f.Validation = policy.Validation{Ran: true, Digest: "sha256:bb"}
		f.Scan.Ran = true
		for _, s := range c.signers {
			f.Reviews = append(f.Reviews, signedBy(fp(s), now))
		}
		if v := policy.Judge(p, f); v.Outcome != c.want {
			t.Errorf("%s: %s, not %s:\n%s", name, v.Outcome, c.want, strings.Join(v.Lines(), "\n"))
		}
	}
}

// A person is bereft by the revocation of every key, and by nothing less.
func TestBereft(t *testing.T) {
	files := defaults(t)
	entry := `, revoked: [{key: "` + fp("Bob") + `", from: "2026-11-01T00:00:00Z", reason: lost}]`
	one := rolesWith(t, files, fmt.Sprintf(threeHumans, fp("Ann"), `"`+fp("Bob")+`"`, "", fp("Eve"))).Roles
	spare := rolesWith(t, files, fmt.Sprintf(threeHumans, fp("Ann"), `"`+fp("Bob")+`", "`+fp("Spare")+`"`, "", fp("Eve"))).Roles
	next := []byte(fmt.Sprintf(threeHumans, fp("Ann"), `"`+fp("New")+`"`, entry, fp("Eve")))
	if got := one.Bereft(next); len(got) != 1 || got[0] != "bob" {
		t.Errorf("%v", got)
	}
	if got := spare.Bereft(next); len(got) > 0 {
		t.Errorf("who has another key can sign: %v", got)
	}
	removed := []byte(fmt.Sprintf(threeHumans, fp("Ann"), "", "", fp("Eve")))
	if got := one.Bereft(removed); len(got) > 0 {
		t.Errorf("a key that is only taken out is not revoked: %v", got)
	}
}

func TestRevocationReports(t *testing.T) {
	for name, c := range map[string]struct{ entry, want string }{
		"no instant":      {`{key: "` + fp("Bob") + `", reason: lost}`, "[policy-revoked]"},
		"a day":           {`{key: "` + fp("Bob") + `", from: "2026-11-01", reason: lost}`, "[policy-revoked]"},
		"another zone":    {`{key: "` + fp("Bob") + `", from: "2026-11-01T00:00:00+01:00", reason: lost}`, "[policy-revoked]"},
		"fractions":       {`{key: "` + fp("Bob") + `", from: "2026-11-01T00:00:00.5Z", reason: lost}`, "[policy-revoked]"},
		"no reason":       {`{key: "` + fp("Bob") + `", from: "2026-11-01T00:00:00Z"}`, "[policy-revoked]"},
		"two lines":       {`{key: "` + fp("Bob") + `", from: "2026-11-01T00:00:00Z", reason: "a\nb"}`, "[policy-revoked]"},
		"no key":          {`{key: bob, from: "2026-11-01T00:00:00Z", reason: lost}`, "[policy-key]"},
		"still in use":    {`{key: "` + fp("Ann") + `", from: "2026-11-01T00:00:00Z", reason: lost}`, "[policy-shared]"},
		"another's":       {`{key: "` + fp("Eve") + `", from: "2026-11-01T00:00:00Z", reason: lost}`, "[policy-shared]"},
		"an unknown word": {`{key: "` + fp("Bob") + `", from: "2026-11-01T00:00:00Z", reason: lost, until: x}`, "[yaml-unknown]"},
	} {
		files := defaults(t)
		files[policy.RolesFile] = "people:\n  ann: {keys: [\"" + fp("Ann") + "\"], revoked: [" + c.entry + "]}\n  eve: {keys: [\"" + fp("Eve") + "\"]}\nroles: {human: [ann]}\n"
		if _, ds := policy.Load(tree.MapOf(files)); !strings.Contains(diagText(ds), c.want) {
			t.Errorf("%s: no %s in %v", name, c.want, ds)
		}
	}
}

// A revocation is written back as it was read, and a key is revoked once.
func TestEditRolesRevokes(t *testing.T) {
	rev := policy.Revocation{Key: review.Fingerprint(fp("Ann")), From: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Reason: "the laptop: lost"}
	out, err := policy.EditRoles([]byte(plainRoles), policy.RolesChange{Name: "ann", Keys: []string{fp("New")}, Revoke: []policy.Revocation{rev}})
	if err != nil {
		t.Fatal(err)
	}
	p := rolesWith(t, defaults(t), string(out))
	id, got, ok := p.Roles.RevokedKey(rev.Key)
	if !ok || id.Name != "ann" || got != rev || len(id.Keys) != 1 || id.Keys[0] != review.Fingerprint(fp("New")) {
		t.Errorf("%+v %+v\n%s", id, got, out)
	}
	if _, err := policy.EditRoles(out, policy.RolesChange{Name: "ann", Revoke: []policy.Revocation{rev}}); err == nil {
		t.Error("it is revoked twice")
	}
	if _, err := policy.EditRoles(out, policy.RolesChange{Name: "scout", Keys: []string{fp("Ann")}}); err == nil {
		t.Error("a revoked key is listed again")
	}
	gone, err := policy.EditRoles(out, policy.RolesChange{Name: "ann", Remove: true})
	if err != nil {
		t.Fatal(err)
	}
	p = rolesWith(t, defaults(t), string(gone))
	id, _, ok = p.Roles.RevokedKey(rev.Key)
	if !ok || len(id.Keys)+len(id.Emails)+len(id.Logins) > 0 || p.Roles.Has(id, policy.Human) {
		t.Errorf("who leaves leaves more, or less, than the revoked key: %+v\n%s", id, gone)
	}
}
