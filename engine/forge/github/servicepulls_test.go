package github

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func invalid(resource, field string) any {
	return map[string]any{"resource": resource, "field": field, "code": "invalid"}
}

func custom(resource, message string) any {
	return map[string]any{"resource": resource, "code": "custom", "message": message}
}

const failed = "Validation Failed"

// show returns a pull request in GitHub's form.
func (s *service) show(p *pull) map[string]any {
	repo := map[string]any{"id": 77, "full_name": "guild/workspace", "name": "workspace"}
	labels, asked := []any{}, []any{}
	for _, l := range p.labels {
		labels = append(labels, label(l))
	}
	for _, who := range p.asked {
		asked = append(asked, account(who))
	}
	m := map[string]any{
		"number": p.number, "html_url": fmt.Sprintf("%s/guild/workspace/pull/%d", s.server.URL, p.number),
		"title": p.title, "body": p.body, "user": account(p.author), "state": "closed", "labels": labels, "requested_reviewers": asked,
		"head":       map[string]any{"ref": p.branch, "sha": p.head, "label": "guild:" + p.branch, "repo": repo},
		"base":       map[string]any{"ref": p.base, "sha": s.refs[p.base], "label": "guild:" + p.base, "repo": repo},
		"created_at": stamp(p.created), "updated_at": stamp(p.updated), "merged_at": nil, "merge_commit_sha": nil,
	}
	if p.open {
		// Before the merge, GitHub names its trial merge here.
		m["state"], m["merge_commit_sha"] = "open", strings.Repeat("9", 40)
	}
	if p.merge != "" {
		m["merged_at"], m["merge_commit_sha"] = stamp(p.merged), p.merge
	}
	return m
}

func (s *service) find(c call, part int) *pull {
	n, err := strconv.Atoi(c.path[part])
	if err != nil || n < 1 || n > len(s.pulls) {
		return nil
	}
	return s.pulls[n-1]
}

func (s *service) listPulls(c call) (int, any) {
	var out listing
	for _, p := range slices.Backward(s.pulls) {
		state := c.Get("state")
		if state != "all" && (state == "closed") == p.open || c.Has("head") && c.Get("head") != "guild:"+p.branch {
			continue
		}
		out = append(out, s.show(p))
	}
	// A pull request from a fork with the same branch name must be ignored.
	if c.Has("head") {
		return http.StatusOK, out
	}
	fork := s.show(&pull{number: 9999, author: "mallory", branch: "proposal/fork-00000001", base: "main", head: s.refs["main"], open: true})
	fork["head"].(map[string]any)["repo"] = map[string]any{"id": 78, "full_name": "mallory/workspace"}
	return http.StatusOK, append(listing{fork}, out...)
}

func (s *service) getPull(c call) (int, any) {
	p := s.find(c, 1)
	if p == nil {
		return 0, refuse(http.StatusNotFound, "Not Found")
	}
	m := s.show(p)
	m["merged"] = p.merge != ""
	return http.StatusOK, m
}

func (s *service) createPull(c call) (int, any) {
	branch, base := c.text("head"), c.text("base")
	switch {
	case s.refs[branch] == "":
		return 0, refuse(http.StatusUnprocessableEntity, failed, invalid("PullRequest", "head"))
	case s.refs[base] == "":
		return 0, refuse(http.StatusUnprocessableEntity, failed, invalid("PullRequest", "base"))
	case s.contains(s.refs[base], s.refs[branch]):
		return 0, refuse(http.StatusUnprocessableEntity, failed, custom("PullRequest", "No commits between "+base+" and "+branch))
	case slices.ContainsFunc(s.pulls, func(p *pull) bool { return p.open && p.branch == branch && p.base == base }):
		return 0, refuse(http.StatusUnprocessableEntity, failed, custom("PullRequest", "A pull request already exists for guild:"+branch+"."))
	}
	p := &pull{number: len(s.pulls) + 1, author: c.who, branch: branch, base: base, head: s.refs[branch],
		title: c.text("title"), body: c.text("body"), open: true, created: time.Now(), updated: time.Now()}
	s.pulls = append(s.pulls, p)
	return http.StatusCreated, s.show(p)
}

func (s *service) editPull(c call) (int, any) {
	p := s.find(c, 1)
	if p == nil {
		return 0, refuse(http.StatusNotFound, "Not Found")
	}
	if state, ok := c.body["state"]; ok && (state == "open") != p.open {
		switch {
		case p.merge != "":
			return 0, refuse(http.StatusUnprocessableEntity, failed, custom("PullRequest", "state cannot be changed. The pull request cannot be reopened."))
		case state == "open" && s.refs[p.branch] == "":
			return 0, refuse(http.StatusUnprocessableEntity, failed, custom("PullRequest", "state cannot be changed. The "+p.branch+" branch has been deleted."))
		case state == "open" && s.refs[p.branch] != p.head:
			return 0, refuse(http.StatusUnprocessableEntity, failed, custom("PullRequest", "state cannot be changed. The "+p.branch+" branch was force-pushed or recreated."))
		}
		p.open = state == "open"
	}
	if _, ok := c.body["title"]; ok {
		p.title = c.text("title")
	}
	if _, ok := c.body["body"]; ok {
		p.body = c.text("body")
	}
	p.updated = time.Now()
	return http.StatusOK, s.show(p)
}

// push moves a branch and imitates GitHub's reaction.
func (s *service) push(who, branch, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	zero := strings.Repeat("0", 40)
	from := s.refs[branch]
	kind := "push"
	switch {
	case from == "":
		from, kind = zero, "branch_creation"
	case to == "":
		kind = "branch_deletion"
	case !s.contains(to, from):
		kind = "force_push"
	}
	if to == "" {
		delete(s.refs, branch)
	} else {
		s.refs[branch] = to
	}
	after := to
	if after == "" {
		after = zero
	}
	s.moves = append(s.moves, map[string]any{
		"id": len(s.moves) + 1, "node_id": "x", "before": from, "after": after, "ref": "refs/heads/" + branch,
		"timestamp": stamp(time.Now()), "activity_type": kind, "actor": account(who),
	})
	for _, p := range s.pulls {
		switch {
		case !p.open:
		case p.branch == branch && to == "":
			p.open = false
		case p.branch == branch:
			p.head = to
		case p.base == branch && s.contains(to, p.head):
			p.open, p.merged, p.merge = false, time.Now(), s.bringer(to, p.head)
		}
	}
}

// bringer returns the first-parent commit of tip that introduced a commit.
func (s *service) bringer(tip, commit string) string {
	for {
		parents := s.parents[tip]
		if len(parents) == 0 || !s.contains(parents[0], commit) {
			return tip
		}
		tip = parents[0]
	}
}

func (s *service) listReviews(c call) (int, any) {
	p := s.find(c, 1)
	if p == nil {
		return 0, refuse(http.StatusNotFound, "Not Found")
	}
	var out listing
	for _, r := range p.reviews {
		out = append(out, r)
	}
	return http.StatusOK, out
}

func (s *service) createReview(c call) (int, any) {
	p := s.find(c, 1)
	if p == nil {
		return 0, refuse(http.StatusNotFound, "Not Found")
	}
	state := map[string]string{"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}[c.text("event")]
	commit := c.text("commit_id")
	if commit == "" {
		commit = p.head
	}
	switch {
	case c.who == p.author && state != "COMMENTED":
		return 0, refuse(http.StatusUnprocessableEntity, "Unprocessable Entity", "Can not approve your own pull request")
	case state == "CHANGES_REQUESTED" && c.text("body") == "":
		return 0, refuse(http.StatusUnprocessableEntity, "Unprocessable Entity", "Body can't be blank")
	}
	r := map[string]any{"id": len(s.pulls)*1000 + len(p.reviews), "user": account(c.who), "body": c.text("body"),
		"state": state, "commit_id": commit, "submitted_at": stamp(time.Now())}
	p.reviews = append(p.reviews, r)
	p.asked = slices.DeleteFunc(p.asked, func(who string) bool { return who == c.who })
	return http.StatusOK, r
}

func (s *service) dismiss(c call) (int, any) {
	p := s.find(c, 1)
	if p == nil || c.text("message") == "" {
		return 0, refuse(http.StatusNotFound, "Not Found")
	}
	for _, r := range p.reviews {
		if fmt.Sprint(r["id"]) == c.path[3] && (r["state"] == "APPROVED" || r["state"] == "CHANGES_REQUESTED") {
			r["state"] = "DISMISSED"
			return http.StatusOK, r
		}
	}
	return 0, refuse(http.StatusUnprocessableEntity, "Can not dismiss a dismissed pull request review")
}

func (s *service) ask(c call) (int, any) {
	p := s.find(c, 1)
	if p == nil {
		return 0, refuse(http.StatusNotFound, "Not Found")
	}
	names, _ := c.body["reviewers"].([]any)
	for _, n := range names {
		switch {
		case n == p.author:
			return 0, refuse(http.StatusUnprocessableEntity, "Review cannot be requested from pull request author.")
		case s.roles[n.(string)] == "":
			return 0, refuse(http.StatusUnprocessableEntity, "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the guild/workspace repository.")
		}
	}
	for _, n := range names {
		if !slices.Contains(p.asked, n.(string)) {
			p.asked = append(p.asked, n.(string))
		}
	}
	return http.StatusCreated, s.show(p)
}
