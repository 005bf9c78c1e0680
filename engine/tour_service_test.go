package engine_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/forge/gitea/giteatest"
)

// TestTourOnAService types the tour of docs/services.md against a real Gitea. What a person
// does on a page is a comment there; "bob approves" is done by the service's API.
func TestTourOnAService(t *testing.T) {
	server := giteatest.Start(t)
	for _, name := range []string{"ada", "bob"} {
		server.User(t, name)
	}
	repo := server.Repo(t, "ada", "bob")
	repo.Settings(t, map[string]any{"allow_manual_merge": true})
	shell := newTourist(t)
	pages := 0
	for _, step := range tour(t, "docs/services.md", "A tour") {
		if strings.HasPrefix(step.command, "# ") {
			pages++
			approve := map[string]any{"event": "APPROVED", "body": "fine"}
			server.Do(t, "bob", "POST", repo.Path("/pulls/3/reviews"), approve, nil)
			continue
		}
		command := strings.ReplaceAll(step.command, "https://git.example.org/ada/agents.git", server.URL+"/"+repo.Owner+"/"+repo.Name+".git")
		command = strings.ReplaceAll(command, "ASSENT_TOKEN=…", "ASSENT_TOKEN="+server.Token(t, "ada"))
		got := strings.ReplaceAll(shell.enter(command), server.URL+"/"+repo.Owner+"/"+repo.Name, "https://git.example.org/ada/agents")
		shell.compare(step, got)
	}
	if pages != 1 {
		t.Errorf("the tour has %d steps on a page", pages)
	}
}
