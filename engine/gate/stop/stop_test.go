package stop_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/stop"
)

var (
	workspace = tree.Hash{7}
	now       = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
)

func signer(t testing.TB) ssh.Signer {
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

// cast are ada and bob, who are human, lea, who only leads, the agent bot, and old, a
// revoked key of ada.
type cast struct {
	keys  map[string]ssh.Signer
	roles policy.Roles
}

func newCast(t testing.TB) cast {
	t.Helper()
	c := cast{keys: map[string]ssh.Signer{}}
	line := func(name string) string {
		c.keys[name] = signer(t)
		return string(review.FingerprintOf(c.keys[name].PublicKey()))
	}
	text := fmt.Sprintf(`people:
  ada: {keys: ["%s"], revoked: [{key: "%s", from: "2026-11-01T00:00:00Z", reason: lost}]}
  bob: {keys: ["%s"]}
  lea: {keys: ["%s"]}
agents:
  bot: {keys: ["%s"]}
roles: {human: [ada, bob], lead: [ada, bob, lea, bot]}
`, line("ada"), line("old"), line("bob"), line("lea"), line("bot"))
	c.keys["stranger"] = signer(t)
	p, _ := policy.Load(tree.MapOf(map[string]string{policy.RolesFile: text}))
	c.roles = p.Roles
	return c
}

func record() stop.Record {
	return stop.Record{
		V: stop.Version, Workspace: workspace, Capability: "send-email", Decision: stop.Stop, Reason: "wrong list",
		At: now.Add(-time.Hour), Until: now.Add(time.Hour), Lifts: []string{}, Nonce: "0123456789abcdef",
	}
}

func (c cast) sign(t testing.TB, who string, r stop.Record) stop.Signed {
	t.Helper()
	s, err := stop.Sign(r, c.keys[who])
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (c cast) judge(t testing.TB, at time.Time, all ...stop.Signed) stop.Judged {
	t.Helper()
	j, err := stop.Judge(stop.Case{Workspace: workspace, Roles: c.roles, Now: at}, all)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// A signed stop that is altered in any way has no effect, is listed as ignored, and affects no other stop.
func TestAlteredStopsHaveNoEffect(t *testing.T) {
	c := newCast(t)
	good := c.sign(t, "ada", record())
	other := record()
	other.Capability = "parse-csv"
	honest := c.sign(t, "bob", other)
	variants := map[string]stop.Signed{}
	for i := range good.Record { // every byte of the record
		changed := slices.Clone(good.Record)
		changed[i] ^= 1
		variants[fmt.Sprintf("byte %d", i)] = stop.Signed{ID: stop.IDOf(changed), Record: changed, Signature: good.Signature}
	}
	for name, change := range map[string]func(*stop.Record){
		"another workspace": func(r *stop.Record) { r.Workspace = tree.Hash{8} },
		"dated ahead":       func(r *stop.Record) { r.At, r.Until = now.Add(time.Hour), now.Add(2*time.Hour) },
		"over":              func(r *stop.Record) { r.At, r.Until = now.Add(-2*time.Hour), now },
	} {
		r := record()
		change(&r)
		variants[name] = c.sign(t, "ada", r)
	}
	for _, who := range []string{"lea", "bot", "stranger", "old"} {
		variants["signed by "+who] = c.sign(t, who, record())
	}
	forReview, err := review.SignCheckpoint(good.Record, c.keys["ada"])
	if err != nil {
		t.Fatal(err)
	}
	variants["signed for something else"] = stop.Signed{ID: good.ID, Record: good.Record, Signature: forReview}
	variants["unsigned"] = stop.Signed{ID: good.ID, Record: good.Record}
	variants["under another name"] = stop.Signed{ID: strings.Repeat("0", 40), Record: good.Record, Signature: good.Signature}
	variants["of another record"] = stop.Signed{ID: honest.ID, Record: honest.Record, Signature: good.Signature}
	variants["empty"] = stop.Signed{}
	variants["vast"] = stop.Signed{Record: make([]byte, stop.MaxRecord+1)}
	if len(variants) < 100 {
		t.Fatalf("only %d variants", len(variants))
	}
	for name, bad := range variants {
		j := c.judge(t, now, bad, honest)
		if _, held := j.Of("send-email"); held {
			t.Errorf("%s: it stops", name)
		}
		if _, held := j.Of("parse-csv"); !held {
			t.Errorf("%s: another stop has no effect any more", name)
		}
		if len(j.Ignored) != 1 || j.Ignored[0].ID != bad.ID || j.Ignored[0].Why == "" {
			t.Errorf("%s: it is not named: %+v", name, j.Ignored)
		}
	}
	if _, held := c.judge(t, now, good).Of("send-email"); !held {
		t.Error("the stop itself has no effect")
	}
}

func TestRecordsAreBounded(t *testing.T) {
	c := newCast(t)
	for name, change := range map[string]func(*stop.Record){
		"too long":         func(r *stop.Record) { r.Until = r.At.Add(stop.Longest + time.Second) },
		"no time":          func(r *stop.Record) { r.Until = r.At },
		"no reason":        func(r *stop.Record) { r.Reason = " " },
		"two lines":        func(r *stop.Record) { r.Reason = "a\nb" },
		"an escape":        func(r *stop.Record) { r.Reason = "a\x1b[2J" },
		"not folded":       func(r *stop.Record) { r.Capability = "Send_Email" },
		"no capability":    func(r *stop.Record) { r.Capability = "" },
		"lifts in a stop":  func(r *stop.Record) { r.Lifts = []string{strings.Repeat("a", 40)} },
		"a lift of none":   func(r *stop.Record) { r.Decision, r.Until = stop.Lift, r.At },
		"a lift with time": func(r *stop.Record) { r.Decision, r.Lifts = stop.Lift, []string{strings.Repeat("a", 40)} },
		"another decision": func(r *stop.Record) { r.Decision = "start" },
		"fractions":        func(r *stop.Record) { r.At = r.At.Add(time.Millisecond) },
		"a short nonce":    func(r *stop.Record) { r.Nonce = "a" },
		"another version":  func(r *stop.Record) { r.V = 2 },
		"no workspace":     func(r *stop.Record) { r.Workspace = tree.Hash{} },
	} {
		r := record()
		change(&r)
		if _, err := stop.Sign(r, c.keys["ada"]); err == nil {
			t.Errorf("%s: it is signed", name)
		}
	}
}

func TestLift(t *testing.T) {
	c := newCast(t)
	s := c.sign(t, "ada", record())
	lift := func(who, capability string, ids ...string) stop.Signed {
		r := record()
		r.Decision, r.Capability, r.Lifts, r.Reason = stop.Lift, capability, ids, "fine again"
		r.Until = r.At
		return c.sign(t, who, r)
	}
	for name, tc := range map[string]struct {
		lift stop.Signed
		held bool
	}{
		"by the same human":          {lift("ada", "send-email", s.ID), false},
		"by another human":           {lift("bob", "send-email", s.ID), false},
		"by an agent":                {lift("bot", "send-email", s.ID), true},
		"by a revoked key":           {lift("old", "send-email", s.ID), true},
		"of another capability":      {lift("bob", "parse-csv", s.ID), true},
		"of another stop":            {lift("bob", "send-email", strings.Repeat("a", 40)), true},
		"of this and of another one": {lift("bob", "send-email", slices.Sorted(slices.Values([]string{s.ID, strings.Repeat("f", 40)}))...), false},
	} {
		if _, held := c.judge(t, now, s, tc.lift).Of("send-email"); held != tc.held {
			t.Errorf("%s: held %v", name, held)
		}
	}
}

// An open proposal keeps a stop up that was in effect when it was opened, for a bounded time.
func TestProposalsProlong(t *testing.T) {
	c := newCast(t)
	s := c.sign(t, "ada", record())
	ended := record().Until
	for name, tc := range map[string]struct {
		opened, now time.Time
		held        bool
	}{
		"opened before the end": {ended.Add(-time.Minute), ended.Add(24 * time.Hour), true},
		"opened long before":    {ended.AddDate(-1, 0, 0), ended.Add(24 * time.Hour), true},
		"opened after the end":  {ended.Add(time.Hour), ended.Add(24 * time.Hour), false},
		"for too long":          {ended.Add(-time.Minute), ended.Add(91 * 24 * time.Hour), false},
	} {
		j, err := stop.Judge(stop.Case{Workspace: workspace, Roles: c.roles, Now: tc.now, Proposals: func(name string) ([]stop.Proposal, error) {
			if name != "send-email" {
				t.Errorf("asked about %s", name)
			}
			return []stop.Proposal{{ID: "fix-k3v9q2mt", Opened: tc.opened}}, nil
		}}, []stop.Signed{s})
		if err != nil {
			t.Fatal(err)
		}
		h, held := j.Of("send-email")
		if held != tc.held || held && h.Proposal != "fix-k3v9q2mt" {
			t.Errorf("%s: %+v", name, j)
		}
	}
}

// However one human stops and lifts, the stops of theirs that begin within 28 days hold for
// at most 14 days together, unless a proposal is open.
func TestNobodyRenewsForEver(t *testing.T) {
	c := newCast(t)
	rapid.Check(t, func(r *rapid.T) {
		var all []stop.Signed
		var began []time.Time
		at := now
		for i := range rapid.IntRange(2, 6).Draw(r, "stops") {
			at = at.Add(time.Duration(rapid.IntRange(1, 15*24).Draw(r, "pause")) * time.Hour)
			rec := record()
			rec.Nonce = fmt.Sprintf("0123456789abcde%d", i)
			rec.At, rec.Until = at, at.Add(time.Duration(rapid.IntRange(1, 14*24).Draw(r, "length"))*time.Hour)
			all, began = append(all, c.sign(t, "ada", rec)), append(began, at)
		}
		lengths := make([]time.Duration, len(all))
		for i, s := range all {
			for _, h := range c.judge(t, began[i], all...).Held {
				if h.ID == s.ID {
					lengths[i] = h.Until.Sub(h.At)
				}
			}
			sum := time.Duration(0)
			for k := range i + 1 {
				if began[k].After(began[i].Add(-28 * 24 * time.Hour)) {
					sum += lengths[k]
				}
			}
			if sum > 14*24*time.Hour {
				r.Fatalf("stopped for %s within 28 days", sum)
			}
		}
		if lengths[0] == 0 {
			r.Fatal("the first stop has no effect")
		}
	})
}

func TestBudgetIsPerHuman(t *testing.T) {
	c := newCast(t)
	first, second := record(), record()
	first.At, first.Until = now.Add(-15*24*time.Hour), now.Add(-24*time.Hour)
	second.Nonce = "fedcba9876543210"
	for name, tc := range map[string]struct {
		who  string
		held bool
	}{"the same human": {"ada", false}, "another human": {"bob", true}} {
		j := c.judge(t, now, c.sign(t, "ada", first), c.sign(t, tc.who, second))
		if _, held := j.Of("send-email"); held != tc.held {
			t.Errorf("%s: %+v", name, j)
		}
	}
}
