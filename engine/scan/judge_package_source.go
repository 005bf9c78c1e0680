package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// judgeRegistry lowers well-known places and blocks bare addresses.
func judgeRegistry(d *document, m *match) bool {
	address := m.group(d, 1) + m.group(d, 2)
	if reservedHost(destination(strings.TrimPrefix(address, "git+"))) || chosenByOwner(strings.TrimPrefix(address, "https://")) || staysHere(strings.TrimPrefix(address, "git+")) {
		return false
	}
	host := destination(strings.TrimPrefix(address, "git+"))
	switch {
	case untrustedSource(address):
		m.severity, m.confidence = diag.Error, 0.85
		return softenShown(d, m)
	case containsAny("."+host, ".pypi.org", ".pythonhosted.org", ".npmjs.org", ".npmjs.com", ".yarnpkg.com", ".pytorch.org", ".nvidia.com", ".jsr.io", ".npmmirror.com", ".golang.org", ".goproxy.io", ".goproxy.cn", ".tsinghua.edu.cn", ".aliyun.com", ".tencent.com"):
		return false
	case containsAny("."+host, ".github.com", ".gitlab.com", ".codeberg.org", ".pkg.dev", ".githubusercontent.com", ".huggingface.co", ".codeload.github.com") && strings.Contains(address, "https://"):
		m.lower(diag.Note)
	}
	return dropNegated(d, m)
}
