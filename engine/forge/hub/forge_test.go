package hub_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

// A clone that shares its merges with a hub makes all other changes alone, so maintenance must
// not fold its journals as if each change were agreed on. Its variants for reading keep the
// merges on the hub.
func TestTraits(t *testing.T) {
	f := hub.Of(hub.New(storetest.NewRepo(t), "origin", nil))
	want := forge.Traits{Remote: "origin"}
	for name, got := range map[string]forge.Forge{"itself": f, "closely": f.Closely(), "at a glance": f.Glancing(nil)} {
		if got.Traits() != want {
			t.Errorf("%s: %+v, want %+v", name, got.Traits(), want)
		}
	}
}
