//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/assent-dev/assent/engine/sandbox/egress"
	"github.com/assent-dev/assent/engine/sandbox/stage"
)

// port is the port of the proxy inside, on 127.0.0.1.
const port = 3128

// network gives a program a proxy to the hosts, and the variables that name it. The stage
// creates the listening socket inside and sends it out.
func (p *plan) network(hosts []string, order *stage.Order) error {
	exit, err := egress.New(hosts)
	if err != nil {
		return &SpecError{Reason: err.Error()}
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("making a channel to the sandbox: %w", err)
	}
	inside := os.NewFile(uintptr(pair[1]), "channel")
	order.Port = port
	order.Channel, err = strconv.Atoi(p.addFile(inside))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if l, err := receive(pair[0]); err == nil { // else the sandbox ended first, and nothing will connect
			exit.Serve(ctx, l)
		}
	}()
	p.onClose(func() {
		stop()
		_ = unix.Shutdown(pair[0], unix.SHUT_RDWR) // unblocks receive
		<-done
		_ = unix.Close(pair[0])
	})
	return nil
}

// receive waits for the socket that the stage sends.
func receive(channel int) (net.Listener, error) {
	_, fd, err := receiveWith(channel)
	if err != nil || fd < 0 {
		return nil, errors.Join(net.ErrClosed, err)
	}
	f := os.NewFile(uintptr(fd), "proxy")
	defer func() { _ = f.Close() }() // FileListener duplicates the descriptor
	return net.FileListener(f)
}
