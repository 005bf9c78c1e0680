package mcpserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// plain holds back the library's refusals in plain text. The protocol has answers for them, which
// clients understand.
type plain struct {
	http.ResponseWriter
	refused *bytes.Buffer // nil for other answers
}

// WriteHeader implements http.ResponseWriter.
func (p *plain) WriteHeader(code int) {
	if code == http.StatusBadRequest && strings.HasPrefix(p.Header().Get("Content-Type"), "text/plain") {
		p.refused = &bytes.Buffer{}
		return
	}
	p.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (p *plain) Write(data []byte) (int, error) {
	if p.refused != nil {
		return p.refused.Write(data)
	}
	return p.ResponseWriter.Write(data)
}

// Unwrap is for http.ResponseController.
func (p *plain) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// unhandled begins the library's refusal of an unknown method.
const unhandled = "JSON RPC not handled"

// translate answers a request that the library refused. A call of an unknown method is an orderly
// one, so the client gets the answer and not an error of the transport.
func (p *plain) translate(body []byte) {
	if p.refused == nil {
		return
	}
	text, id := strings.TrimSpace(p.refused.String()), idOf(body)
	status, code := http.StatusBadRequest, int64(jsonrpc.CodeInvalidRequest)
	switch {
	case !json.Valid(body):
		code = jsonrpc.CodeParseError
	case strings.HasPrefix(text, unhandled):
		if code = jsonrpc.CodeMethodNotFound; len(id) > 0 {
			status = http.StatusOK
		}
	}
	data, err := refusal(id, code, text)
	if err != nil {
		status, data = http.StatusInternalServerError, nil
	}
	p.Header().Set("Content-Type", "application/json")
	p.ResponseWriter.WriteHeader(status)
	_, _ = p.ResponseWriter.Write(data)
}
