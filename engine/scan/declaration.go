package scan

import (
	"net/url"
	"slices"
	"strings"
)

func (d Declared) network() bool { return slices.Contains(d.SideEffects, "network") }

// wholeProgram reports whether the document is code, not a text with examples.
func (l *layout) wholeProgram() bool {
	return l.whole && l.regions[0].place&code != 0
}

func (d Declared) admits(host string) bool {
	for _, declared := range d.Hosts {
		name, _, _ := strings.Cut(strings.ToLower(declared), ":")
		if name == host || strings.HasPrefix(name, "*.") && strings.HasSuffix(host, name[1:]) {
			return true
		}
	}
	return false
}

// host is a host named in a URL.
type host struct {
	span
	name string
}

var urlHost = expr(`(?i)\b(?:https?|wss?|ftp|tcp)://[^\s/"'` + "`" + `)>\]}?#,;\\]{1,253}`)

// hosts returns the hosts of absolute URLs in d, without local, reserved and
// templated ones, lower-case.
func hosts(d *document) []host {
	return slices.DeleteFunc(namedHosts(d), func(h host) bool { return localAddress(h.name) || sampleAddress(h.name) || reservedHost(h.name) })
}

// namedHosts is hosts with local and reserved ones.
func namedHosts(d *document) []host {
	if !strings.Contains(d.text, "://") {
		return nil
	}
	var found []host
	for _, loc := range urlHost.FindAllStringIndex(d.text, -1) {
		u, err := url.Parse(d.text[loc[0]:loc[1]])
		if err != nil {
			continue
		}
		name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
		if !strings.Contains(name, ".") || strings.ContainsAny(name, "{}$<>*%") {
			continue
		}
		found = append(found, host{span{loc[0], loc[1]}, name})
	}
	return found
}

// reservedHost reports whether name is reserved and reaches no host (RFC 2606,
// RFC 6761), or only names a schema or a licence.
func reservedHost(name string) bool {
	for _, suffix := range []string{".example", ".test", ".invalid", ".localhost", ".local"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	switch name {
	case "example.com", "example.org", "example.net", "www.w3.org", "json-schema.org", "schemas.openxmlformats.org", "www.apache.org", "opensource.org", "creativecommons.org":
		return true
	}
	return false
}
