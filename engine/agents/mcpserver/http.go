package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTP serves clients over streamable HTTP, each by its token. The protocol's sessions are not used: what
// a client may do follows from its token alone, and each request is answered by what is in force
// then.
func HTTP(tokens []Token, open func(Token) Settings, logger *slog.Logger) (http.Handler, error) {
	all, turns := map[[sha256.Size]byte]http.Handler{}, map[[sha256.Size]byte]chan struct{}{}
	for _, t := range tokens {
		_, m, err := newServer(open(t))
		if err != nil {
			return nil, err
		}
		turns[t.digest] = make(chan struct{}, atOnce)
		all[t.digest] = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return m }, &mcp.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxMessage, Logger: logger,
			DisableLocalhostProtection: true, // the daemon knows by which names it is asked
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := presented(r)
		client := all[token]
		if client == nil {
			logger.Warn("an agent's client has no valid token", "from", r.RemoteAddr)
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the agent's token: Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		// A request has its turn before its body is read, so that a token takes no memory without bound.
		select {
		case turns[token] <- struct{}{}:
			defer func() { <-turns[token] }()
			unhurried(w, r, client)
		case <-r.Context().Done():
		}
	}), nil
}

// partTime is the time to send a request's body once it has its turn, and to read a part of an answer.
const partTime = time.Minute

// presented is the digest of the token of a request. The time to look a digest up says nothing about
// the token.
func presented(r *http.Request) [sha256.Size]byte {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return [sha256.Size]byte{}
	}
	return sha256.Sum256([]byte(strings.TrimSpace(token)))
}

// unhurried lets a tool take longer than the server's deadline for a request. The body is read first,
// within a time of its own.
func unhurried(w http.ResponseWriter, r *http.Request, client http.Handler) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(partTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		http.Error(w, "the request was not read: "+err.Error(), http.StatusBadRequest)
		return
	}
	//defence:batches-are-small
	if unfit(body) {
		http.Error(w, "send JSON, and at most "+strconv.Itoa(maxBatch)+" messages in a request", http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	_ = c.SetReadDeadline(time.Time{}) // else the server's deadline would cancel the request
	_ = c.SetWriteDeadline(time.Time{})
	answer := &plain{ResponseWriter: prompt{w, c}}
	client.ServeHTTP(answer, r)
	answer.translate(body)
}

// maxBatch bounds the messages in a request. All answers are kept until the last one is there, and one of a few
// bytes may have megabytes.
const maxBatch = 50

// unfit reports whether a request has more than maxBatch messages, or is a list that another parser may read otherwise.
func unfit(body []byte) bool {
	var batch []json.RawMessage
	return bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) && (json.Unmarshal(body, &batch) != nil || len(batch) > maxBatch)
}

// prompt bounds how long a client may take to read each part of an answer.
type prompt struct {
	http.ResponseWriter
	c *http.ResponseController
}

// Write implements http.ResponseWriter.
func (p prompt) Write(data []byte) (int, error) {
	_ = p.c.SetWriteDeadline(time.Now().Add(partTime))
	return p.ResponseWriter.Write(data)
}

// Unwrap gives http.ResponseController the connection.
func (p prompt) Unwrap() http.ResponseWriter { return p.ResponseWriter }
