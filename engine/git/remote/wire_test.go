package remote

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

func packets(lines ...string) []byte {
	var out bytes.Buffer
	e := pktline.NewEncoder(&out)
	for _, l := range lines {
		if err := e.EncodeString(l); err != nil {
			panic(err)
		}
	}
	return out.Bytes()
}

// FuzzAdvertisement: parsing any input ends, and accepted refs are well formed.
func FuzzAdvertisement(f *testing.F) {
	h := strings.Repeat("a", 40)
	f.Add(packets(h+" refs/heads/main\x00report-status atomic\n", h+" .have\n", ""))
	f.Add(packets(strings.Repeat("0", 40)+" capabilities^{}\x00report-status object-format=sha256", ""))
	f.Add(packets("version 1\n", "ERR no such repository"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		ad, err := readAdvertisement(bytes.NewReader(raw))
		if err != nil {
			return
		}
		for name := range ad.refs {
			if gitstore.CheckRefName(name) != nil {
				t.Errorf("%q is taken for a ref", name)
			}
		}
		if !ad.capabilities["report-status"] {
			t.Error("it is believed to report")
		}
	})
}

func FuzzReport(f *testing.F) {
	status := packets("unpack ok\n", "ok refs/heads/main\n", "ng refs/heads/x hook declined\n", "")
	f.Add(status, false)
	f.Add(packets("\x02remote says\n", "\x01"+string(status), ""), true)
	f.Add(packets("\x03died"), true)
	f.Add(packets("unpack disk full\n", ""), false)
	f.Fuzz(func(t *testing.T, raw []byte, sideBand bool) {
		answer, err := readReport(bytes.NewReader(raw), sideBand)
		if len(answer.words) > maxWords {
			t.Errorf("%d bytes of words", len(answer.words))
		}
		if err == nil && answer.unpack == "" {
			t.Error("a report without a result was taken")
		}
	})
}

func TestReport(t *testing.T) {
	status := packets("unpack ok\n", "ok refs/heads/main\n", "ng refs/heads/x hook declined\n", "")
	for _, sideBand := range []bool{false, true} {
		raw := status
		if sideBand {
			raw = packets("\x02no\n", "\x01"+string(status[:9]), "\x01"+string(status[9:]), "")
		}
		answer, err := readReport(bytes.NewReader(raw), sideBand)
		reason, told := answer.refs["refs/heads/main"]
		if err != nil || answer.unpack != "ok" || !told || reason != "" || answer.refs["refs/heads/x"] != "hook declined" {
			t.Errorf("%+v, %v", answer, err)
		}
		if _, err := readReport(bytes.NewReader(raw[:len(raw)-4]), sideBand); err == nil {
			t.Error("a report that was cut short was taken")
		}
	}
}

func TestPorcelain(t *testing.T) {
	got := porcelain("To ../hub\n*\taaaa:refs/heads/x\t[new reference]\n!\tbbbb:refs/heads/main\t[remote rejected] (hook declined)\n!\t:refs/heads/y\t[rejected] (stale info)\nDone\n")
	if len(got) != 3 || got["refs/heads/x"] != "" || got["refs/heads/main"] != "hook declined" || got["refs/heads/y"] != "stale info" {
		t.Errorf("%q", got)
	}
}
