package egress

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// A Host is a destination: a name or an address, and a port.
type Host struct {
	Name string     // in lower case, without a dot at the end; empty for an address
	Addr netip.Addr // valid for an address
	Port uint16
}

// ParseHost parses "name:port", "address:port" or "[address]:port".
func ParseHost(text string) (Host, error) {
	name, number, err := net.SplitHostPort(text)
	if err != nil {
		return Host{}, fmt.Errorf("%q is not a host and port, as in example.com:443", text)
	}
	port, err := strconv.ParseUint(number, 10, 16)
	if err != nil || port == 0 {
		return Host{}, fmt.Errorf("%q has no port between 1 and 65535", text)
	}
	h := Host{Port: uint16(port)}
	if addr, err := netip.ParseAddr(name); err == nil {
		if addr.Zone() != "" {
			return Host{}, fmt.Errorf("%q has a zone", text)
		}
		h.Addr = addr.Unmap()
		return h, nil
	}
	h.Name = strings.TrimSuffix(strings.ToLower(name), ".")
	if !isName(h.Name) {
		return Host{}, fmt.Errorf("%q has no valid host name", text)
	}
	return h, nil
}

// isName reports whether name has only letters, digits, hyphens and dots, and is not an address
// in another notation that a resolver might accept, such as 127.1 or 0x7f000001: the last part
// must not start with a digit.
func isName(name string) bool {
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, r := range label {
			if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' {
				return false
			}
		}
	}
	last := labels[len(labels)-1]
	return len(name) <= 253 && (last[0] < '0' || last[0] > '9')
}

// notPublic lists ranges without hosts of the public network, in addition to those that netip
// knows: this network, shared addresses, protocol assignments, tests, future use, Azure's
// service for virtual machines at a public address, and IPv6 ranges that embed IPv4 addresses.
var notPublic = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "168.63.129.16/32", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/32", "2001:db8::/32", "2002::/16", "fec0::/10")

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// Public reports whether an address belongs to the public network.
func Public(addr netip.Addr) bool {
	addr = addr.Unmap()
	if !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(addr) {
			return false
		}
	}
	return true
}
