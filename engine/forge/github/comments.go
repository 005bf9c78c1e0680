package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// marker is the first line of a comment with a key; GitHub does not display it. At the
// beginning, nothing in the body can hide it and truncation keeps it. A remark without a
// key that begins like a marker gets the marker of an empty key.
var marker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<!-- assent:([^ \n]*) -->\n`) })

func mark(key string) string {
	// No key can end the HTML comment that holds it.
	return "<!-- assent:" + strings.ReplaceAll(url.QueryEscape(key), "--", "-%2D") + " -->\n"
}

// commentAPI reads and writes comments.
type commentAPI struct{ *server }

// Comments lists the conversation, oldest first. Only the account's own comments have
// keys, because anyone can write the marker.
func (api *commentAPI) Comments(ctx context.Context, number int) ([]host.Comment, error) {
	doing := fmt.Sprintf("list the comments of pull request %d", number)
	me, err := api.Login(ctx)
	if err != nil {
		return nil, err
	}
	all, err := api.comments(ctx, number)
	if err != nil {
		return nil, explain(doing, err)
	}
	var out []host.Comment
	for _, c := range all {
		key, body := keyed(c, me)
		out = append(out, host.Comment{Login: loginOf(c.User), Key: key, Body: body, At: c.GetCreatedAt().Time})
	}
	return out, nil
}

func (api *commentAPI) comments(ctx context.Context, number int) ([]*github.IssueComment, error) {
	return everything(api.server, func(page github.ListOptions) ([]*github.IssueComment, *github.Response, error) {
		return api.usual.Issues.ListComments(ctx, api.owner, api.repo, number, &github.IssueListCommentsOptions{ListOptions: page})
	})
}

// keyed returns the key of an own comment, and the body without its marker.
func keyed(c *github.IssueComment, me string) (key, body string) {
	body = lines(c.GetBody())
	if !strings.EqualFold(c.GetUser().GetLogin(), me) {
		return "", body
	}
	m := marker().FindStringSubmatch(body)
	if m == nil {
		return "", body
	}
	key, err := url.QueryUnescape(m[1])
	if err != nil || mark(key) != m[0] {
		return "", body
	}
	return key, body[len(m[0]):]
}

// Comment adds a remark, or replaces the account's own comment with that key. Without a
// key, a lost answer is an error: the remark may exist.
func (api *commentAPI) Comment(ctx context.Context, number int, key, body string) error {
	doing := fmt.Sprintf("comment on pull request %d", number)
	if key == "" {
		if marker().MatchString(lines(body)) {
			body = mark("") + body
		}
		return explain(doing, api.say(ctx, number, rest.CutBytes(body, maxBody)))
	}
	text := rest.CutBytes(mark(key)+body, maxBody)
	look := func(ctx context.Context) ([]*github.IssueComment, bool, error) {
		found, err := api.withKey(ctx, number, key)
		return found, len(found) > 0, err
	}
	known, ok, err := look(ctx)
	if err == nil && !ok {
		known, err = makeOnce(ctx, api.sleep, func(ctx context.Context) ([]*github.IssueComment, error) {
			return nil, api.say(ctx, number, text)
		}, look)
	}
	if err == nil {
		err = api.settle(ctx, known, text)
	}
	return explain(doing, err)
}

// withKey returns the account's comments with a key, oldest first.
func (api *commentAPI) withKey(ctx context.Context, number int, key string) ([]*github.IssueComment, error) {
	me, err := api.Login(ctx)
	if err != nil {
		return nil, err
	}
	all, err := api.comments(ctx, number)
	return slices.DeleteFunc(all, func(c *github.IssueComment) bool {
		k, _ := keyed(c, me)
		return k != key
	}), err
}

// settle updates the first comment to the text and deletes the others, which several
// engines created at the same moment.
func (api *commentAPI) settle(ctx context.Context, known []*github.IssueComment, text string) error {
	for i, c := range known {
		var err error
		switch {
		case i > 0:
			if _, err = api.usual.Issues.DeleteComment(ctx, api.owner, api.repo, c.GetID()); statusOf(err) == http.StatusNotFound {
				err = nil
			}
		case lines(c.GetBody()) != lines(text):
			_, _, err = api.usual.Issues.EditComment(ctx, api.owner, api.repo, c.GetID(), &github.IssueComment{Body: &text})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (api *commentAPI) say(ctx context.Context, number int, text string) error {
	_, _, err := api.usual.Issues.CreateComment(ctx, api.owner, api.repo, number, &github.IssueComment{Body: &text})
	return err
}
