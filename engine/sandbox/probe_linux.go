//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/sandbox/cgroup"
)

// machine lists the isolation mechanisms of this machine.
type machine struct {
	bwrap string // the program's path
	users *users // not nil if we are root and may map other users
	// groups bound the resources of all processes of a program together; nil if unavailable.
	groups *cgroup.Parent
}

// probe looks for the mechanisms that a Box needs and tries them.
func probe(ctx context.Context) (machine, error) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return machine{}, &Refusal{Why: "bubblewrap is not installed", Fix: "install it, as with `apt install bubblewrap` or `dnf install bubblewrap`"}
	}
	m := machine{bwrap: bwrap}
	if os.Geteuid() == 0 {
		m.users = &users{bwrap: bwrap}
		first, err := m.users.take()
		if err != nil {
			return m, &Refusal{Why: err.Error(), Fix: remedy("")}
		}
		m.users.put(first)
	}
	if groups, err := cgroup.Find(); err == nil {
		m.groups = groups
		if m.try(ctx) == nil {
			return m, nil
		}
		m.groups = nil // control groups are only an additional bound, which most machines lack
	}
	return m, m.try(ctx)
}

// try runs a program that does nothing. The error is a Refusal if the sandbox does not work.
func (m machine) try(ctx context.Context) error {
	spec, err := Spec{Args: []string{"/usr/bin/true"}, Limits: Limits{Wall: time.Minute}}.check()
	if err != nil {
		return err
	}
	j, err := m.prepare(spec, program{}, false)
	if err != nil {
		return err
	}
	p, err := launch(ctx, spec, j, false)
	if err != nil {
		return err
	}
	r, failed := p.Wait(), p.Failure()
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("trying out the sandbox: %w", err)
	}
	if r.OK() {
		return nil
	}
	said := fmt.Sprintf("%s: %s", r.Ended, bytes.TrimSpace(r.Stderr))
	if failed != nil {
		said = failed.Error()
	}
	return &Refusal{Why: "bubblewrap does not work here (" + said + ")", Fix: remedy(said)}
}

// remedy returns the most likely remedy for a message of bubblewrap.
func remedy(said string) string {
	switch {
	case strings.Contains(said, "Unknown option"):
		return "bubblewrap is too old: install version 0.8 or later"
	case strings.Contains(said, "closing descriptors"):
		return "the kernel is too old: Linux 5.11 or later is needed; or a container that is older than its kernel refuses the call close_range"
	case strings.Contains(said, "setting up uid map"), strings.Contains(said, "No permissions to create"),
		strings.Contains(said, "RTM_NEWADDR"), strings.Contains(said, "RTM_NEWLINK"):
		return "let ordinary users have user namespaces: on Ubuntu give bwrap an AppArmor profile with `userns`, elsewhere look at the sysctls kernel.unprivileged_userns_clone and user.max_user_namespaces"
	case strings.Contains(said, "mount proc"):
		return "a container hides /proc; start it with --security-opt systempaths=unconfined, or run this outside of it"
	}
	return "if this is a container, let it make namespaces (--security-opt seccomp=unconfined), or run this outside of it"
}
