package redact_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/sandbox/redact"
)

func BenchmarkRedactor(b *testing.B) {
	r := redact.New(map[string]string{"KEY": "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "PEM": strings.Repeat("MIIEowIBAAKCAQEAx\\%=&\n", 20)})
	for name, text := range map[string]string{
		"JSON":  strings.Repeat(`{"name": "value", "path": "/a/b?c=%20d", "n": [1, 2, 3]}`+"\n", 18000),
		"marks": strings.Repeat(`%=&\`, 1<<18),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.String(text)
			}
		})
	}
}
