package stress_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// mortal is an engine with its own clone and home, as on its own machine. It is killed and started
// again, over and over.
type mortal struct {
	name string
	dir  string
	env  []string
	// args are the program's arguments; once reports that it ends by itself.
	args []string
	once bool

	mu     sync.Mutex
	life   int
	cmd    *exec.Cmd
	gone   chan struct{}
	struck bool
	exits  map[int]int
}

func (m *mortal) log() string { return filepath.Join(filepath.Dir(m.dir), m.name+".log") }

// begin starts the next life, if the last one is over.
func (m *mortal) begin() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gone != nil {
		select {
		case <-m.gone:
		default:
			return nil
		}
		code := m.cmd.ProcessState.ExitCode()
		if !m.struck && (!m.once || code != 0 && code != 1 && code != 4) {
			return fmt.Errorf("%s ended with %d:\n%s", m.name, code, m.said())
		}
		m.exits[code]++
	}
	file, err := os.OpenFile(m.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	cmd, gone := exec.Command("assent", m.args...), make(chan struct{})
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = m.dir, m.env, file, file
	inherit(cmd, file)
	if err := cmd.Start(); err != nil {
		return err
	}
	m.life, m.cmd, m.gone, m.struck = m.life+1, cmd, gone, false
	go func() { _ = cmd.Wait(); close(gone) }() // the state tells
	return nil
}

// strike ends that life and waits until it is over; it returns false if it was over before.
func (m *mortal) strike(life int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gone == nil || m.life != life {
		return false
	}
	select {
	case <-m.gone:
		return false
	default:
	}
	m.struck = true
	kill(m.cmd, life%2 == 0)
	<-m.gone
	return true
}

// perish ends the current life, if any, with the test.
func (m *mortal) perish() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd != nil {
		kill(m.cmd, true)
		<-m.gone
	}
}

// end lets the current life come to its end, which must be a good one.
func (m *mortal) end(t *testing.T) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	_ = m.cmd.Process.Signal(os.Interrupt) // it may have ended by itself
	<-m.gone
	if code := m.cmd.ProcessState.ExitCode(); code != 0 && !m.once && !m.struck {
		t.Errorf("%s ended with %d:\n%s", m.name, code, m.said())
	}
}

// said returns the end of its log.
func (m *mortal) said() string {
	text, _ := os.ReadFile(m.log())
	return strings.ToValidUTF8(string(text[max(0, len(text)-6000):]), "?")
}
