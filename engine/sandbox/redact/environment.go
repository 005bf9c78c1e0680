package redact

import (
	"slices"
	"strings"
)

// Environment returns an environment, in the form of os.Environ, without the engine's logins
// and variables that let git use them. It is for the user's programs that receive text by
// others; their own configuration has what they need.
func Environment(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return isLogin(strings.ToUpper(name))
	})
}

// isLogin reports whether a variable has that purpose.
func isLogin(name string) bool {
	switch name {
	case "GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN":
		return true
	}
	return strings.HasPrefix(name, "GIT_CONFIG_") || strings.HasPrefix(name, "ASSENT_") && name != "ASSENT_HOME" && name != "ASSENT_AGENT"
}
