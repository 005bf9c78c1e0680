//go:build amd64 || arm64

package sandbox

import (
	"strings"
	"testing"
)

func TestRemedy(t *testing.T) {
	for said, want := range map[string]string{
		"bwrap: Unknown option --disable-userns":               "0.8",
		"closing descriptors: invalid argument":                "5.11",
		"bwrap: setting up uid map: Permission denied":         "AppArmor",
		"bwrap: Can't mount proc on /newroot/proc":             "systempaths=unconfined",
		"bwrap: Creating new namespace failed: not permitted?": "seccomp=unconfined",
	} {
		if got := remedy(said); !strings.Contains(got, want) {
			t.Errorf("%q: %q, want something of %s", said, got, want)
		}
	}
}
