package local_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// deed is an action on a pull request.
type deed func(t *testing.T, f *local.Forge, r *gitstore.Repo, p forge.Pull)

func says(text string) deed {
	return func(t *testing.T, f *local.Forge, _ *gitstore.Repo, p forge.Pull) {
		must(t, f.Comment(t.Context(), p.ID, forge.Comment{By: forge.Actor{Name: "jochi"}, Body: text, At: epoch.Add(time.Hour)}))
	}
}

func approves(name string) deed {
	return func(t *testing.T, f *local.Forge, r *gitstore.Repo, p forge.Pull) {
		must(t, f.Review(t.Context(), p.ID, person(t, f, name).Review(p.ID, tip(t, r, "refs/heads/"+p.Branch), review.Approve, "")))
	}
}

func pushes(content string) deed {
	return func(t *testing.T, f *local.Forge, r *gitstore.Repo, p forge.Pull) {
		at := tip(t, r, "refs/heads/"+p.Branch)
		_, err := f.Push(t.Context(), p.ID, forge.Push{By: p.Author, Old: at, New: child(t, r, at, content), At: epoch.Add(time.Hour)})
		must(t, err)
	}
}

func closes(why string) deed {
	return func(t *testing.T, f *local.Forge, _ *gitstore.Repo, p forge.Pull) {
		must(t, f.Close(t.Context(), p.ID, forge.Closing{Why: why, At: epoch.Add(time.Hour)}))
	}
}

func merges(t *testing.T, f *local.Forge, r *gitstore.Repo, p forge.Pull) {
	_, err := f.Merge(t.Context(), p.ID, merging(t, r, p.ID))
	must(t, err)
}

func byHand(content string) deed {
	return func(t *testing.T, _ *local.Forge, r *gitstore.Repo, p forge.Pull) {
		put(t, r, "refs/heads/"+p.Branch, child(t, r, tip(t, r, "refs/heads/"+p.Branch), content))
	}
}

// TestJoin makes changes to one pull request in two repositories and joins them. It
// checks the resulting events, the events kept aside, and the branch.
func TestJoin(t *testing.T) {
	for _, tc := range []struct {
		name        string
		mine, there []deed
		want        []string // events after the opening
		aside       []string
		state       forge.State
		branch      string // content on it; "" for none
		stays       bool
	}{
		{"nothing here", nil, []deed{says("b"), approves("ann")}, []string{"comment", "review"}, nil, forge.Open, "x", false},
		{"nothing there", []deed{says("a")}, nil, []string{"comment"}, nil, forge.Open, "x", false},
		{"remarks", []deed{says("a")}, []deed{says("b")}, []string{"comment", "comment"}, nil, forge.Open, "x", false},
		{"the same remark", []deed{says("a")}, []deed{says("a")}, []string{"comment"}, nil, forge.Open, "x", false},
		{"the same remark after another", []deed{says("b"), says("a")}, []deed{says("a")}, []string{"comment", "comment"}, nil, forge.Open, "x", false},
		{"two reviews", []deed{approves("ann")}, []deed{approves("bo")}, []string{"review", "review"}, nil, forge.Open, "x", false},
		{"a push there", nil, []deed{pushes("2")}, []string{"pushed"}, nil, forge.Open, "2", false},
		{"a push there, a review here", []deed{approves("ann")}, []deed{pushes("2")}, []string{"pushed", "review"}, nil, forge.Open, "2", false},
		{"a push here, a remark there", []deed{pushes("1")}, []deed{says("b")}, []string{"comment", "pushed"}, nil, forge.Open, "1", false},
		{"two pushes", []deed{pushes("1"), approves("ann")}, []deed{pushes("2")}, []string{"pushed"}, []string{"pushed", "review"}, forge.Open, "2", false},
		{"the same push", []deed{pushes("1")}, []deed{pushes("1")}, []string{"pushed"}, nil, forge.Open, "1", false},
		{"merged there", []deed{approves("ann"), says("a")}, []deed{merges}, []string{"merging", "merged", "comment"}, []string{"review"}, forge.Merged, "", false},
		{"merged here", []deed{merges}, []deed{says("b")}, []string{"comment", "merging", "merged"}, nil, forge.Merged, "", false},
		{"merged here, pushed there", []deed{merges}, []deed{pushes("2")}, []string{"pushed"}, []string{"merging", "merged"}, forge.Open, "2", false},
		{"closed there", []deed{approves("ann")}, []deed{closes("withdrawn")}, []string{"closed"}, []string{"review"}, forge.Closed, "", false},
		{"closed here, merged there", []deed{closes("withdrawn")}, []deed{merges}, []string{"merging", "merged"}, []string{"closed"}, forge.Merged, "", false},
		{"closed twice", []deed{closes("withdrawn")}, []deed{closes("withdrawn")}, []string{"closed"}, nil, forge.Closed, "", false},
		{"closed here", []deed{closes("withdrawn")}, []deed{says("b")}, []string{"comment", "closed"}, nil, forge.Closed, "", false},
		{"moved there by hand", nil, []deed{byHand("2")}, nil, nil, forge.Open, "2", false},
		{"moved here by hand", []deed{byHand("1")}, []deed{says("b")}, []string{"comment"}, nil, forge.Open, "1", false},
		{"moved here by hand, pushed there", []deed{byHand("1")}, []deed{pushes("2")}, []string{"pushed"}, nil, forge.Open, "1", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRepo(t)
			f := local.New(r)
			p := opened(t, f, r, "x")
			refs := []string{local.PullPrefix + p.ID, "refs/heads/" + p.Branch, "refs/heads/main"}
			at := func() (out []tree.Hash) {
				for _, ref := range refs {
					out = append(out, tip(t, r, ref))
				}
				return out
			}
			began := at()
			for _, do := range tc.there {
				do(t, f, r, p)
			}
			there := at()
			for i, ref := range refs {
				put(t, r, ref, began[i])
			}
			put(t, r, "refs/assent-remotes/origin/heads/main", there[2]) // a pull fetches it
			for _, do := range tc.mine {
				do(t, f, r, p)
			}
			mine := at()
			u, err := f.Join(p.ID, local.Theirs{Journal: there[0], Branch: there[1]}, func(string) bool { return false })
			must(t, err)
			joined(t, f, r, p, tc.want, tc.state, tc.branch)
			if kinds := asides(u); !slices.Equal(kinds, tc.aside) || (u.Stays != "") != tc.stays {
				t.Errorf("kept aside %v, want %v; stays %q", kinds, tc.aside, u.Stays)
			}
			if len(tc.aside) > 0 && tip(t, r, u.AsideRef) != mine[0] {
				t.Errorf("%s does not keep what was written here", u.AsideRef)
			}
			before := tip(t, r, refs[0])
			again, err := f.Join(p.ID, local.Theirs{Journal: before, Branch: tip(t, r, refs[1])}, func(string) bool { return false })
			must(t, err)
			if again.Took+again.Again > 0 || tip(t, r, refs[0]) != before {
				t.Errorf("once more it is %+v", again)
			}
		})
	}
}

func asides(u local.Joined) (kinds []string) {
	for _, a := range u.Aside {
		kinds = append(kinds, a.Event.Kind)
	}
	return kinds
}

// joined compares journal, state and branch with the expected ones.
func joined(t *testing.T, f *local.Forge, r *gitstore.Repo, p forge.Pull, want []string, state forge.State, branch string) {
	t.Helper()
	events, err := journal.Read(r, local.PullPrefix+p.ID)
	must(t, err)
	var kinds []string
	for _, e := range events[1:] {
		kinds = append(kinds, e.Kind)
	}
	now, err := f.Get(t.Context(), p.ID)
	must(t, err)
	if !slices.Equal(kinds, want) || now.State != state || len(events) > 1 && events[len(events)-1].Fields["State"] != string(state) {
		t.Errorf("%v leave it %s, want %v and %s", kinds, now.State, want, state)
	}
	content := ""
	if h := tip(t, r, "refs/heads/"+p.Branch); !h.IsZero() {
		view, err := r.Snapshot(h)
		must(t, err)
		e, err := view.Lookup("skills/x.md")
		must(t, err)
		data, err := r.Blob(e.Hash)
		must(t, err)
		content = string(data)
	}
	if content != branch {
		t.Errorf("the branch holds %q, want %q", content, branch)
	}
}

// TestJoinOfEngines: a proposal that the engine opened here gives way to the one that it opened elsewhere, and is
// kept aside; so does one that a run of a workflow made, for that of the same run elsewhere. One that a person opened
// otherwise, or did anything to, does not.
func TestJoinOfEngines(t *testing.T) {
	engine, person := forge.Actor{Name: "assent"}, forge.Actor{Name: "kublai"}
	for name, tc := range map[string]struct {
		mine, there forge.Actor
		did, done   []deed
		yields      bool
		state       forge.State
		branch      string
		ofRun       bool
	}{
		"two engines":              {engine, engine, nil, nil, true, forge.Open, "there", false},
		"merged there":             {engine, engine, nil, []deed{merges}, true, forge.Merged, "", false},
		"reviewed here":            {engine, engine, []deed{approves("ann")}, nil, false, forge.Open, "mine", false},
		"a remark here":            {engine, engine, []deed{says("a")}, nil, false, forge.Open, "mine", false},
		"merged here":              {engine, engine, []deed{merges}, nil, false, forge.Merged, "", false},
		"a person's":               {person, engine, nil, nil, false, forge.Open, "mine", false},
		"of a person's there":      {engine, person, nil, nil, false, forge.Open, "mine", false},
		"of one run":               {person, forge.Actor{Name: "mongke"}, nil, nil, true, forge.Open, "there", true},
		"of one run, merged there": {person, person, nil, []deed{merges}, true, forge.Merged, "", true},
		"of one run, reviewed":     {person, person, []deed{approves("ann")}, nil, false, forge.Open, "mine", true},
		"of one run, a remark":     {person, person, []deed{says("a")}, nil, false, forge.Open, "mine", true},
		"of one run, merged":       {person, person, []deed{merges}, nil, false, forge.Merged, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			f := local.New(r)
			main := tip(t, r, "refs/heads/main")
			open := func(by forge.Actor, content string, at time.Time) forge.Pull {
				o := opening(t, r, "x")
				o.Author, o.Head, o.At = by, child(t, r, child(t, r, main, "x"), content), at
				p, err := f.Open(t.Context(), o)
				must(t, err)
				return p
			}
			p := open(tc.there, "there", epoch)
			for _, do := range tc.done {
				do(t, f, r, p)
			}
			theirs := local.Theirs{Journal: tip(t, r, local.PullPrefix+p.ID), Branch: tip(t, r, "refs/heads/"+p.Branch), OfRun: func() bool { return tc.ofRun }}
			put(t, r, "refs/assent-remotes/origin/heads/main", tip(t, r, "refs/heads/main"))
			put(t, r, "refs/heads/main", main)
			for _, ref := range []string{local.PullPrefix + p.ID, "refs/heads/" + p.Branch} {
				if at := tip(t, r, ref); !at.IsZero() {
					must(t, r.Update(gitstore.RefUpdate{Name: ref, Old: at}))
				}
			}
			p = open(tc.mine, "mine", epoch.Add(time.Minute))
			for _, do := range tc.did {
				do(t, f, r, p)
			}
			mine := tip(t, r, local.PullPrefix+p.ID)
			u, err := f.Join(p.ID, theirs, func(string) bool { return false })
			if (err == nil) != tc.yields || err != nil && !errors.Is(err, forge.ErrExists) {
				t.Fatalf("%+v, %v", u, err)
			}
			want := mine
			if tc.yields {
				if want = theirs.Journal; tip(t, r, u.AsideRef) != mine || len(u.Aside) != 1 {
					t.Errorf("kept aside: %+v", u)
				}
			}
			if tip(t, r, local.PullPrefix+p.ID) != want {
				t.Error("it is another journal")
			}
			now, err := f.Get(t.Context(), p.ID)
			must(t, err)
			content := ""
			if h := tip(t, r, "refs/heads/"+p.Branch); !h.IsZero() {
				view, err := r.Snapshot(h)
				must(t, err)
				data, err := view.Read("skills/x.md")
				must(t, err)
				content = string(data)
			}
			if now.State != tc.state || content != tc.branch {
				t.Errorf("it is %s with %q, want %s with %q", now.State, content, tc.state, tc.branch)
			}
		})
	}
}

// TestJoinRefuses: content that is not a journal of this proposal moves no ref.
func TestJoinRefuses(t *testing.T) {
	r := newRepo(t)
	f := local.New(r)
	p := opened(t, f, r, "x")
	other := opened(t, f, r, "y")
	before := tip(t, r, local.PullPrefix+p.ID)
	var damaged *forge.Damaged
	for name, journal := range map[string]tree.Hash{
		"a commit":               tip(t, r, "refs/heads/main"),
		"another's journal":      tip(t, r, local.PullPrefix+other.ID),
		"an object that is none": tree.BlobHash([]byte("x")),
	} {
		_, err := f.Join(p.ID, local.Theirs{Journal: journal}, func(string) bool { return false })
		if err == nil || !errors.As(err, &damaged) && !errors.Is(err, forge.ErrExists) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if tip(t, r, local.PullPrefix+p.ID) != before {
		t.Error("the journal moved")
	}
}
