package redact

import (
	"slices"
	"strings"
)

// Environment is an environment, as os.Environ has it, without the logins of the engine's
// and without what lets git use them. It is for programs of the user's that are told or
// asked about what others wrote: what they need to know, their own configuration says.
func Environment(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return login(strings.ToUpper(name))
	})
}

// login tells the names of such variables.
func login(name string) bool {
	switch name {
	case "GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN":
		return true
	}
	return strings.HasPrefix(name, "GIT_CONFIG_") || strings.HasPrefix(name, "ASSENT_") && name != "ASSENT_HOME" && name != "ASSENT_AGENT"
}
