package policy_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// TestKnownAsJSON: the names and forms in which facts are printed are an interface.
func TestKnownAsJSON(t *testing.T) {
	at := time.Date(2026, 1, 15, 13, 0, 0, 0, time.FixedZone("east", 3600))
	full := policy.Facts{
		ID: "parse-csv-k3v9q2mt", Kind: "add", Agent: "scout", For: "ana", Labels: []string{"risk:high"},
		State: policy.Open, Now: at, RequestedAt: at.Add(-time.Hour), OpenByAgent: 2, Broken: true,
		Changes: policy.Changes{
			Paths: []policy.PathChange{{Path: "skills/a/SKILL.md", Op: policy.Added, Size: 7}},
			Soul:  []policy.SoulEdit{{Agent: "scout", Section: "core_truths", Mode: "append", Identity: "names a limit", Chars: 3}},
			Capabilities: []policy.Capability{
				{Name: "a", Path: "skills/a", Op: policy.Added, Kind: "tool", Executable: true, DeclaredRisk: policy.High, Hosts: []string{"b:443", "a:443"}, CostPerUse: 0.5},
				{Name: "b", Path: "skills/b", Op: policy.Removed, Kind: "skill", SameCode: true, Hosts: []string{"a:443"}},
			},
			Bytes: 7, Learned: map[string]int{"scout": 1}, Synthesised: 4,
		},
		Evidence: policy.Evidence{
			Validation: policy.Validation{Ran: true, Errors: 1, Warnings: 2}, Scan: policy.Scan{Ran: true, Score: 0.3, Injections: []diag.Pos{{File: "x"}}},
			Findings: diag.List{{Rule: "r", Severity: diag.Warning, Pos: diag.Pos{File: "x", Line: 3}}, {Rule: "s", Severity: diag.Note, Confidence: 0.5}},
			Tests:    &policy.Tests{Passed: 3, Failed: 1, Flaky: 1, Mastery: 0.75},
		},
		People: policy.People{Proposer: policy.Actor{Name: "scout"}, Authors: []policy.Actor{{Name: "ben"}}, PushersKnown: true, Sessions: []policy.Actor{{Name: "ana"}}},
		Provenance: policy.Provenance{
			Origins: []provenance.Origin{{Way: provenance.Import, Source: "z"}, {Way: provenance.Branch}, {Way: provenance.Import}}, Tools: []string{"gpt"}, Unrecorded: 1,
		},
		Opinions: []policy.Opinion{
			{Asked: "other", Current: true, Answer: advice.Answer{Verdict: advice.Block, Reason: "no", Findings: []advice.Finding{{File: "x", Severity: diag.Error}}}},
			{Asked: "old", Answer: advice.Answer{Verdict: advice.Pass}},
		},
	}
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetIndent("", "\t")
	for _, f := range []policy.Facts{{}, full} {
		if err := enc.Encode(policy.Known(testPolicies(t, policy.Assisted), f)); err != nil {
			t.Fatal(err)
		}
	}
	const golden = "testdata/known.json"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := readFile(t, golden); !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s\nis not what %s has", got.String(), golden)
	}
}
