package journal_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// TestUnreadableEvents: malformed events are an error of the journal, not of the environment; a
// reader that blamed the disk would block everything.
func TestUnreadableEvents(t *testing.T) {
	for name, change := range map[string]func(*gitstore.Commit){
		"kind": func(c *gitstore.Commit) {
			c.Message = strings.Replace(c.Message, "Assent-Event: opened", "Assent-Event: O", 1)
		},
		"time":  func(c *gitstore.Commit) { c.Message = strings.Replace(c.Message, "Assent-At: 2", "Assent-At: x", 1) },
		"by":    func(c *gitstore.Commit) { c.Message = strings.Replace(c.Message, "Assent-By: ", "Assent-Bye: ", 1) },
		"value": func(c *gitstore.Commit) { c.Message = strings.Replace(c.Message, "Assent-By: ", "Assent-By: \\q", 1) },
	} {
		repo, ref := rewritten(t, change)
		if _, err := journal.Read(repo, ref); !errors.Is(err, journal.ErrNotJournal) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCheck: the commit of an event must show in git log what its trailers say.
func TestCheck(t *testing.T) {
	for name, change := range map[string]func(*gitstore.Commit){
		"":          func(*gitstore.Commit) {},
		"message":   func(c *gitstore.Commit) { c.Message = strings.Replace(c.Message, "opened: ", "merged: ", 1) },
		"author":    func(c *gitstore.Commit) { c.Author.Name = "Ada" },
		"committer": func(c *gitstore.Commit) { c.Committer.When = c.Committer.When.AddDate(0, 0, 1) },
	} {
		repo, ref := rewritten(t, change)
		events, err := journal.Read(repo, ref)
		if err != nil {
			t.Fatal(err)
		}
		err = journal.Check(repo, events)
		if (err == nil) != (name == "") || err != nil && (!errors.Is(err, journal.ErrNotJournal) || !strings.Contains(err.Error(), name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// rewritten returns a journal of one event with its commit changed.
func rewritten(t *testing.T, change func(*gitstore.Commit)) (*gitstore.Repo, string) {
	t.Helper()
	const ref = "refs/assent/pulls/x"
	repo, err := gitstore.Init(t.TempDir())
	if err == nil {
		_, err = journal.Append(repo, ref, func([]journal.Event) (*journal.Event, error) {
			return &journal.Event{Kind: "opened", At: began, By: " Eve Adams,", Note: "a note\n\nin two parts", Fields: map[string]string{"Empty": ""}}, nil
		})
	}
	var h tree.Hash
	var c gitstore.Commit
	if err == nil {
		h, err = repo.Ref(ref)
	}
	if err == nil {
		c, err = repo.Commit(h)
	}
	if err != nil {
		t.Fatal(err)
	}
	change(&c)
	now, err := repo.WriteCommit(c, nil)
	if err == nil {
		err = repo.Update(gitstore.RefUpdate{Name: ref, Old: h, New: now})
	}
	if err != nil {
		t.Fatal(err)
	}
	return repo, ref
}
