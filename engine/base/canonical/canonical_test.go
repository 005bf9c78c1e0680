package canonical_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/canonical"
)

type record struct {
	V    int    `json:"v"`
	Text string `json:"text,omitempty"`
}

var errVersion = errors.New("another version")

func (r record) Encode() ([]byte, error) {
	if r.V != 1 {
		return nil, errVersion
	}
	return canonical.Line(r)
}

func TestRoundTrip(t *testing.T) {
	r := record{1, "a <b> & \u2028"}
	data, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"v":1,"text":"a <b> & \u2028"}` + "\n"; string(data) != want {
		t.Errorf("%q, want %q", data, want)
	}
	if got, err := canonical.Decode[record]("", data, len(data)); err != nil || got != r {
		t.Errorf("%+v, %v", got, err)
	}
	text, err := canonical.Text(r)
	if err != nil || !strings.HasPrefix(string(text), "{\n  \"v\": 1,\n") {
		t.Errorf("%q, %v", text, err)
	}
}

func TestOneFormOnly(t *testing.T) {
	const most = 40
	for name, tc := range map[string]struct {
		data string
		want error
	}{
		"unknown field":   {`{"v":1,"extra":2}` + "\n", canonical.ErrForm},
		"a field twice":   {`{"v":1,"v":1}` + "\n", canonical.ErrForm},
		"capitals":        {`{"V":1}` + "\n", canonical.ErrForm},
		"spaces":          {`{"v": 1}` + "\n", canonical.ErrForm},
		"an escape":       {`{"v":1,"text":"\u0061"}` + "\n", canonical.ErrForm},
		"no line end":     {`{"v":1}`, canonical.ErrForm},
		"two line ends":   {`{"v":1}` + "\n\n", canonical.ErrForm},
		"an empty field":  {`{"v":1,"text":""}` + "\n", canonical.ErrForm},
		"another version": {`{"v":2,"new":true}` + "\n", errVersion},
		"null":            {"null\n", errVersion},
		"nothing":         {"", nil},
		"two records":     {`{"v":1}` + "\n" + `{"v":1}` + "\n", nil},
		"too long":        {`{"v":1,"text":"` + strings.Repeat("a", most) + `"}` + "\n", nil},
	} {
		got, err := canonical.Decode[record]("", []byte(tc.data), most)
		if err == nil || tc.want != nil && !errors.Is(err, tc.want) || got != (record{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
