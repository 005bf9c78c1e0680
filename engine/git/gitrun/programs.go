package gitrun

import (
	"regexp"
	"slices"
	"strings"
)

// runsProgramOffline reports whether a setting makes git run a program in this repository even offline
// and with hooks off: hooks defined in the configuration, and the program that lists objects to
// keep when pruning.
func runsProgramOffline(s Setting) bool {
	section, _, name := s.parts()
	return section == "hook" || section == "gc" && namesProgram(name)
}

// choosesTransport reports whether a setting would select a program, a login, a proxy or a trusted
// certificate for network access. The lists for credential and http name harmless settings, so
// unknown ones are refused.
func choosesTransport(s Setting, signs bool) bool {
	section, sub, name := s.parts()
	switch section {
	case "core", "ssh", "fetch", "push", "transfer", "protocol", "receive", "uploadpack", "pack", "maintenance", "submodule", "init":
		return namesProgram(name) && !slices.Contains(harmlessCore, name)
	case "remote":
		return namesProgram(name) || strings.HasSuffix(name, "pack")
	case "credential":
		return !slices.Contains(harmlessCredential, name) && (name != "helper" || s.Value != "") // an empty helper only resets the list
	case "http":
		return !slices.Contains(harmlessHTTP, name)
	case "url":
		return !plainAddress(sub)
	case "gpg":
		return signs && namesProgram(name)
	}
	return false
}

// namesProgram reports whether the last part of a key names a program. Git's own are
// sshCommand, alternateRefsCommand, defaultKeyCommand, gitProxy, askPass, helper, program, vcs,
// packObjectsHook and recentObjectsHook; later ones will probably have similar names.
func namesProgram(name string) bool {
	return slices.ContainsFunc([]string{"command", "program", "helper", "hook", "askpass", "proxy", "vcs", "exec", "cmd", "shell", "tool", "driver"},
		func(word string) bool { return strings.Contains(name, word) })
}

// harmlessCore settings are overridden for every run (hooksPath), or only state a version.
var harmlessCore = []string{"hookspath", "fsmonitorhookversion"}

var harmlessCredential = []string{"username", "usehttppath", "interactive"}

var harmlessHTTP = []string{
	"postbuffer", "lowspeedlimit", "lowspeedtime", "maxrequests", "minsessions", "version", "useragent", "extraheader", "emptyauth", "noepsv",
}

var (
	scheme = regexp.MustCompile(`^([A-Za-z0-9+.-]+)://`)
	// program matches an address whose transport is a program: ext::sh -c …
	program = regexp.MustCompile(`^[A-Za-z0-9+.-]*::`)
)

// plainAddress reports whether an address starts with neither an option nor a program as
// transport.
func plainAddress(at string) bool {
	if strings.HasPrefix(at, "-") || program.MatchString(at) {
		return false
	}
	if m := scheme.FindStringSubmatch(at); m != nil {
		return slices.Contains(protocols(), strings.ToLower(m[1]))
	}
	return true
}
