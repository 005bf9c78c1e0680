package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"strings"
	"unicode"
)

// Embedder computes vectors: a model of a service at URL, or, without one, a command line.
type Embedder struct{ URL, Model, Key, Command string }

// maxVectors bounds the answer to a request, in bytes, maxDimensions the numbers of one vector.
const (
	maxVectors    = 32 << 20
	maxDimensions = 1 << 14
)

// Embed returns a vector of length 1 for each text. All have the same number of dimensions.
func (e Embedder) Embed(ctx context.Context, texts []string) (out [][]float32, err error) {
	switch {
	case e.URL != "":
		out, err = e.service(ctx, texts)
	case e.Command != "":
		out, err = e.command(ctx, texts)
	default:
		err = errors.New("security.yaml names no url, and $ASSENT_EMBEDDINGS_COMMAND is not set")
	}
	if ctx.Err() != nil {
		return nil, errors.New("no answer came in time")
	}
	if err == nil && len(out) != len(texts) {
		err = fmt.Errorf("%d vectors for %d texts", len(out), len(texts))
	}
	for _, v := range out {
		length := 0.0
		for _, x := range v {
			length += float64(x) * float64(x)
		}
		if length = math.Sqrt(length); err == nil && (!(length > 0 && length < math.MaxFloat32) || len(v) != len(out[0]) || len(v) > maxDimensions) {
			err = fmt.Errorf("a vector has %d dimensions and length %g; others have %d dimensions", len(v), length, len(out[0]))
		}
		for i := range v {
			v[i] /= float32(length)
		}
	}
	return out, err
}

// service asks a service with the API of OpenAI's embeddings.
func (e Embedder) service(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": e.Model, "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, fmt.Errorf("encode the texts: %w", err)
	}
	answer, err := Post(ctx, strings.TrimRight(e.URL, "/")+"/embeddings", e.Key, body, maxVectors)
	if err != nil {
		return nil, err
	}
	var got struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer.Body, &got); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	out := make([][]float32, len(got.Data))
	for _, d := range got.Data {
		if d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil {
			return nil, fmt.Errorf("the vectors have wrong numbers, such as %d", d.Index)
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}

// command writes a line of JSON for each text, {"text": "…"}, and reads an array of numbers for each.
func (e Embedder) command(ctx context.Context, texts []string) (out [][]float32, err error) {
	var question bytes.Buffer
	for _, t := range texts {
		line, err := json.Marshal(map[string]string{"text": t})
		if err != nil {
			return nil, fmt.Errorf("encode the texts: %w", err)
		}
		question.Write(append(line, '\n'))
	}
	answer, err := Form{Most: maxVectors}.Command(e.Command)(ctx, question.Bytes())
	for d := json.NewDecoder(bytes.NewReader(answer)); err == nil; {
		var v []float32
		if err = d.Decode(&v); err == nil {
			out = append(out, v)
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return out, nil
}

// KeyName is the environment variable with the key for a service. It has the host's name, so that
// another address does not get it: '.' becomes '_', '-' becomes "__". After "___" follows a port that is not the
// scheme's own. A host that would have the variable of another one has none.
func KeyName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host, port := u.Hostname(), u.Port()
	for _, part := range strings.Split(host, ".") {
		if part == "" || part[0] == '-' || part[len(part)-1] == '-' || strings.ContainsFunc(part, func(r rune) bool { return r == '_' || r > unicode.MaxASCII }) {
			return ""
		}
	}
	if port == map[string]string{"https": "443", "http": "80"}[u.Scheme] {
		port = ""
	}
	if port != "" {
		port = "___" + port
	}
	return "ASSENT_KEY_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "__").Replace(host)) + port
}
