package stage_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/sandbox/stage"
)

func full() stage.Order {
	return stage.Order{
		Args: []string{"/usr/bin/true", "", "a=b"}, Env: []string{"A=", "B=c\nd"}, User: 65534,
		Writable: []string{"/scratch"}, Runnable: []string{"/usr", "/code"},
		Limits: map[int]uint64{0: 1, 7: 0, 15: 1<<64 - 1}, Port: 3128, Channel: 5,
	}
}

func TestOrder(t *testing.T) {
	got, err := stage.Parse(full().Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(full(), got); diff != "" {
		t.Error(diff)
	}
}

// What cannot be read in full is not carried out in part.
func TestDamagedOrders(t *testing.T) {
	for _, text := range []string{
		"", "a", "a\x00", "a/bin/true", "a/bin/true\x00u0\x00", "a/bin/true\x00u-1\x00", "a/bin/true\x00ux\x00", "a/bin/true\x00z\x00", "a/bin/true\x00\x00",
		"a/bin/true\x00l16=1\x00", "a/bin/true\x00l1\x00", "a/bin/true\x00lx=1\x00", "a/bin/true\x00l1=-1\x00", "a/bin/true\x00p3128\x00", "a/bin/true\x00c3\x00",
		"a/bin/true\x00p65536\x00c3\x00",
	} {
		if o, err := stage.Parse([]byte(text)); err == nil {
			t.Errorf("%q gave %+v", text, o)
		}
	}
}

func FuzzOrder(f *testing.F) {
	f.Add(full().Bytes())
	f.Add([]byte("a/bin/true\x00l0=1\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := stage.Parse(text)
		if err != nil {
			return
		}
		again, err := stage.Parse(o.Bytes())
		if err != nil || !cmp.Equal(o, again) || !bytes.Equal(o.Bytes(), again.Bytes()) {
			t.Fatalf("%+v became %+v, %v", o, again, err)
		}
	})
}
