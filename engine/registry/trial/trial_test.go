package trial

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/canonical"
)

var (
	ana = WriterOf([]byte("ana"))
	ben = WriterOf([]byte("ben"))
	cat = WriterOf([]byte("cat"))
)

func at(day int) time.Time {
	return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, day)
}

func good() Trial {
	return Trial{FormatVersion, Next(ID{}, at(0), ana), Observation{
		At: at(0), Source: Engine, Level: Followed, Agent: "kublai", Model: "claude-sonnet-4", Mission: "m-1", Task: "read the table", Tags: []string{"csv", "eu"},
		Capability: "parse-csv", Version: "1.2.0", Blob: strings.Repeat("a", 40), Outcome: Failure, MS: 12, Cost: 0.013, Tokens: 40, Error: "timeout", Diagnosis: "took too long",
	}}
}

// TestRecord: what may stand in a record is written and read back; what may not is refused with the field's name.
func TestRecord(t *testing.T) {
	line, err := good().Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(line)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := back.Encode(); err != nil || !bytes.Equal(again, line) || back.Task != "read the table" {
		t.Errorf("%s, %v", again, err)
	}
	for name, change := range map[string]func(*Trial){
		"id":             func(o *Trial) { o.ID = ID{} },
		"at":             func(o *Trial) { o.At = o.At.Add(time.Millisecond) },
		"source":         func(o *Trial) { o.Source = "hook" },
		"level":          func(o *Trial) { o.Level = "seen" },
		"agent":          func(o *Trial) { o.Agent = "a\tb" },
		"model":          func(o *Trial) { o.Model = strings.Repeat("x", 129) },
		"mission":        func(o *Trial) { o.Mission = "two words" },
		"method":         func(o *Trial) { o.Method = "\x1b[31m" },
		"task":           func(o *Trial) { o.Task = "two\nlines" },
		"tags":           func(o *Trial) { o.Tags = []string{"eu", "csv"} },
		"capability":     func(o *Trial) { o.Capability = "../etc" },
		"version":        func(o *Trial) { o.Version = "1" },
		"blob":           func(o *Trial) { o.Blob = "HEAD" },
		"outcome":        func(o *Trial) { o.Outcome = "ok" },
		"settles":        func(o *Trial) { o.Settles = 1 },
		"ms":             func(o *Trial) { o.MS = -1 },
		"cost":           func(o *Trial) { o.Cost = math.NaN() },
		"tokens":         func(o *Trial) { o.Tokens = math.MaxInt64 },
		"error":          func(o *Trial) { o.Error = "Boom!" },
		"diagnosis":      func(o *Trial) { o.Diagnosis = strings.Repeat("é", MaxSummary+1) },
		"input_summary":  func(o *Trial) { o.InputSummary = "\x00" },
		"output_summary": func(o *Trial) { o.OutputSummary = "\xff" },
	} {
		bad := good()
		change(&bad)
		if _, err := bad.Encode(); err == nil || !strings.HasPrefix(err.Error(), name+":") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOtherForms checks that a record has one spelling, and that another version is not reported as damage.
func TestOtherForms(t *testing.T) {
	line, err := good().Encode()
	if err != nil {
		t.Fatal(err)
	}
	text := string(line)
	for name, tc := range map[string]struct {
		line string
		want error
	}{
		"a newer version": {strings.Replace(text, `"v":1`, `"v":2`, 1), ErrVersion},
		"unknown field":   {strings.Replace(text, `"v":1`, `"v":1,"w":1`, 1), canonical.ErrForm},
		"space":           {strings.Replace(text, `"v":1`, `"v": 1`, 1), canonical.ErrForm},
		"two":             {text + text, nil},
		"cut":             {text[:len(text)/2], nil},
		"nothing":         {"", nil},
	} {
		if _, err := Decode([]byte(tc.line)); err == nil || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestVerdict: a verdict names its mission and outcome, and a listing has no outcome.
func TestVerdict(t *testing.T) {
	v := good()
	v.Level, v.Source, v.Settles = Verdict, Human, 3
	if _, err := v.Encode(); err != nil {
		t.Error(err)
	}
	for _, tc := range []struct {
		field  string
		change func(*Trial)
	}{
		{"level:", func(o *Trial) { o.Mission = "" }},
		{"level:", func(o *Trial) { o.Outcome = Open }},
		{"outcome:", func(o *Trial) { o.Level, o.Settles = Listed, 0 }},
		{"error:", func(o *Trial) { o.Outcome = Success }},
	} {
		bad := v
		tc.change(&bad)
		if _, err := bad.Encode(); err == nil || !strings.HasPrefix(err.Error(), tc.field) {
			t.Errorf("%s %v", tc.field, err)
		}
	}
}

// TestIDs: the ids of a writer grow, whatever its clock does, and have the text of a ULID.
func TestIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last := ID{}
		for _, ms := range rapid.SliceOf(rapid.Int64Range(-5, 1<<41)).Draw(t, "clock") {
			id := Next(last, time.UnixMilli(ms), ana)
			if id.Compare(last) <= 0 || !id.By(ana) || id.By(ben) || id.Time().UnixMilli() < ms {
				t.Fatalf("%s after %s at %d", id, last, ms)
			}
			back, err := ParseID(id.String())
			if err != nil || back != id {
				t.Fatalf("%s: %s, %v", id, back, err)
			}
			if id.String() <= last.String() {
				t.Fatalf("%s after %s", id, last)
			}
			last = id
		}
	})
	full := Next(ID{}, time.UnixMilli(7), ana)
	full.setNumber(1<<40 - 1)
	if id := Next(full, time.UnixMilli(7), ana); id.Compare(full) <= 0 || id.number() != 0 || id.ms() != 8 {
		t.Errorf("%s after %s", id, full)
	}
	for _, bad := range []string{"", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "01arz3ndektsv4rrffq69g5fav", "01ARZ3NDEKTSV4RRFFQ69G5FAU", "01ARZ3NDEKTSV4RRFFQ69G5FA"} {
		if id, err := ParseID(bad); err == nil {
			t.Errorf("%q is %s", bad, id)
		}
	}
	if !ana.Valid() || Writer("ANA").Valid() || Writer(strings.ToUpper(string(ana))).Valid() || Writer("").Valid() {
		t.Error("which names are writers'")
	}
}

func FuzzDecode(f *testing.F) {
	line, _ := good().Encode()
	f.Add(line)
	f.Fuzz(func(t *testing.T, line []byte) {
		tr, err := Decode(line)
		if err != nil {
			return
		}
		again, err := tr.Encode()
		if err != nil || !bytes.Equal(again, line) {
			t.Errorf("%s, %v", again, err)
		}
	})
}
