package gitrun

import (
	"regexp"
	"slices"
	"strings"
)

// everywhere reports that a setting makes git run a program in this repository, also
// offline, although hooks are off: hooks that the configuration itself defines, and the
// program that names what is kept when objects are pruned.
func everywhere(s Setting) bool {
	section, _, name := s.parts()
	return section == "hook" || section == "gc" && namesProgram(name)
}

// transport reports that a setting would choose a program, a login, a proxy or a
// trusted certificate, when git talks to others. The lists of credential and http hold what is
// harmless, so that an unknown setting is refused.
func transport(s Setting, signs bool) bool {
	section, sub, name := s.parts()
	switch section {
	case "core", "ssh", "fetch", "push", "transfer", "protocol", "receive", "uploadpack", "pack", "maintenance", "submodule", "init":
		return namesProgram(name) && !slices.Contains(harmlessCore, name)
	case "remote":
		return namesProgram(name) || strings.HasSuffix(name, "pack")
	case "credential":
		return !slices.Contains(harmlessCredential, name) && (name != "helper" || s.Value != "") // an empty one only forgets others
	case "http":
		return !slices.Contains(harmlessHTTP, name)
	case "url":
		return !plainAddress(sub)
	case "gpg":
		return signs && namesProgram(name)
	}
	return false
}

// namesProgram reports that the last part of a key is one of a program. Git's own are
// sshCommand, alternateRefsCommand, defaultKeyCommand, gitProxy, askPass, helper, program,
// vcs, packObjectsHook and recentObjectsHook; later ones are likely to be called alike.
func namesProgram(name string) bool {
	return slices.ContainsFunc([]string{"command", "program", "helper", "hook", "askpass", "proxy", "vcs", "exec", "cmd", "shell", "tool", "driver"},
		func(word string) bool { return strings.Contains(name, word) })
}

// harmlessCore are forced off for every run (hooksPath), or say a version only.
var harmlessCore = []string{"hookspath", "fsmonitorhookversion"}

var harmlessCredential = []string{"username", "usehttppath", "interactive"}

var harmlessHTTP = []string{
	"postbuffer", "lowspeedlimit", "lowspeedtime", "maxrequests", "minsessions", "version", "useragent", "extraheader", "emptyauth", "noepsv",
}

var (
	scheme = regexp.MustCompile(`^([A-Za-z0-9+.-]+)://`)
	// program is an address whose transport is a program: ext::sh -c …
	program = regexp.MustCompile(`^[A-Za-z0-9+.-]*::`)
)

// plainAddress reports that an address begins with no option and no program as transport.
func plainAddress(at string) bool {
	if strings.HasPrefix(at, "-") || program.MatchString(at) {
		return false
	}
	if m := scheme.FindStringSubmatch(at); m != nil {
		return slices.Contains(protocols(), strings.ToLower(m[1]))
	}
	return true
}
