package clients_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assent-dev/assent/engine/agents/agenttest"
)

// screen is a client in a terminal.
type screen struct {
	*testing.T
	cmd  *exec.Cmd
	tty  *os.File
	more chan struct{} // a value after each output; closed when the client has ended

	mu  sync.Mutex
	raw []byte // the output since the last key
}

// terminal starts a client, or a program by its path, in a terminal of its own, in the project.
func (p *person) terminal(program string, args ...string) *screen {
	p.Helper()
	s := &screen{T: p.T, more: make(chan struct{}, 1)}
	var inner *os.File
	var err error
	if s.tty, inner, err = openTerminal(); err != nil {
		p.Fatal(err)
	}
	defer inner.Close()
	if !filepath.IsAbs(program) {
		program = filepath.Join(p.clients, program)
	}
	s.cmd = exec.Command(program, args...)
	s.cmd.Dir = p.project
	s.cmd.Env = append(slices.DeleteFunc(slices.Clone(p.env), func(v string) bool { return strings.HasPrefix(v, "IS_SANDBOX=") }), "TERM=xterm-256color")
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = inner, inner, inner
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		p.Fatal(err)
	}
	go s.follow()
	p.Cleanup(func() {
		_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
		_ = s.tty.Close()
		_ = s.cmd.Wait() // it was killed
	})
	return s
}

// openTerminal returns both ends of a new terminal.
func openTerminal() (outer, inner *os.File, err error) {
	if outer, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		return nil, nil, fmt.Errorf("open a terminal: %w", err)
	}
	fd := int(outer.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 160})
	}
	if err == nil {
		inner, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		_ = outer.Close()
		return nil, nil, fmt.Errorf("open a terminal: %w", err)
	}
	return outer, inner, nil
}

// follow keeps the output, and answers what a client asks the terminal.
func (s *screen) follow() {
	defer close(s.more)
	part := make([]byte, 1<<16)
	for {
		n, err := s.tty.Read(part)
		if err != nil {
			return
		}
		if bytes.Contains(part[:n], []byte("\x1b[6n")) {
			_, _ = s.tty.WriteString("\x1b[1;1R")
		}
		if bytes.Contains(part[:n], []byte("\x1b[c")) {
			_, _ = s.tty.WriteString("\x1b[?1;2c")
		}
		s.mu.Lock()
		s.raw = append(s.raw, part[:n]...)
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
	}
}

// drawn is whatever moves the cursor, colours text or is blank: clients draw a space by moving.
var drawn = regexp.MustCompile(`\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?<=>]*[ -/]*[@-~]|\x1b[ -/]*[0-~]|\s`)

// text is the output since the last key, without blanks.
func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(drawn.ReplaceAll(s.raw, nil))
}

// sees waits until the screen has a text, whose blanks do not count, and reports whether it came.
func (s *screen) sees(want string, most time.Duration) bool {
	want = strings.ReplaceAll(want, " ", "")
	end := time.After(most)
	for !strings.Contains(s.text(), want) {
		select {
		case _, open := <-s.more:
			if !open {
				return strings.Contains(s.text(), want)
			}
		case <-end:
			return false
		}
	}
	return true
}

// until waits for a text.
func (s *screen) until(want string) {
	s.Helper()
	if !s.sees(want, time.Minute) {
		s.Fatalf("the client does not show %q but\n%s", want, s.text())
	}
}

// still waits until the client has drawn nothing for a while, as a person does: clients ignore a key that comes before
// a person can have read the question.
func (s *screen) still() {
	for range 10 { // of a client that draws all the time
		select {
		case <-s.more:
		case <-time.After(700 * time.Millisecond):
			return
		}
	}
}

// types presses keys until the screen has a text: a client may draw a dialog before it reads keys.
func (s *screen) types(keys, want string) {
	s.Helper()
	for range 3 {
		s.still()
		s.mu.Lock()
		s.raw = nil
		s.mu.Unlock()
		if _, err := s.tty.WriteString(keys); err != nil {
			s.Fatal(err)
		}
		if s.sees(want, 15*time.Second) {
			return
		}
	}
	s.Fatalf("after %q the client does not show %q but\n%s", keys, want, s.text())
}

const (
	up, down, enter = "\x1b[A", "\x1b[B", "\r"
	prompted        = "BEGIN-HERE"
	answered        = "the-model-has-answered"
)

// asks has the person type a prompt, and returns the request that the model got.
func (s *screen) asks(m *agenttest.Model) agenttest.Request {
	s.Helper()
	s.types(prompted, prompted)
	s.types(enter, answered)
	for _, r := range m.Requests() {
		if strings.Contains(r.Last, prompted) {
			return r
		}
	}
	s.Fatal("the model has no request with the prompt")
	return agenttest.Request{}
}

// claudeInTerminal is a project that is connected to Claude Code, which the person has set up before.
func claudeInTerminal(t *testing.T) (*person, *agenttest.Model) {
	t.Helper()
	p := real(t)
	p.run(p.project, p.assent, "connect", "claude-code", "--workspace", p.ws)
	m := agenttest.Serve(t, agenttest.Turn{When: prompted, Say: answered})
	p.env = append(p.env, "ANTHROPIC_BASE_URL="+m.URL)
	settings := `{"hasCompletedOnboarding": true, "theme": "dark", "customApiKeyResponses": {"approved": ["x"], "rejected": []}}`
	if err := os.WriteFile(filepath.Join(strings.TrimPrefix(p.env[0], "HOME="), ".claude.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return p, m
}

const folder, server = "Yes, I trust this folder", "New MCP server found in this project: assent"

// accept answers Claude Code's questions about the folder and the server.
func (s *screen) accept() {
	s.Helper()
	s.until(folder)
	s.types(down, "❯"+folder)
	s.types(enter, server)
	s.types(up, "❯Use this and all")
	s.types(up, "❯Use this MCP server")
	s.types(enter, "")
}

// TestClaudeCodeTrust: a person who answers the client's questions about the folder and the server has the tools and the
// identity in the first request; one who refuses the server has no tools, and one who refuses the folder no session.
func TestClaudeCodeTrust(t *testing.T) {
	t.Run("accepted", func(t *testing.T) {
		p, m := claudeInTerminal(t)
		s := p.terminal("claude")
		s.accept()
		r := s.asks(m)
		hasTools(t, r, "mcp__assent__", true)
		if !strings.Contains(r.Body, identity) {
			t.Error("the model does not get its identity")
		}
	})
	t.Run("server refused", func(t *testing.T) {
		p, m := claudeInTerminal(t)
		s := p.terminal("claude")
		s.until(folder)
		s.types(down, "❯"+folder)
		s.types(enter, server)
		s.types(enter, "auto mode on") // the dialog's own proposal is to continue without it
		hasTools(t, s.asks(m), "mcp__assent__", false)
	})
	t.Run("folder refused", func(t *testing.T) {
		p, m := claudeInTerminal(t)
		s := p.terminal("claude")
		s.until(folder)
		s.types(enter, "because this folder isn't trusted")
		if n := len(m.Requests()); n > 0 {
			t.Errorf("%d requests after the refusal", n)
		}
	})
}

const trustCodex, trustHooks = "1. Trust and continue", "2. Trust all and continue"

func (p *person) codexTerminal(m *agenttest.Model) *screen {
	p.Helper()
	return p.terminal("codex", "-m", "scripted", "-c", "model_provider=mock", "-c", `model_providers.mock={name="mock",base_url="`+m.URL+`/v1",wire_api="responses",env_key="OPENAI_API_KEY"}`)
}

// TestCodexTrust: the same with Codex, which asks about the folder and the hooks.
func TestCodexTrust(t *testing.T) {
	begin := func(t *testing.T) (*person, *agenttest.Model, *screen) {
		t.Helper()
		p := real(t)
		p.run(p.project, p.assent, "connect", "codex", "--workspace", p.ws)
		m := agenttest.Serve(t, agenttest.Turn{When: prompted, Say: answered})
		s := p.codexTerminal(m)
		s.until(trustCodex)
		return p, m, s
	}
	for answer, told := range map[string]bool{"accepted": true, "refused": false} {
		t.Run("hooks "+answer, func(t *testing.T) {
			_, m, s := begin(t)
			s.types(enter, trustHooks)
			s.types(down, "›"+trustHooks)
			if !told {
				s.types(down, "›3. Continue without trusting")
			}
			s.types(enter, "")
			r := s.asks(m)
			hasTools(t, r, "mcp__assent::", true)
			if strings.Contains(r.Body, identity) != told {
				t.Errorf("the model gets its identity: %v, want %v", !told, told)
			}
		})
	}
	t.Run("folder refused", func(t *testing.T) {
		p, m, s := begin(t)
		s.types("2", "Agent command center")
		if n := len(m.Requests()); n > 0 {
			t.Errorf("%d requests after the refusal", n)
		}
		p.codex(m, prompted, "-m", "scripted")
		hasTools(t, m.Requests()[0], "mcp__assent::", false)
	})
}

// session has the person type a prompt, and allow each call that the client asks about.
func (s *screen) session(m *agenttest.Model, question string) {
	s.Helper()
	s.types(prompted, prompted)
	s.types(enter, "")
	for range 40 {
		s.sees(question, 3*time.Second)
		if m.Left() == 0 {
			return
		}
		s.types(enter, "") // once more for one that was too early; without a question it does nothing
	}
}

// TestClaudeCodeFirstSession: the session that the README shows, typed into a terminal: the person answers the questions,
// types one prompt, and allows each call of a tool.
func TestClaudeCodeFirstSession(t *testing.T) {
	p, _ := claudeInTerminal(t)
	turns := story(p, func(when, tool string, input any) agenttest.Turn {
		return agenttest.Turn{When: when, Tool: "mcp__assent__" + tool, Input: input}
	})
	turns[len(turns)-1].Say = answered
	m := agenttest.Serve(t, turns...)
	p.env = append(p.env, "ANTHROPIC_BASE_URL="+m.URL)
	settings := filepath.Join(strings.TrimPrefix(p.env[0], "HOME="), ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte(`{"permissions": {"defaultMode": "default"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := p.terminal("claude")
	s.accept()
	s.session(m, "Do you want to proceed?")
	p.played(m)
	recorded(p, m, "claude-code")
}

// TestCodexFirstSession: the same with Codex.
func TestCodexFirstSession(t *testing.T) {
	p := real(t)
	p.run(p.project, p.assent, "connect", "codex", "--workspace", p.ws)
	turns := story(p, func(when, tool string, input any) agenttest.Turn {
		return agenttest.Turn{When: when, Tool: tool, Namespace: "mcp__assent", Input: input}
	})
	turns[len(turns)-1].Say = answered
	m := agenttest.Serve(t, turns...)
	s := p.codexTerminal(m)
	s.until(trustCodex)
	s.types(enter, trustHooks)
	s.types(down, "›"+trustHooks)
	s.types(enter, "")
	s.session(m, "1. Allow")
	p.played(m)
	recorded(p, m, "codex")
}
