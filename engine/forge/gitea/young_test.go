package gitea_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/forge/gitea/giteatest"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/host/hosttest"
)

// TestYoungRepository: an empty repository has no pull requests, and one with a recent
// first push accepts one, although the server takes it for empty for a while.
func TestYoungRepository(t *testing.T) {
	server := giteatest.Start(t)
	for _, who := range []string{hosttest.Engine, hosttest.Ada, hosttest.Bob} {
		server.User(t, who)
	}
	b := emptyBench(t, server)
	h := connect(t, b.options(b.token(t, hosttest.Engine)))
	none, err := h.List(t.Context(), "proposal/", false)
	must(t, err)
	if len(none) > 0 {
		t.Fatalf("%+v", none)
	}
	root := b.commit(t, "README.md", "# A workspace\n")
	b.push(t, hosttest.Engine, hosttest.Base, root)
	b.push(t, hosttest.Engine, "proposal/csv", b.commit(t, "skills/csv.md", "csv", root))
	made, err := h.Create(t.Context(), host.New{Branch: "proposal/csv", Base: "main", Title: "CSV"})
	must(t, err)
	list, err := h.List(t.Context(), "proposal/", true)
	must(t, err)
	if len(list) != 1 || list[0].Number != made.Number {
		t.Errorf("%+v, made %+v", list, made)
	}
}
