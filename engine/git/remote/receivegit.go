package remote

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// gitReceiver pushes with the git program: over ssh, and for features that only git has.
type gitReceiver struct {
	address address
	there   advertisement
}

func dialGit(ctx context.Context, a address) (receiver, error) {
	out, err := a.repo.Git(ctx, "", "ls-remote", "--", a.url)
	if err != nil {
		return nil, err
	}
	refs, err := refsOf(out)
	return &gitReceiver{address: a, there: advertisement{refs: refs}}, err
}

// refsOf reads the answer of git ls-remote, without names that git itself would refuse here.
func refsOf(out string) (map[string]tree.Hash, error) {
	refs := map[string]tree.Hash{}
	for line := range strings.Lines(out) {
		object, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		h, err := tree.ParseHash(object)
		if err != nil {
			return nil, fmt.Errorf("%w: git ls-remote answers %.60q", errProtocol, line)
		}
		if gitstore.CheckRefName(name) == nil {
			refs[name] = h
		}
	}
	return refs, nil
}

func (c *gitReceiver) advertised() advertisement { return c.there }
func (c *gitReceiver) takesPack() bool           { return false }
func (c *gitReceiver) close()                    {}

// maxNamed bounds the refs of one command line.
const maxNamed = 500

// send pushes with git, atomically for each command line. A lease on every ref makes it a
// compare-and-swap like our own.
func (c *gitReceiver) send(ctx context.Context, moves []Move, _ []byte) (report, error) {
	answer := report{unpack: "ok", refs: map[string]string{}}
	for len(moves) > 0 {
		n := min(len(moves), maxNamed)
		args := []string{"push", "--porcelain", "--atomic", "--no-verify", "--no-follow-tags", "--recurse-submodules=no"}
		for _, m := range moves[:n] {
			args = append(args, fmt.Sprintf("--force-with-lease=%s:%s", m.Ref, hashOrEmpty(m.Old)))
		}
		args = append(args, "--", c.address.remote)
		for _, m := range moves[:n] {
			args = append(args, hashOrEmpty(m.New)+":"+m.Ref)
		}
		out, err := c.address.repo.Git(ctx, "", args...)
		results := porcelain(out)
		if err != nil && len(results) == 0 {
			return answer, err
		}
		maps.Copy(answer.refs, results)
		moves = moves[n:]
	}
	return answer, nil
}

func hashOrEmpty(h tree.Hash) string {
	if h.IsZero() {
		return ""
	}
	return h.String()
}

// porcelain parses git push's result for each ref: "" if it moved, else the reason.
func porcelain(out string) map[string]string {
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		if len(fields) != 3 || len(fields[0]) != 1 {
			continue
		}
		_, ref, _ := strings.Cut(fields[1], ":")
		if fields[0] != "!" {
			refs[ref] = ""
			continue
		}
		reason := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(fields[2], "[remote rejected]"), "[rejected]"))
		if reason = strings.Trim(reason, "()"); reason == "" {
			reason = "refused without a reason"
		}
		refs[ref] = reason
	}
	return refs
}
