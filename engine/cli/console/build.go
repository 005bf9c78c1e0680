package console

import (
	"runtime/debug"
)

// BuiltFrom is the commit that the program was built from, empty when the build does
// not say, and whether files had been changed beside it.
func BuiltFrom() (commit string, modified bool) { return Revision(BuildInfo()) }

// BuildInfo returns the build's information, which may be empty.
func BuildInfo() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{}
}

// Revision returns the commit of a build, and whether files had been changed.
func Revision(info *debug.BuildInfo) (commit string, modified bool) {
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	return commit, modified
}
