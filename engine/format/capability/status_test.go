package capability_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
)

// TestSetStatus: exactly one word changes.
func TestSetStatus(t *testing.T) {
	for _, tc := range []struct{ src, want string }{
		{"kind: tool\nstatus: active # for now\nversion: 1.0.0\n", "kind: tool\nstatus: testing # for now\nversion: 1.0.0\n"},
		{"kind: tool\r\nstatus:   active\r\n", "kind: tool\r\nstatus: testing\r\n"},
		{"kind: tool\nversion: 1.0.0", "kind: tool\nversion: 1.0.0\nstatus: testing\n"},
		{"run: {entry: status}\n", "run: {entry: status}\nstatus: testing\n"},
		{"{kind: tool, status: active}\n", ""},
		{"kind: tool\nstatus: \"active\"\n", ""},
	} {
		got, ok := capability.SetStatus([]byte(tc.src), capability.Testing)
		if string(got) != tc.want && ok || ok != (tc.want != "") {
			t.Errorf("%q becomes %q, %v, want %q", tc.src, got, ok, tc.want)
		}
	}
}
