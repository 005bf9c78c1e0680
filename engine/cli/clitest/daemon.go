package clitest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a script waits for a line or an answer that must come.
const patience = 2 * time.Minute

// until waits for a line in a file that a process writes.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 && len(args) != 3 {
		ts.Fatalf("usage: until FILE REGEXP [NAME]")
	}
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	var text []byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		text, _ = os.ReadFile(ts.MkAbs(args[0])) // it may not exist yet
		if found := re.FindSubmatch(text); found != nil {
			if len(args) == 3 {
				ts.Setenv(args[2], string(found[len(found)-1]))
			}
			return
		}
	}
	ts.Fatalf("%s never says %s:\n%s", args[0], args[1], text)
}

// get asks a URL until the answer has that status and matches.
func get(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: get STATUS URL REGEXP")
	}
	re, err := regexp.Compile("(?m)" + args[2])
	ts.Check(err)
	code, text := 0, ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		code, text = send(ts, http.MethodGet, args[1], "", nil)
		if strconv.Itoa(code) == args[0] && re.MatchString(text) {
			return
		}
	}
	ts.Fatalf("%s never answers %s with %s, but %d:\n%s", args[1], args[0], args[2], code, text)
}

// deliver sends a webhook as GitHub, Gitea or Forgejo signs it, and compares the
// status of the answer.
func deliver(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 6 {
		ts.Fatalf("usage: deliver STATUS URL github|gitea|forgejo SECRET ID BODY")
	}
	service, id, body := args[2], args[4], args[5]
	mac := hmac.New(sha256.New, []byte(args[3]))
	mac.Write([]byte(body))
	signature := hex.EncodeToString(mac.Sum(nil))
	header := http.Header{}
	header.Set("X-"+service+"-Event", "push")
	header.Set("X-"+service+"-Delivery", id)
	switch service {
	case "github":
		header.Set("X-Hub-Signature-256", "sha256="+signature)
	default:
		header.Set("X-"+service+"-Signature", signature)
	}
	if code, text := send(ts, http.MethodPost, args[1], body, header); strconv.Itoa(code) != args[0] {
		ts.Fatalf("answered %d, want %s: %s", code, args[0], text)
	}
}

// send returns the status and the body of an answer, 0 where none came.
func send(ts *testscript.TestScript, method, url, body string, header http.Header) (int, string) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	ts.Check(err)
	if header != nil {
		r.Header = header
	}
	answer, err := (&http.Client{Timeout: patience}).Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	ts.Check(err)
	return answer.StatusCode, string(text)
}
