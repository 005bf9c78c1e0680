package hosttest

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
)

func testDescribe(s *suite) {
	r := s.open("csv")
	s.ok(s.host.Describe(s.ctx, r.Number, "Read CSV", "Another body"))
	found := s.find(r.Branch)
	s.same("title", found.Title, "Read CSV")
	s.same("body", found.Body, "Another body")
	s.same("writes of what is there", s.writes(func(h host.Host) {
		s.ok(h.Describe(s.ctx, r.Number, "Read CSV", "Another body"))
	}), 0)
	s.ok(s.host.Describe(s.ctx, r.Number, "Read CSV", ""))
	s.same("no body", s.find(r.Branch).Body, "")
	s.denied("what is not there", s.host.Describe(s.ctx, r.Number+1000, "x", "y"))
}

// testHostileTexts: texts of others are returned unchanged. Truncation is stable: a
// second call with the same text writes nothing.
func testHostileTexts(s *suite) {
	r := s.open("csv")
	for _, text := range []string{
		"$(reboot) `id` ${{ github.token }} <script>alert(1)</script>",
		"WIP: draft: [WIP] \"quotes\" \\ and 日本語 and émojis 🎉",
		strings.Repeat("very long ", 60) + "end",
		" spaces around ",
	} {
		s.ok(s.host.Describe(s.ctx, r.Number, text, text+"\r\n<!-- assent -->\n"+text))
		found := s.find(r.Branch)
		if len(text) < 200 && found.Title != strings.TrimSpace(text) {
			s.Errorf("the title %q became %q", text, found.Title)
		}
		if !strings.Contains(found.Body, strings.TrimSpace(text)) {
			s.Errorf("the body %q became %q", text, found.Body)
		}
		s.same("writes the second time", s.writes(func(h host.Host) {
			s.ok(h.Describe(s.ctx, r.Number, text, text+"\r\n<!-- assent -->\n"+text))
		}), 0)
	}
}

func testEditedByHand(s *suite) {
	r := s.open("csv")
	s.Edit(s.T, Ada, r.Number, "By hand", "Approved by everybody")
	found := s.find(r.Branch)
	s.same("title", found.Title, "By hand")
	s.same("body", found.Body, "Approved by everybody")
	s.same("author", found.Author, s.Login(Engine))
	s.ok(s.host.Describe(s.ctx, r.Number, r.Title, r.Body))
	s.same("set back", plain(s.find(r.Branch)), plain(r))
}

func testSetOpen(s *suite) {
	r := s.open("csv")
	for _, open := range []bool{false, false, true, true} {
		s.ok(s.host.SetOpen(s.ctx, r.Number, open))
		found := s.find(r.Branch)
		s.same("open", found.Open, open)
		s.same("number", found.Number, r.Number)
		s.same("head", found.Head, r.Head)
	}
	s.same("writes of what is so", s.writes(func(h host.Host) { s.ok(h.SetOpen(s.ctx, r.Number, true)) }), 0)
	s.SetOpen(s.T, Ada, r.Number, false)
	s.same("closed by hand", s.find(r.Branch).Open, false)
	s.ok(s.host.SetOpen(s.ctx, r.Number, true))
	s.same("opened again", s.find(r.Branch).Open, true)
	s.denied("what is not there", s.host.SetOpen(s.ctx, r.Number+1000, false))
}

// testSetOpenWithoutBranch: a pull request without its branch is closed, is still found
// by the branch's name, and can be reopened once the branch is restored.
func testSetOpenWithoutBranch(s *suite) {
	s.needs(Branches)
	r := s.open("csv")
	s.ok(s.host.SetOpen(s.ctx, r.Number, false))
	s.Push(s.T, Ada, r.Branch, gone)
	s.denied("without a branch", s.host.SetOpen(s.ctx, r.Number, true))
	found := s.find(r.Branch)
	s.same("number", found.Number, r.Number)
	s.same("open", found.Open, false)
	s.same("branch", found.Branch, r.Branch)
	s.Push(s.T, Engine, r.Branch, r.Head)
	s.until("opening again", func() string { return said(s.host.SetOpen(s.ctx, r.Number, true)) })
	s.same("open", s.find(r.Branch).Open, true)
}

func said(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

// testFollow: the head follows the branch after some time, regardless of who moved it.
func testFollow(s *suite) {
	s.needs(Following)
	r := s.open("csv")
	next := s.Commit(s.T, "skills/more.md", "more", r.Head)
	forced := s.Commit(s.T, "skills/other.md", "other", s.Tip(s.T, Base))
	for who, head := range map[string]tree.Hash{Ada: next, Bob: forced} {
		s.Push(s.T, who, r.Branch, head)
		s.until("the head", func() string {
			if found := s.find(r.Branch); found.Head != head || found.Number != r.Number || !found.Open {
				return plain(found)
			}
			return ""
		})
	}
}
