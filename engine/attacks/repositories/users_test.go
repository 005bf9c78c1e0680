//go:build unix

package repositories_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// readOnly makes the commands run as a user who may only read the workspace. As root it switches
// to another user, because a file's mode does not limit root.
func (p *place) readOnly() {
	p.Helper()
	if os.Geteuid() != 0 {
		p.ok(filepath.WalkDir(p.ws, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Chmod(path, map[bool]os.FileMode{true: 0o555, false: 0o444}[d.IsDir()])
		}))
		p.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+w", p.ws).Run() }) // so that it can be removed
		return
	}
	for dir := filepath.Dir(p.top); dir != filepath.Clean(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
		p.ok(os.Chmod(dir, 0o755)) // the test's own folders, down to this one
	}
	p.chown(filepath.Join(p.top, "home"), nobody)
	p.plainGit("config", "--file", filepath.Join(p.top, "home", ".gitconfig"), "safe.directory", "*")
	p.chown(filepath.Join(p.top, "home", ".gitconfig"), nobody)
	program, err := exec.LookPath("assent")
	p.ok(err)
	binary, err := os.ReadFile(program)
	p.ok(err)
	p.program = filepath.Join(p.top, "assent") // all users can run it there
	p.ok(os.WriteFile(p.program, binary, 0o755))
	p.as = func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}
