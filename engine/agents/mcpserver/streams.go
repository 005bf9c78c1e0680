package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage bounds one message, in bytes. A proposal has 10 MiB by default, and JSON escapes.
const maxMessage = 32 << 20

// lastAnswers is how long requests may take that are not answered when the input ends. A client
// that closed it and died must not leave a server behind.
const lastAnswers = 30 * time.Second

// streams is the protocol's stdio transport: a JSON message on each line. Unlike the library's
// it survives lines that are no message: it answers them with an error.
type streams struct {
	in  io.Reader
	out io.Writer
}

// Connect implements mcp.Transport.
func (s streams) Connect(context.Context) (mcp.Connection, error) {
	c := &connection{out: s.out, incoming: make(chan jsonrpc.Message), closed: make(chan struct{}), ended: make(chan struct{}), answered: make(chan struct{}, 1)}
	go c.read(bufio.NewReaderSize(s.in, 64<<10))
	return c, nil
}

// connection is one conversation.
type connection struct {
	incoming chan jsonrpc.Message
	// ended is closed after the last message; failed is the reason if the stream did not
	// end properly.
	ended  chan struct{}
	failed error

	writing sync.Mutex
	out     io.Writer

	once   sync.Once
	closed chan struct{}

	// pending counts the unanswered requests; answered is signalled when one is answered.
	pending  atomic.Int64
	answered chan struct{}
}

// SessionID implements mcp.Connection.
func (c *connection) SessionID() string { return "" }

// Close implements mcp.Connection. The reader may stay blocked in its stream until that ends.
func (c *connection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// Read implements mcp.Connection.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.incoming:
		return m, nil
	case <-c.ended:
		c.settle(ctx)
		if c.failed != nil {
			return nil, c.failed
		}
		return nil, io.EOF
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// settle waits until all requests are answered: the library drops them at the end of the input.
func (c *connection) settle(ctx context.Context) {
	late := time.NewTimer(lastAnswers)
	defer late.Stop()
	for c.failed == nil && c.pending.Load() > 0 {
		select {
		case <-c.answered:
		case <-c.closed:
			return
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Write implements mcp.Connection.
func (c *connection) Write(_ context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	err = c.line(data)
	if _, is := m.(*jsonrpc.Response); is {
		c.pending.Add(-1)
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	return err
}

func (c *connection) line(data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.out.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("answer the client: %w", err)
	}
	return nil
}

// read hands over messages until the stream ends.
func (c *connection) read(in *bufio.Reader) {
	defer close(c.ended)
	for {
		line, tooLong, err := readLine(in)
		switch line = bytes.TrimSpace(line); {
		case tooLong:
			err = errors.Join(err, c.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has at most %d bytes", maxMessage)))
		case len(line) > 0:
			err = errors.Join(err, c.take(line))
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			c.failed = err
			return
		}
	}
}

// take dispatches one message, or answers an invalid one with an error.
func (c *connection) take(line []byte) error {
	if !json.Valid(line) {
		return c.refuse(nil, jsonrpc.CodeParseError, "this line is no JSON; each message is one JSON object on one line")
	}
	if line[0] == '[' {
		return c.refuse(nil, jsonrpc.CodeInvalidRequest, "batches are no part of the protocol; send one object on each line")
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return c.refuse(idOf(line), jsonrpc.CodeInvalidRequest, "this is no JSON-RPC message: "+err.Error())
	}
	if r, is := m.(*jsonrpc.Request); is && r.IsCall() {
		c.pending.Add(1)
	}
	select {
	case c.incoming <- m:
	case <-c.closed:
		return io.EOF
	}
	return nil
}

// idOf is the id of a message; nil without one.
func idOf(message []byte) json.RawMessage {
	var head struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(message, &head) // without an id the answer has none
	return head.ID
}

// refuse answers a line that is no message.
func (c *connection) refuse(id json.RawMessage, code int64, message string) error {
	data, err := refusal(id, code, message)
	if err != nil {
		return err
	}
	return c.line(data)
}

// refusal is the answer to what is no request; a nil id if it has none.
func refusal(id json.RawMessage, code int64, message string) ([]byte, error) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
	if err != nil {
		return nil, fmt.Errorf("write an answer: %w", err)
	}
	return data, nil
}

// readLine reads up to the end of a line. One that is too long is read over.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxMessage; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}
