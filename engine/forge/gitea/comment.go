package gitea

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/forge/host"
)

// Each comment written here begins with a hidden line that holds its key, or an empty
// one. It counts only in the account's own comments, so a copy of it has no effect. The
// key is encoded: it cannot end the marker.
const (
	markerStart = host.CommentMark
	markerEnd   = " -->\n"
)

func marked(key, body string) string {
	return markerStart + base64.RawURLEncoding.EncodeToString([]byte(key)) + markerEnd + body
}

// unmarked reverts marked; a text without a marker is all body.
func unmarked(text string) (key, body string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if after, ok := strings.CutPrefix(text, markerStart); ok {
		if code, body, ok := strings.Cut(after, markerEnd); ok {
			if key, err := base64.RawURLEncoding.DecodeString(code); err == nil {
				return string(key), body
			}
		}
	}
	return "", text
}

// commentAPI reads and writes comments.
type commentAPI struct {
	*server
	pullRequests pullAPI
}

// Comments lists the conversation, oldest first.
func (api *commentAPI) Comments(ctx context.Context, number int) ([]host.Comment, error) {
	var out []host.Comment
	return out, api.repeat(ctx, func() error {
		me, err := api.self(ctx)
		if err != nil {
			return err
		}
		list, err := api.comments(ctx, number)
		if err != nil {
			return err
		}
		out = nil
		for _, c := range list {
			said := host.Comment{Body: c.Body, At: c.Created}
			if c.Poster != nil && c.OriginalAuthor == "" { // otherwise it was imported
				said.Login = c.Poster.UserName
				if c.Poster.ID == me.ID {
					said.Key, said.Body = unmarked(c.Body)
				}
			}
			out = append(out, said)
		}
		return nil
	})
}

func (api *commentAPI) comments(ctx context.Context, number int) ([]*sdk.Comment, error) {
	list, err := pages(ctx, api.server, fmt.Sprintf("read the comments on #%d", number), func(c *sdk.Comment) int64 { return c.ID },
		func(c *sdk.Client, o sdk.ListOptions) ([]*sdk.Comment, *sdk.Response, error) {
			return c.ListIssueComments(api.Owner, api.Repo, int64(number), sdk.ListIssueCommentOptions{ListOptions: o})
		}, nil)
	var b *busy
	if errors.As(err, &b) && b.status == http.StatusInternalServerError { // the server's answer if there is no such pull request
		if _, absent := api.pullRequests.pull(ctx, number); missing(absent) {
			return nil, absent
		}
	}
	order.Stable(list, func(a, b *sdk.Comment) int { return a.Created.Compare(b.Created) })
	return list, err
}

// Comment adds a remark. One with a key replaces the account's earlier one with that key.
func (api *commentAPI) Comment(ctx context.Context, number int, key, body string) error {
	var before []int64 // without a key: the comments at the start
	first := true
	return api.repeat(ctx, func() error {
		if key != "" {
			return api.comment(ctx, number, key, body)
		}
		mine, err := api.keyed(ctx, number, "")
		if err != nil {
			return err
		}
		if first {
			for _, c := range mine {
				before = append(before, c.ID)
			}
			first = false
		}
		for _, c := range mine {
			if c.Body == marked(key, body) && !slices.Contains(before, c.ID) {
				return nil // an attempt whose answer was lost
			}
		}
		return api.say(ctx, number, key, body)
	})
}

// comment sets the account's only comment with a key to body. If two engines wrote one
// each at the same moment, the older one stays.
func (api *commentAPI) comment(ctx context.Context, number int, key, body string) error {
	mine, err := api.keyed(ctx, number, key)
	if err != nil {
		return err
	}
	if len(mine) == 0 {
		if err := api.say(ctx, number, key, body); err != nil {
			return err
		}
		if mine, err = api.keyed(ctx, number, key); err != nil || len(mine) == 0 {
			return err
		}
	}
	for _, c := range mine[1:] {
		err := api.ask(ctx, fmt.Sprintf("remove a duplicate comment on #%d", number), func(client *sdk.Client) (*sdk.Response, error) {
			return client.DeleteIssueComment(api.Owner, api.Repo, c.ID)
		})
		if err != nil && !missing(err) {
			return err
		}
	}
	if mine[0].Body == marked(key, body) {
		return nil
	}
	return api.ask(ctx, fmt.Sprintf("change a comment on #%d", number), func(c *sdk.Client) (*sdk.Response, error) {
		_, resp, err := c.EditIssueComment(api.Owner, api.Repo, mine[0].ID, sdk.EditIssueCommentOption{Body: marked(key, body)})
		return resp, err
	})
}

// keyed returns this account's comments with that key, oldest first.
func (api *commentAPI) keyed(ctx context.Context, number int, key string) ([]*sdk.Comment, error) {
	me, err := api.self(ctx)
	if err != nil {
		return nil, err
	}
	list, err := api.comments(ctx, number)
	return slices.DeleteFunc(list, func(c *sdk.Comment) bool {
		has, _ := unmarked(c.Body)
		return c.Poster == nil || c.Poster.ID != me.ID || c.OriginalAuthor != "" || !strings.HasPrefix(c.Body, markerStart) || has != key
	}), err
}

func (api *commentAPI) say(ctx context.Context, number int, key, body string) error {
	return api.ask(ctx, fmt.Sprintf("comment on #%d", number), func(c *sdk.Client) (*sdk.Response, error) {
		_, resp, err := c.CreateIssueComment(api.Owner, api.Repo, int64(number), sdk.CreateIssueCommentOption{Body: marked(key, body)})
		return resp, err
	})
}
