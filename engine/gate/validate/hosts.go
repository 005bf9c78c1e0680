package validate

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// checkHosts refuses callable code that declares a host which the policies in force do not admit:
// every call of it would be refused. It warns if the code could be called with that host before,
// or if an undo restores it. If the status forbids calls, the finding is a note.
func checkHosts(s *purpose) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	if err != nil {
		return out, err
	}
	place := sync.OnceValues(func() (diag.Pos, error) { return hostList(s.change) })
	for _, l := range all {
		if !l.InHead || !l.head.Callable() {
			continue
		}
		for i, host := range l.head.Record.Requires.Hosts {
			if s.Policies.Security.AdmitsHost(host) {
				continue
			}
			before := l.InBase && runs(l.base) && slices.Contains(l.base.Record.Requires.Hosts, host)
			if err := unadmitted(s, &out, l, i, before, place); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

func unadmitted(s *purpose, out *diag.List, l loaded, i int, before bool, place func() (diag.Pos, error)) error {
	list, err := place()
	if err != nil {
		return err
	}
	brought, err := s.bringsBack()
	if err != nil {
		return err
	}
	host := l.head.Record.Requires.Hosts[i]
	d := diag.Diagnostic{
		Rule: RuleHosts, Severity: diag.Error, Pos: l.head.RecordPos("requires", "hosts", i), Also: list,
		Fix:     "propose " + host + " for sandbox.hosts in " + policy.SecurityFile + " first, or write status: developing until it is there",
		Message: fmt.Sprintf("%s needs %s, which sandbox.hosts in %s does not admit", l.head.Name, host, list),
	}
	switch {
	case !l.head.Status.Runs():
		d.Severity = diag.Note
	case before || brought:
		d.Severity = diag.Warning
	}
	out.Add(d)
	return nil
}

// hostList is where the policies in force list the hosts.
func hostList(s *change) (diag.Pos, error) {
	pos := diag.Pos{File: policy.SecurityFile}
	src, err := s.Base.Read(pos.File)
	if errors.Is(err, fs.ErrNotExist) {
		return pos, nil
	}
	if err != nil {
		return pos, fmt.Errorf("read %s: %w", pos.File, err)
	}
	doc, _ := strictyaml.Parse(pos.File, src, 1, strictyaml.DefaultLimits())
	return doc.Pos("sandbox", "hosts"), nil
}
