package contribute

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/upstream"
	"github.com/assent-dev/assent/engine/proposals/exporter"
	"github.com/assent-dev/assent/engine/scan"
	"github.com/assent-dev/assent/engine/workspace"
)

// bundle collects the files to send.
type bundle struct {
	cur   workspace.Session
	there capability.Namer
	with  bool
	edits []tree.Edit
	// seen are the names that were looked at.
	seen                     []string
	carried, missing, needed []string
}

// add adds a capability, and what it requires or says about it. One that a human stopped is refused.
func (b *bundle) add(ctx context.Context, f capability.Folder, first bool) error {
	b.seen = append(b.seen, names.Fold(f.Name))
	copied, err := exporter.InForce(ctx, b.cur, f)
	if err != nil {
		return err
	}
	place := f.Path
	known, err := b.there.Named(f.Name)
	if err != nil {
		return err
	}
	if len(known) > 0 {
		place = known[0].Path
	}
	for _, file := range copied.Files {
		if upstream.IsFile(file.Path) {
			continue
		}
		b.edits = append(b.edits, tree.Edit{Path: place + "/" + file.Path, Mode: file.Mode, Content: file.Content})
	}
	if !first {
		b.carried = append(b.carried, f.Name)
	}
	loaded, _, err := capability.Load(b.cur.View, f.Path)
	if err != nil {
		return err
	}
	r := loaded.Record.Requires
	for kind, all := range map[string][]string{"secret": r.Secrets, "program": r.Bins, "host": r.Hosts} {
		for _, one := range all {
			b.needed = append(b.needed, kind+" `"+strings.ReplaceAll(one, "`", "'")+"`")
		}
	}
	for _, name := range r.Capabilities {
		if err := b.require(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (b *bundle) require(ctx context.Context, name string) error {
	if slices.Contains(b.seen, names.Fold(name)) {
		return nil
	}
	known, err := b.there.Named(name)
	if err != nil || len(known) > 0 {
		return err
	}
	ours, err := b.cur.View.Named(name)
	if err != nil {
		return err
	}
	if !b.with || len(ours) == 0 {
		b.seen, b.missing = append(b.seen, names.Fold(name)), append(b.missing, name)
		return nil
	}
	return b.add(ctx, ours[0], false)
}

// clean refuses what must not leave: secrets, and paths of this machine.
func (b *bundle) clean(paths []string) error {
	var files []scan.File
	for _, e := range b.edits {
		files = append(files, scan.File{Path: e.Path, Mode: e.Mode, Content: e.Content})
		for _, p := range paths {
			if i := bytes.Index(e.Content, []byte(p)); len(p) > 4 && i >= 0 {
				return refuse("%s:%d names a folder of this machine, %s; propose a version without it first", e.Path, 1+bytes.Count(e.Content[:i], []byte("\n")), p)
			}
		}
	}
	for _, d := range scan.Files(files, scan.Options{}) {
		if d.Rule == "secret" {
			return refuse("%s:%d holds a secret (%s); remove and revoke it first", d.File, d.Line, d.Rule)
		}
	}
	return nil
}

func (p Provenance) line() string {
	return fmt.Sprintf("From workspace %s, commit %s", p.Workspace, p.Commit)
}

// text is the body of the draft.
func (b *bundle) text(o Offer) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# Why\n\n%s is in force in another workspace, which offers it.\n\n- workspace: `%s`\n- commit: `%s`\n", o.Name, o.From.Workspace, o.From.Commit)
	if o.From.Proposal != "" {
		fmt.Fprintf(&out, "- proposal there: `%s`\n", o.From.Proposal)
	}
	approved := "no one"
	if len(o.From.Approvers) > 0 {
		approved = "`" + strings.Join(o.From.Approvers, "`, `") + "`"
	}
	fmt.Fprintf(&out, "- approved there by: %s\n\nThese are claims of the sender, and count for nothing here.\n", approved)
	slices.Sort(b.needed)
	var lines []string
	for _, name := range b.carried {
		lines = append(lines, "capability `"+name+"`, which is part of this proposal")
	}
	for _, name := range b.missing {
		lines = append(lines, "capability `"+strings.ReplaceAll(name, "`", "'")+"`, which this workspace lacks")
	}
	if lines = append(lines, slices.Compact(b.needed)...); len(lines) > 0 {
		fmt.Fprintf(&out, "\n# What it needs\n\n- %s\n", strings.Join(lines, "\n- "))
	}
	return out.String()
}
