package gitstore

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
)

// maxSteps bounds n in ~n.
const maxSteps = 1_000_000

// Revisions resolves the names of commits that users type.
type Revisions struct {
	objects *Objects
	refs    *RefStore
}

// Resolve returns the commit that rev names: a full or abbreviated hash (four digits or more),
// HEAD or @, a branch, tag, remote branch or full ref, followed by any number of ~n and ^n.
// Annotated tags are followed. It returns ErrNoRef if nothing has that name, and ErrAmbiguous
// if several refs or commits do: git would take a tag before a branch, and anyone who can push
// makes tags of any name.
func (rv *Revisions) Resolve(rev string) (tree.Hash, error) {
	name, suffix := rev, ""
	if i := strings.IndexAny(rev, "~^"); i >= 0 {
		name, suffix = rev[:i], rev[i:]
	}
	h, err := rv.resolveName(name)
	if err != nil {
		return tree.Hash{}, err
	}
	if h, err = rv.objects.peelToCommit(h); err != nil {
		return tree.Hash{}, fmt.Errorf("%s: %w", name, err)
	}
	for suffix != "" {
		if h, suffix, err = rv.step(h, suffix); err != nil {
			return tree.Hash{}, fmt.Errorf("%s: %w", rev, err)
		}
	}
	return h, nil
}

// step applies the first ~n or ^n of suffix.
func (rv *Revisions) step(h tree.Hash, suffix string) (tree.Hash, string, error) {
	op, digits := suffix[0], 0
	for digits+1 < len(suffix) && '0' <= suffix[digits+1] && suffix[digits+1] <= '9' {
		digits++
	}
	n, rest := 1, suffix[digits+1:]
	if digits > 0 {
		var err error
		if n, err = strconv.Atoi(suffix[1 : digits+1]); err != nil || n > maxSteps {
			return h, "", fmt.Errorf("%s is too far", suffix[:digits+1])
		}
	}
	if rest != "" && rest[0] != '~' && rest[0] != '^' {
		return h, "", fmt.Errorf("cannot parse %q; use ~n and ^n", rest)
	}
	parent, times := 1, n
	if op == '^' {
		parent, times = n, min(n, 1)
	}
	for range times {
		c, err := rv.objects.Commit(h)
		if err != nil {
			return h, "", err
		}
		if len(c.Parents) < parent {
			return h, "", fmt.Errorf("%s has %d parents: %w", h.Short(), len(c.Parents), ErrNoRef)
		}
		h = c.Parents[parent-1]
	}
	return h, rest, nil
}

// resolveName looks where gitrevisions(7) says, a full object name first. HEAD and full names of
// refs mean one thing, whatever else there is; another name means something only if it is alone.
func (rv *Revisions) resolveName(name string) (tree.Hash, error) {
	if h, err := tree.ParseHash(name); err == nil {
		return h, nil
	}
	if name == "@" {
		name = "HEAD"
	}
	var found []string
	var at tree.Hash
	for _, pattern := range []string{"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD"} {
		full := fmt.Sprintf(pattern, name)
		if pattern == "%s" && !headLike(name) && !strings.HasPrefix(name, "refs/") {
			continue
		}
		h, err := rv.refs.Ref(full)
		switch {
		case errors.Is(err, ErrNoRef) || errors.Is(err, ErrBadName):
			continue
		case err != nil || full == name:
			return h, err
		case len(found) == 0:
			at = h
		}
		found = append(found, full)
	}
	if isAbbreviation(name) {
		h, err := rv.abbreviated(strings.ToLower(name))
		if len(found) == 0 {
			return h, err
		}
		if !errors.Is(err, ErrNoRef) {
			found = append(found, "the hash of a commit")
		}
	}
	//defence:revisions-mean-one-thing
	if len(found) > 1 {
		return tree.Hash{}, fmt.Errorf("%q means %s: write the whole name of the ref, or all digits of the hash: %w", name, strings.Join(found, " and "), ErrAmbiguous)
	}
	if len(found) > 0 {
		return at, nil
	}
	return tree.Hash{}, fmt.Errorf("%q names no branch, tag or commit here; `git branch -a` and `git log` list them: %w", name, ErrNoRef)
}

func isAbbreviation(s string) bool {
	return len(s) >= 4 && len(s) < 40 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// abbreviated returns the one commit, or tag, whose hash starts with digits.
func (rv *Revisions) abbreviated(digits string) (tree.Hash, error) {
	all, err := rv.objects.withPrefix(digits)
	if err != nil {
		return tree.Hash{}, err
	}
	var found []tree.Hash
	for _, h := range all {
		k, _, err := rv.objects.header(h)
		if err != nil {
			return tree.Hash{}, err
		}
		if k == kindCommit || k == kindTag {
			found = append(found, h)
		}
	}
	switch len(found) {
	case 0:
		return tree.Hash{}, fmt.Errorf("no commit's name starts with %s: %w", digits, ErrNoRef)
	case 1:
		return found[0], nil
	}
	return tree.Hash{}, fmt.Errorf("%s could be %d commits (%s, %s, …); give more digits: %w", digits, len(found), found[0].Short(), found[1].Short(), ErrAmbiguous)
}

// withPrefix lists all objects whose hashes start with digits.
func (db *Objects) withPrefix(digits string) ([]tree.Hash, error) {
	s, _, err := db.stores.reopenStore(db.stores.current.Load()) // see objects that other processes added
	if err != nil {
		return nil, err
	}
	first, err := hex.DecodeString(digits[:2])
	if err != nil {
		return nil, fmt.Errorf("abbreviation %q: %w", digits, err)
	}
	var out []tree.Hash
	for _, o := range db.pending.all() {
		if strings.HasPrefix(o.hash.String(), digits) {
			out = append(out, o.hash)
		}
	}
	for _, p := range s.packs {
		x, err := p.index()
		if err != nil {
			return nil, err
		}
		names, err := x.prefix(digits, first[0])
		if err != nil {
			return nil, err
		}
		out = append(out, names...)
	}
	for _, dir := range s.dirs {
		entries, err := os.ReadDir(filepath.Join(dir, digits[:2]))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("looking for %s: %w", digits, err)
		}
		for _, e := range entries {
			if h, err := tree.ParseHash(digits[:2] + e.Name()); err == nil && strings.HasPrefix(h.String(), digits) {
				out = append(out, h)
			}
		}
	}
	order.Sort(out, func(a, b tree.Hash) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(out), nil
}

// maxTags bounds the nesting of tags.
const maxTags = 10

// peel follows tags to their target, which must have the type that the tag claims.
func (db *Objects) peel(h tree.Hash) (tree.Hash, kind, error) {
	var said kind
	for range maxTags {
		k, _, err := db.header(h)
		if err != nil {
			return h, k, err
		}
		if said != 0 && k != said {
			return h, k, &BadObject{Kind: said.String(), Hash: h, What: "is a " + k.String() + ", and a tag says otherwise"}
		}
		if k != kindTag {
			return h, k, nil
		}
		raw, err := db.typed(h, kindTag, blobBounds(MaxBlob))
		if err != nil {
			return h, k, err
		}
		target, next, err := parseTag(raw)
		if err != nil {
			return h, k, addHash(h, err)
		}
		h, said = target, next
	}
	return h, 0, fmt.Errorf("%s: tags nested more than %d deep: %w", h, maxTags, ErrCorrupt)
}

func (db *Objects) peelToCommit(h tree.Hash) (tree.Hash, error) {
	h, k, err := db.peel(h)
	if err == nil && k != kindCommit {
		err = fmt.Errorf("%s is a %s, not a commit", h.Short(), k)
	}
	return h, err
}
