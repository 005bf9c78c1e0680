package attacks_test

import (
	"os"
	"path/filepath"
	"testing"
)

func unattendedDefences() map[string]defence {
	return map[string]defence{"bare-keys-need-a-person": {attack: "TestAttackUnattended/as nobody"}}
}

// A program in an agent's shell can read the user's files, and so use the person's key if it has
// no passphrase. Without a terminal it signs nothing for the person, whatever the repository says.
func TestAttackUnattended(t *testing.T) {
	for name, set := range map[string]func(d *world){
		"as nobody":    func(*world) {},
		"as the agent": func(d *world) { d.Setenv("ASSENT_AGENT", "kublai") },
		"by git's configuration": func(d *world) {
			d.git("config", "gpg.format", "ssh")
			d.git("config", "user.signingkey", d.key("ada"))
			d.git("config", "assent.unattended", "true")
		},
		"by a file of the repository": func(d *world) {
			for _, at := range []string{"config.yaml", ".assent/config.yaml", ".git/assent/config.yaml"} {
				file := filepath.Join(d.dir, at)
				d.ok(os.MkdirAll(filepath.Dir(file), 0o755))
				d.ok(os.WriteFile(file, []byte("unattended: true\n"), 0o600))
			}
		},
	} {
		attack(t, name, func(d *world) {
			p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
			d.Setenv("TEST_ASSENT_ATTENDED", "1")
			set(d)
			for _, args := range [][]string{
				{"review", p.ID, "approve", "--key", d.key("ada")}, {"review", p.ID, "reject", "--reason", "no", "--key", d.key("ada")},
				{"stop", "bowline", "--reason", "no", "--key", d.key("ada")}, {"audit", "checkpoint", filepath.Join(d.TempDir(), "kept"), "--key", d.key("ada")},
			} {
				if code, said := d.code(args...); code == 0 {
					d.succeeds("assent %v signs for ada: %s", args, said)
				}
			}
		})
	}
}
