package validate

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/scan"
)

// checkScan scans new content. A finding that was in the base already is not reported
// again.
func checkScan(s *capabilities) (diag.List, error) {
	var out diag.List
	var before, after []scan.File
	for _, c := range s.changes {
		if names.Area(c.Path) == names.PoliciesArea {
			continue // policies quote the very phrases that rules look for
		}
		if err := scanFile(s.change, c, &before, &after); err != nil {
			return out, err
		}
	}
	opt := scan.Options{Declared: map[string]scan.Declared{}, MaxFile: int(s.Policies.Limits.FileBytes)}
	all, err := s.load()
	if err != nil {
		return out, err
	}
	for _, l := range all {
		if r := l.head.Record; l.InHead && !r.Missing {
			opt.Declared[l.Dir] = scan.Declared{Hosts: r.Requires.Hosts, Secrets: r.Requires.Secrets, SideEffects: r.SideEffects}
		}
	}
	out.Add(waive(s.change, scan.New(before, after, opt))...)
	return out, nil
}

func scanFile(s *change, c tree.Change, before, after *[]scan.File) error {
	if !c.Removed() && c.New.Mode.IsFile() {
		data, err := s.readHead(c)
		if err != nil {
			return err
		}
		*after = append(*after, scan.File{Path: c.Path, Mode: c.New.Mode, Content: data})
	}
	if !c.Added() && c.Old.Mode.IsFile() {
		data, err := s.readBase(c)
		if err != nil {
			return err
		}
		*before = append(*before, scan.File{Path: c.Path, Mode: c.Old.Mode, Content: data})
	}
	return nil
}

// waive lets the findings pass that a policy of the base admits for exactly this
// content.
func waive(s *change, found diag.List) diag.List {
	blobs := map[string]string{}
	for _, c := range s.changes {
		if !c.Removed() {
			blobs[c.Path] = c.New.Hash.String()
		}
	}
	s.Policies.Security.Waive(found, func(file string) string { return blobs[file] }, s.Today)
	return found
}
