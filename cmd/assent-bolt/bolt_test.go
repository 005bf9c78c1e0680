package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"regexp"
	"slices"
	"sync"
	"testing"
)

// database is a graph database for tests that speaks Bolt 5.4, written from the published protocol:
// https://neo4j.com/docs/bolt/current. It understands the statements that this program sends.
type database struct {
	mu sync.Mutex
	// open are its connections.
	open sync.WaitGroup
	// hello is what the client sent before the first message, and login the arguments of LOGON.
	hello []byte
	login map[string]any
	// nodes are by workspace and id, edges by workspace, both ends and type.
	nodes, edges map[string]map[string]any
	indexes      int
	// refuse makes statements that match fail, and badAuth each login.
	refuse  *regexp.Regexp
	badAuth bool
}

// serve starts the database and returns its URI.
func serve(t *testing.T) (*database, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &database{nodes: map[string]map[string]any{}, edges: map[string]map[string]any{}}
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			d.open.Go(func() {
				defer conn.Close()
				if err := d.talk(conn); err != nil && !errors.Is(err, io.EOF) {
					t.Errorf("the client broke the protocol: %v", err)
				}
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); accepting.Wait(); d.open.Wait() })
	return d, "bolt://" + l.Addr().String()
}

// The tags of messages.
const (
	hello, goodbye, reset, run0, begin, commit, rollback, discard, pull, logon = 0x01, 0x02, 0x0F, 0x10, 0x11, 0x12, 0x13, 0x2F, 0x3F, 0x6A
	success, failure                                                           = 0x70, 0x7F
)

// talk answers one client.
func (d *database) talk(conn net.Conn) error {
	in := bufio.NewReader(conn)
	first := make([]byte, 20)
	if _, err := io.ReadFull(in, first); err != nil {
		return err
	}
	if d.hello = first; binary.BigEndian.Uint32(first) != 0x6060B017 {
		return fmt.Errorf("magic %x", first[:4])
	}
	if _, err := conn.Write([]byte{0, 0, 4, 5}); err != nil { // version 5.4
		return err
	}
	var nodes, edges map[string]map[string]any // before the transaction
	undo := func() {
		if nodes != nil {
			d.nodes, d.edges, nodes = nodes, edges, nil
		}
	}
	defer func() { // the end of a connection is that of its transaction
		d.mu.Lock()
		undo()
		d.mu.Unlock()
	}()
	var stats map[string]any
	failed := false
	for {
		m, err := message(in)
		if err != nil {
			return err
		}
		answer, fields := byte(success), map[string]any{}
		d.mu.Lock()
		switch m.tag {
		case goodbye:
			d.mu.Unlock()
			return nil
		case hello:
			fields = map[string]any{"server": "Neo4j/5.20.0", "connection_id": "bolt-1"}
		case logon:
			d.login = m.fields[0].(map[string]any)
			failed = d.badAuth
		case begin:
			nodes, edges = maps.Clone(d.nodes), maps.Clone(d.edges)
		case run0:
			query := m.fields[0].(string)
			if failed = failed || d.refuse != nil && d.refuse.MatchString(query); !failed {
				stats, err = d.statement(query, m.fields[1].(map[string]any))
			}
			fields = map[string]any{"fields": []any{}}
		case pull, discard:
			fields = map[string]any{"has_more": false, "type": "w", "stats": stats}
		case rollback, reset:
			failed = false
			undo()
		case commit:
			nodes = nil
		default:
			err = fmt.Errorf("message %#x", m.tag)
		}
		d.mu.Unlock()
		if err != nil {
			return err
		}
		if failed {
			answer, fields = failure, map[string]any{"code": "Neo.ClientError.Security.Unauthorized", "message": "no \x1b[31m"}
		}
		if _, err := conn.Write(chunked(append([]byte{0xB1, answer}, pack(fields)...))); err != nil {
			return err
		}
	}
}

var (
	creates = regexp.MustCompile(`^UNWIND \$rows AS row CREATE \(n:Assent:([A-Za-z]+)\) SET n = row\.properties, n\.id = row\.id, n\.workspace = \$workspace$`)
	joins   = regexp.MustCompile(`^UNWIND \$rows AS row MATCH \(a:Assent \{workspace: \$workspace, id: row\.from\}\), \(b:Assent \{workspace: \$workspace, id: row\.to\}\) CREATE \(a\)-\[r:([A-Z_]+)\]->\(b\) SET r = row\.properties$`)
)

// statement carries out a statement and counts what it did.
func (d *database) statement(query string, params map[string]any) (map[string]any, error) {
	w, _ := params["workspace"].(string)
	rows, _ := params["rows"].([]any)
	if len(rows) > batch {
		return nil, fmt.Errorf("%d rows", len(rows))
	}
	switch {
	case query == "CREATE INDEX assent_nodes IF NOT EXISTS FOR (n:Assent) ON (n.workspace, n.id)":
		d.indexes++
		return nil, nil
	case query == "MATCH (n:Assent {workspace: $workspace}) DETACH DELETE n":
		before := len(d.nodes)
		of := func(_ string, x map[string]any) bool { return x["workspace"] == w }
		maps.DeleteFunc(d.nodes, of)
		maps.DeleteFunc(d.edges, of)
		return map[string]any{"nodes-deleted": int64(before - len(d.nodes))}, nil
	}
	for _, x := range rows {
		row := x.(map[string]any)
		if label := creates.FindStringSubmatch(query); label != nil {
			d.nodes[w+" "+row["id"].(string)] = map[string]any{"workspace": w, "label": label[1], "properties": row["properties"]}
			continue
		}
		kind := joins.FindStringSubmatch(query)
		if kind == nil || d.nodes[w+" "+row["from"].(string)] == nil || d.nodes[w+" "+row["to"].(string)] == nil {
			return nil, fmt.Errorf("not understood, or without its ends: %s %v", query, row)
		}
		d.edges[w+" "+row["from"].(string)+" "+kind[1]+" "+row["to"].(string)] = map[string]any{"workspace": w, "properties": row["properties"]}
	}
	if creates.MatchString(query) {
		return map[string]any{"nodes-created": int64(len(rows))}, nil
	}
	return map[string]any{"relationships-created": int64(len(rows))}, nil
}

type msg struct {
	tag    byte
	fields []any
}

// message reads the chunks of one message.
func message(in *bufio.Reader) (m msg, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("no message: %v", r)
		}
	}()
	var data []byte
	for {
		var size uint16
		if err := binary.Read(in, binary.BigEndian, &size); err != nil {
			return m, err
		}
		if size == 0 && data == nil { // a sign of life between messages
			continue
		}
		if size == 0 {
			break
		}
		part := make([]byte, size)
		if _, err := io.ReadFull(in, part); err != nil {
			return m, err
		}
		data = append(data, part...)
	}
	n := int(data[0] & 0x0F)
	m.tag, data = data[1], data[2:]
	for range n {
		var v any
		v, data = unpack(data)
		m.fields = append(m.fields, v)
	}
	if len(data) > 0 {
		return m, fmt.Errorf("%d more bytes", len(data))
	}
	return m, nil
}

// unpack reads one value of PackStream.
func unpack(b []byte) (any, []byte) {
	mark := b[0]
	b = b[1:]
	size := func(bytes int) (n int) {
		for range bytes {
			n, b = n<<8|int(b[0]), b[1:]
		}
		return n
	}
	text := func(n int) (any, []byte) { return string(b[:n]), b[n:] }
	list := func(n int) (any, []byte) {
		out := []any{}
		for range n {
			var v any
			v, b = unpack(b)
			out = append(out, v)
		}
		return out, b
	}
	dict := func(n int) (any, []byte) {
		out := map[string]any{}
		for range n {
			var k, v any
			k, b = unpack(b)
			v, b = unpack(b)
			out[k.(string)] = v
		}
		return out, b
	}
	switch {
	case mark < 0x80, mark >= 0xF0:
		return int64(int8(mark)), b
	case mark < 0x90:
		return text(int(mark & 0x0F))
	case mark < 0xA0:
		return list(int(mark & 0x0F))
	case mark < 0xB0:
		return dict(int(mark & 0x0F))
	}
	switch mark {
	case 0xC0:
		return nil, b
	case 0xC1:
		return math.Float64frombits(binary.BigEndian.Uint64(b)), b[8:]
	case 0xC2, 0xC3:
		return mark == 0xC3, b
	case 0xC8:
		return int64(int8(b[0])), b[1:]
	case 0xC9:
		return int64(int16(binary.BigEndian.Uint16(b))), b[2:]
	case 0xCA:
		return int64(int32(binary.BigEndian.Uint32(b))), b[4:]
	case 0xCB:
		return int64(binary.BigEndian.Uint64(b)), b[8:]
	case 0xD0, 0xD1, 0xD2:
		return text(size(1 << (mark - 0xD0)))
	case 0xD4, 0xD5, 0xD6:
		return list(size(1 << (mark - 0xD4)))
	case 0xD8, 0xD9, 0xDA:
		return dict(size(1 << (mark - 0xD8)))
	}
	panic(fmt.Sprintf("marker %#x", mark))
}

// pack writes the values of answers.
func pack(v any) []byte {
	switch v := v.(type) {
	case string:
		return append([]byte{0xD0, byte(len(v))}, v...)
	case int64:
		return binary.BigEndian.AppendUint64([]byte{0xCB}, uint64(v))
	case bool:
		if v {
			return []byte{0xC3}
		}
		return []byte{0xC2}
	case []any:
		return []byte{0x90}
	case map[string]any:
		out := []byte{0xD8, byte(len(v))}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out = append(append(out, pack(k)...), pack(v[k])...)
		}
		return out
	}
	return []byte{0xC0}
}

func chunked(b []byte) []byte {
	out := binary.BigEndian.AppendUint16(nil, uint16(len(b)))
	return append(append(out, b...), 0, 0)
}
