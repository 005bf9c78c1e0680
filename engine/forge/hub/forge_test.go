package hub_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

// TestTraits: a clone that shares merges through a hub still makes other changes alone,
// so maintenance must not fold its journals as if others agreed to each change. The
// variants for reading keep their merges on the hub.
func TestTraits(t *testing.T) {
	f := hub.Of(hub.New(storetest.NewRepo(t), "origin", nil))
	want := forge.Traits{Remote: "origin"}
	for name, got := range map[string]forge.Forge{"itself": f, "closely": f.Closely(), "at a glance": f.Glancing(nil)} {
		if got.Traits() != want {
			t.Errorf("%s: %+v, want %+v", name, got.Traits(), want)
		}
	}
}
