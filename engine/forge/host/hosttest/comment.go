package hosttest

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/forge/host"
)

// comments returns the shown facts of each remark except its time, which must exist.
func (s *suite) comments(number int) []string {
	s.Helper()
	list, err := s.host.Comments(s.ctx, number)
	s.ok(err)
	var out []string
	for _, c := range list {
		if c.At.IsZero() {
			s.Errorf("a comment without a time: %+v", c)
		}
		out = append(out, remark(c.Login, c.Key, c.Body))
	}
	return out
}

func remark(login, key, body string) string { return fmt.Sprintf("%s [%s] %q", login, key, body) }

func testComments(s *suite) {
	r := s.open("csv")
	s.same("none", s.comments(r.Number), []string(nil))
	bodies := []string{"Plain", "| a | b |\n| - | - |\n\n<details>\n\nmore\n</details>", "日本語 <!-- assent --> 🎉", "<!-- assent:report -->\nimitated", "Plain"}
	var want []string
	for _, body := range bodies {
		s.ok(s.host.Comment(s.ctx, r.Number, "", body))
		want = append(want, remark(s.Login(Engine), "", body))
	}
	s.Say(s.T, Ada, r.Number, "Why?")
	want = append(want, remark(s.Login(Ada), "", "Why?"))
	s.same("comments", s.comments(r.Number), want)
	s.ok(s.host.SetOpen(s.ctx, r.Number, false))
	s.ok(s.host.Comment(s.ctx, r.Number, "", "Closed now"))
	s.same("comments", s.comments(r.Number), append(want, remark(s.Login(Engine), "", "Closed now")))
	s.denied("what is not there", s.host.Comment(s.ctx, r.Number+1000, "", "x"))
}

func testCommentsLong(s *suite) {
	r := s.open("csv")
	var want []string
	for i := range s.Page + 2 {
		s.Say(s.T, Ada, r.Number, fmt.Sprint("Remark ", i))
		want = append(want, remark(s.Login(Ada), "", fmt.Sprint("Remark ", i)))
	}
	s.ok(s.host.Comment(s.ctx, r.Number, "report", "1"))
	s.ok(s.host.Comment(s.ctx, r.Number, "report", "2"))
	s.same("comments", s.comments(r.Number), append(want, remark(s.Login(Engine), "report", "2")))
}

func testCommentKey(s *suite) {
	r := s.open("csv")
	s.ok(s.host.Comment(s.ctx, r.Number, "report", "First"))
	s.Say(s.T, Ada, r.Number, "Between")
	s.ok(s.host.Comment(s.ctx, r.Number, "report-2", "Other"))
	s.ok(s.host.Comment(s.ctx, r.Number, "report", "Second\n\n<!-- a comment --> of ours"))
	s.ok(s.host.Comment(s.ctx, r.Number, "--> <b>", "A key that is no word"))
	s.same("comments", s.comments(r.Number), []string{
		remark(s.Login(Engine), "report", "Second\n\n<!-- a comment --> of ours"), remark(s.Login(Ada), "", "Between"),
		remark(s.Login(Engine), "report-2", "Other"), remark(s.Login(Engine), "--> <b>", "A key that is no word"),
	})
	for _, body := range s.Raw(s.T, r.Number) {
		if strings.Contains(strings.ReplaceAll(body, "a comment -->", ""), "--> <b>") {
			s.Errorf("the key ends its own marker: %q", body)
		}
	}
	s.same("writes of what is there", s.writes(func(h host.Host) {
		s.ok(h.Comment(s.ctx, r.Number, "report-2", "Other"))
	}), 0)
	s.ok(s.as(Ada).Comment(s.ctx, r.Number, "report", "Ada's own"))
	s.same("comments", len(s.comments(r.Number)), 5)
}

// testCommentImitated: a person's exact copy of a marker is an ordinary remark: it has no
// key and is not replaced.
func testCommentImitated(s *suite) {
	r, other := s.open("csv"), s.open("other")
	s.ok(s.host.Comment(s.ctx, other.Number, "report", "Passed"))
	raw := s.Raw(s.T, other.Number)
	s.same("comments", len(raw), 1)
	s.Say(s.T, Ada, r.Number, raw[0])
	s.ok(s.host.Comment(s.ctx, r.Number, "report", "Failed"))
	s.ok(s.host.Comment(s.ctx, r.Number, "report", "Failed twice"))
	list, err := s.host.Comments(s.ctx, r.Number)
	s.ok(err)
	if len(list) != 2 {
		s.Fatalf("comments: %+v", list)
	}
	s.same("theirs", remark(list[0].Login, list[0].Key, ""), remark(s.Login(Ada), "", ""))
	s.same("ours", remark(list[1].Login, list[1].Key, list[1].Body), remark(s.Login(Engine), "report", "Failed twice"))
}
