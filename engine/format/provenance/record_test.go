package provenance_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/format/provenance"
)

func record() provenance.Record {
	return provenance.Record{
		V: provenance.Version, Engine: "0.2.0", Agent: "scout",
		Origin:  provenance.Origin{Way: provenance.Import, Source: "skills", Digest: canonical.Digest([]byte("x"))},
		Session: provenance.Session{Email: "ada@example.org", Key: "SHA256:x"},
	}
}

func TestRoundTrip(t *testing.T) {
	data, err := record().Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := provenance.Decode(data)
	if err != nil || got != record() {
		t.Errorf("%+v, %v", got, err)
	}
	for name, bad := range map[string]string{
		"empty": "", "another spelling": strings.Replace(string(data), ":", ": ", 1), "twice": string(data) + string(data),
		"a field twice": strings.Replace(string(data), `{"v":1`, `{"v":1,"v":1`, 1), "unknown field": strings.Replace(string(data), `{"v"`, `{"w":1,"v"`, 1),
		"too long": string(data) + strings.Repeat(" ", provenance.MaxRecord),
	} {
		if _, err := provenance.Decode([]byte(bad)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestCheck(t *testing.T) {
	for name, spoil := range map[string]func(*provenance.Record){
		"version": func(r *provenance.Record) { r.V = 2 },
		"way":     func(r *provenance.Record) { r.Way = "telepathy" },
		"engine":  func(r *provenance.Record) { r.Engine = "" },
		"digest":  func(r *provenance.Record) { r.Digest = "md5:x" },
		"source":  func(r *provenance.Record) { r.Source = "a\nb" },
		"agent":   func(r *provenance.Record) { r.Agent = "\xff" },
		"email":   func(r *provenance.Record) { r.Session.Email = strings.Repeat("x", 1000) },
	} {
		r := record()
		spoil(&r)
		if _, err := r.Encode(); err == nil {
			t.Errorf("%s: encoded", name)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\nb\x00\xff" + strings.Repeat("é", 600))
	f.Fuzz(func(t *testing.T, s string) {
		r := record()
		r.Source = provenance.Line(s)
		if err := r.Check(); err != nil {
			t.Error(err)
		}
	})
}
