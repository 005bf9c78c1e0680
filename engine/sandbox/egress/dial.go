package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
)

// Refused reports a destination that the program may not reach.
type Refused struct{ Reason string }

func (r *Refused) Error() string { return r.Reason }

// Exit connects to the allowed hosts.
type Exit struct {
	allowed []Host
	lookup  func(ctx context.Context, name string) ([]netip.Addr, error)
	dial    func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	own     func() ([]net.Addr, error) // addresses of this machine
}

// New returns an Exit to the given hosts, each in the form of ParseHost.
func New(hosts []string) (*Exit, error) {
	e := &Exit{
		own: net.InterfaceAddrs,
		lookup: func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		},
		dial: func(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", addr.String())
		},
	}
	for _, text := range hosts {
		h, err := ParseHost(text)
		if err != nil {
			return nil, err
		}
		e.allowed = append(e.allowed, h)
	}
	return e, nil
}

// connect connects to an allowed host. It connects to the very address that it checked.
func (e *Exit) connect(ctx context.Context, host string) (net.Conn, error) {
	h, err := ParseHost(host)
	if err != nil {
		return nil, &Refused{Reason: err.Error()}
	}
	if !slices.Contains(e.allowed, h) {
		return nil, &Refused{Reason: fmt.Sprintf("%s is not among the hosts that this tool may reach", host)}
	}
	if h.Addr.IsValid() {
		return e.dial(ctx, netip.AddrPortFrom(h.Addr, h.Port))
	}
	addrs, err := e.lookup(ctx, h.Name)
	if err != nil {
		return nil, fmt.Errorf("looking up %s: %w", h.Name, err)
	}
	own, err := e.own()
	if err != nil {
		return nil, fmt.Errorf("looking for this machine's addresses: %w", err)
	}
	err = &Refused{Reason: h.Name + " has no address"}
	for _, addr := range addrs {
		if isOwn(own, addr) {
			err = errors.Join(err, &Refused{Reason: fmt.Sprintf("%s is at %s, which is this machine; allow the address itself if you want this", h.Name, addr)})
			continue
		}
		if !Public(addr) {
			err = errors.Join(err, &Refused{Reason: fmt.Sprintf("%s is at %s, which is not a public address; allow the address itself if you want this", h.Name, addr)})
			continue
		}
		c, failed := e.dial(ctx, netip.AddrPortFrom(addr.Unmap(), h.Port))
		if failed == nil {
			return c, nil
		}
		err = failed
	}
	return nil, err
}

// isOwn reports whether an address belongs to this machine. It may be a public one whose
// services only a firewall protects.
func isOwn(own []net.Addr, addr netip.Addr) bool {
	return slices.ContainsFunc(own, func(a net.Addr) bool {
		p, err := netip.ParsePrefix(a.String())
		return err == nil && p.Addr().Unmap() == addr.Unmap()
	})
}
