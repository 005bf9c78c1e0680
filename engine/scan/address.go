package scan

import (
	"net/netip"
	"slices"
	"strings"
)

// dropHosts serve anonymous text and files.
func dropHosts() []string { return rules().shared.Lists["drop-hosts"] }

// catchers returns services that record requests for the owner of the address.
func catchers() []string { return rules().shared.Lists["catchers"] }

// tunnels lend a name to any machine.
func tunnels() []string { return rules().shared.Lists["tunnels"] }

// ownerless reports whether an address has no known owner: a catcher, an
// anonymous host, a tunnel or a bare public address.
func ownerless(address string) bool {
	return address != "" && (untrustedSource(address) || containsAny(destination(address), tunnels()...))
}

// untrustedSource reports whether a command fetches from a bare public address
// or an anonymous host.
func untrustedSource(command string) bool {
	lower := strings.ToLower(command)
	if containsAny(lower, dropHosts()...) || containsAny(lower, catchers()...) || strings.Contains(lower, ".onion") {
		return true
	}
	for rest := lower; ; {
		i := strings.Index(rest, "://")
		if i < 0 {
			return bareAddress(lower)
		}
		rest = rest[i+3:]
		host := rest
		if j := strings.IndexAny(host, "/:? \t\"'"); j >= 0 {
			host = host[:j]
		}
		if publicAddress(host) {
			return true
		}
	}
}

// bareAddress reports whether a word of command is an address with a path and
// without a scheme, as curl accepts it.
func bareAddress(command string) bool {
	for _, word := range strings.Fields(command) {
		host, _, _ := strings.Cut(strings.Trim(word, `"'`), "/")
		host, _, _ = strings.Cut(host, ":")
		if publicAddress(host) {
			return true
		}
	}
	return false
}

func publicAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil && !localAddress(host)
}

// localAddress reports whether host is an address that is private or local (RFC 1918, 6598), or a
// well-known resolver.
func localAddress(host string) bool {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	return addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || addr.IsUnspecified() || addr.IsMulticast() ||
		inRange(addr, "100.64.0.0/10", "255.255.255.255/32", "1.1.1.0/24", "8.8.0.0/16")
}

// sampleAddress reports whether host is an address set aside for documentation (RFC 5737), or one that
// people write in its place. Naming one is harmless. Data sent to one, or code run from it, is still remote.
func sampleAddress(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && inRange(addr, "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "1.2.3.4/32")
}

func inRange(addr netip.Addr, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return netip.MustParsePrefix(p).Contains(addr) })
}

// ownAddress reports whether host is an address of this machine or its network.
func ownAddress(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && (addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || addr.IsUnspecified())
}
