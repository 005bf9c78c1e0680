package policy

import (
	"slices"
	"strings"
)

// AdmitsHost reports whether sandboxed code that declares host, as name:port, may reach it: the
// policy lists it, or lists "*." and a suffix of it that begins after a dot.
func (s Security) AdmitsHost(host string) bool {
	return slices.ContainsFunc(s.Hosts, func(listed string) bool {
		if tail, any := strings.CutPrefix(listed, "*"); any {
			return strings.HasSuffix(host, tail) && len(host) > len(tail)
		}
		return listed == host
	})
}
