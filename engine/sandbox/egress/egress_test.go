package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
)

func TestPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"1.1.1.1": true, "2606:4700:4700::1111": true, "::ffff:1.1.1.1": true,
		"127.0.0.1": false, "::1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false,
		"0.0.0.0": false, "::": false, "100.64.0.1": false, "192.0.0.8": false, "198.18.0.1": false, "255.255.255.255": false, "224.0.0.1": false,
		"fe80::1": false, "fc00::1": false, "fd00:ec2::254": false, "ff02::1": false, "::ffff:127.0.0.1": false, "::127.0.0.1": false,
		"64:ff9b::7f00:1": false, "168.63.129.16": false, "2002:7f00:1::": false, "2001:0:1::": false, "fec0::1": false,
	} {
		if got := Public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestParseHost(t *testing.T) {
	for text, ok := range map[string]bool{
		"example.com:443": true, "Example.COM.:443": true, "127.0.0.1:1": true, "[::1]:65535": true, "a_b.example.com:80": true, "localhost:80": true,
		"example.com": false, "example.com:0": false, "example.com:65536": false, "example.com:http": false, ":80": false, "example..com:80": false,
		"127.1:80": false, "0x7f000001:80": false, "2130706433:80": false, "1.2.3.4.5:80": false, "a b:80": false, "-a.com:80": false,
		"a\r\nb:80": false, "user@example.com:80": false, "[fe80::1%eth0]:80": false, "*.example.com:443": false, "bücher.example:443": false,
	} {
		if _, err := ParseHost(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestRebinding: a name may resolve to another address each time, so the proxy connects to the
// address that it checked.
func TestRebinding(t *testing.T) {
	e, err := New([]string{"example.com:443", "192.168.0.7:443"})
	if err != nil {
		t.Fatal(err)
	}
	answers := [][]netip.Addr{{netip.MustParseAddr("93.184.216.34")}, {netip.MustParseAddr("127.0.0.1")}, {netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("::ffff:93.184.216.35")}, nil, {netip.MustParseAddr("::ffff:93.184.216.36")}}
	e.own = func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.IPv4(93, 184, 216, 36), Mask: net.CIDRMask(24, 32)}}, nil
	}
	e.lookup = func(context.Context, string) ([]netip.Addr, error) {
		first := answers[0]
		answers = answers[1:]
		return first, nil
	}
	var dialled []string
	e.dial = func(_ context.Context, addr netip.AddrPort) (net.Conn, error) {
		dialled = append(dialled, addr.String())
		here, there := net.Pipe()
		_ = there.Close()
		return here, nil
	}
	for _, tc := range []struct{ host, want string }{
		{"example.com:443", "93.184.216.34:443"},
		{"EXAMPLE.com.:443", ""}, // 127.0.0.1 this time
		{"example.com:443", "93.184.216.35:443"},
		{"example.com:443", ""}, // no address
		{"example.com:443", ""}, // this machine's own address
		{"example.com:444", ""},
		{"www.example.com:443", ""},
		{"192.168.0.7:443", "192.168.0.7:443"},
		{"[::ffff:192.168.0.7]:443", "192.168.0.7:443"},
		{"192.168.0.8:443", ""},
	} {
		dialled = nil
		c, err := e.connect(t.Context(), tc.host)
		switch {
		case tc.want == "" && (!errors.As(err, new(*Refused)) || len(dialled) > 0):
			t.Errorf("%s: %v, dialled %v", tc.host, err, dialled)
		case tc.want != "" && (err != nil || len(dialled) != 1 || dialled[0] != tc.want):
			t.Errorf("%s: %v, dialled %v, want %s", tc.host, err, dialled, tc.want)
		}
		if c != nil {
			_ = c.Close()
		}
	}
}

func FuzzParseHost(f *testing.F) {
	for _, text := range []string{"example.com:443", "[::1]:1", "127.0.0.1:80", "0x7f.1:80"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := ParseHost(text)
		if err != nil {
			return
		}
		// A name here must not be an address in an old notation.
		if _, err := netip.ParseAddr(h.Name); h.Port == 0 || h.Name == "" != h.Addr.IsValid() || h.Name != "" && err == nil {
			t.Errorf("%q gave %+v", text, h)
		}
	})
}
