//go:build linux

package cgroup

import "testing"

func TestPlace(t *testing.T) {
	const (
		unified = "25 30 0:23 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
		hybrid  = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n" +
			"32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n" +
			"35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
		container = "900 899 0:27 /docker/abc /sys/fs/cgroup/memory ro,nosuid master:15 - cgroup cgroup rw,memory\n"
	)
	for name, tc := range map[string]struct {
		version           int
		own, mounts, want string // want is a folder, or the text of the error
	}{
		"a user's own systemd":  {2, "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scope\n", unified, "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice"},
		"a service's subgroup":  {2, "0::/system.slice/assent.service/main\n", unified, "/sys/fs/cgroup/system.slice/assent.service"},
		"a container of two":    {2, "0::/\n", unified, "this process is in the topmost group"},
		"outside the namespace": {2, "0::/../other/scope\n", unified, "/../other/scope is outside of this namespace"},
		"a name with a colon":   {2, "0::/a:b/c\n", unified, "/sys/fs/cgroup/a:b"},
		"two without a mount":   {2, "0::/x/y\n", hybrid, "control groups are not mounted"},
		"one":                   {1, "5:devices:/\n4:memory:/jobs/7\n0::/\n", hybrid, "/sys/fs/cgroup/memory/jobs/7"},
		"one, together":         {1, "4:cpu,memory:/\n", hybrid, "/sys/fs/cgroup/memory"},
		"one, only two":         {1, "0::/a/b\n", unified, "this process is in no group"},
		"one in a container":    {1, "4:memory:/docker/abc/x\n", container, "/sys/fs/cgroup/memory/x"},
		"one from elsewhere":    {1, "4:memory:/docker/def\n", container, "/docker/def is above what is mounted here"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := versions[2-tc.version].place(tc.own, tc.mounts)
			if err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
