package sandbox

import (
	"maps"
	"slices"
	"strings"
)

// environ returns the whole environment of the program, sorted. from is the folder of the
// interpreter, home the writable folder, if any, and proxy the address of the proxy to the
// hosts.
func (s Spec) environ(from, home, proxy string) []string {
	path := "/usr/local/bin:/usr/bin:/bin"
	if from != "" && !slices.Contains(strings.Split(path, ":"), from) {
		path = from + ":" + path
	}
	vars := map[string]string{"PATH": path, "LANG": "C.UTF-8", "HOME": "/nonexistent"}
	if home != "" {
		vars["HOME"], vars["TMPDIR"] = home, home
	}
	if len(s.Hosts) > 0 && proxy != "" {
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
			vars[name] = proxy
		}
		vars["NODE_USE_ENV_PROXY"] = "1"
	}
	maps.Copy(vars, s.Env)
	maps.Copy(vars, s.Secrets)
	out := make([]string, 0, len(vars))
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		out = append(out, name+"="+vars[name])
	}
	return out
}
