package scan

import (
	"path"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// keyList is a file of data that names files with keys, and not to leave them out, or addresses for
// money.
type keyList struct {
	name, key string
	payees    bool
}

// largestList bounds the files of data that are looked through, in bytes.
const largestList = 64 << 10

var (
	// listedKey matches a path of a key file that is one text of a file of data.
	listedKey = expr(`(?i)["'\s,:\[]((?:~/|\$HOME/|\*\*/)?(?:\.ssh/(?:id_\w+|id_\*|\*)|\.aws/credentials|\.config/gcloud/|\.kube/config|\.docker/config\.json|\.git-credentials|\.netrc|\.npmrc|\.pypirc|\.gnupg/|\.config/gh/hosts\.yml|\*\.kdbx|wallet\.dat|logins\.json|key4\.db|Login Data))`)
	// leavesOut matches a key of data whose value lists exclusions.
	leavesOut = expr(`(?i)(?:exclu|ignor|deny|denied|block|forbid|protect|skip|redact|pattern|secret|sensitive|rules?|never|omit|mask)`)
	// readsFiles and sendsData match the calls that a program needs to send the files of a list.
	readsFiles = expr(`\b(?:open|read_text|read_bytes|readFile(?:Sync)?|createReadStream|glob|rglob|cat|tar|zip)\b`)
	sendsData  = expr(`\burlopen\(|\b(?:requests|httpx|session|client|axios)\.(?:post|put|request)\(|\bfetch\(|\bhttps?\.request\(|\bcurl\b[^\n]*\s(?:-d|--data\S*|-T|-F|--form|--upload-file)\b|\bput_object\(|\bupload_file`)
)

// isList reports whether f is a file of data that is looked through.
func isList(f File) bool {
	switch path.Ext(f.Path) {
	case ".json", ".yaml", ".yml", ".toml", ".ini", ".conf", ".txt", ".lst", ".csv":
		return len(f.Content) <= largestList
	}
	return false
}

// keyListOf returns the first key file or address for money that a file of data names.
func keyListOf(f File) (keyList, bool) {
	text := string(f.Content)
	if all := payee.FindAllStringIndex(text, 2); len(all) == 2 {
		return keyList{path.Base(f.Path), text[all[0][0]:all[0][1]], true}, true
	}
	loc := listedKey.FindStringSubmatchIndex(text)
	if loc == nil || leavesOut.MatchString(text[max(0, loc[2]-300):loc[2]]) {
		return keyList{}, false
	}
	return keyList{path.Base(f.Path), text[loc[2]:loc[3]], false}, true
}

// listedKeys finds programs that read a list of key files, read files and send something: the
// keys leave although no program names them. A list of addresses for money counts where a program
// reads the clipboard and writes it. The documents are those of the files of group.
func listedKeys(files []File, programs []*document, group, lists []int) diag.List {
	var found diag.List
	for _, l := range lists {
		for _, i := range group {
			d := programs[i]
			if !strings.Contains(d.text, path.Base(files[l].Path)) || !clipboardRead.MatchString(d.text) && !readsFiles.MatchString(d.text) {
				continue
			}
			list, ok := keyListOf(files[l])
			if !ok {
				break
			}
			if m, ok := uses(d, list); ok {
				found.Add(m.diagnostic(d))
			}
		}
	}
	return found
}

// uses judges a program that reads a list.
func uses(d *document, list keyList) (finding, bool) {
	m, rule := match{severity: diag.Warning, confidence: 0.7}, "credential-send"
	loc := sendsData.FindStringIndex(d.text)
	m.message = "a program sends files that " + Visible(list.name) + " lists, keys among them: " + Visible(list.key)
	if list.payees {
		if !clipboardRead.MatchString(d.text) {
			return finding{}, false
		}
		loc, rule = clipboardWrite.FindStringIndex(d.text), "clipboard-swap"
		m.message = "what was copied may be replaced by an address for money out of " + Visible(list.name)
	}
	if loc == nil || d.inComment(loc[0]) {
		return finding{}, false
	}
	m.start, m.end = loc[0], loc[1]
	return finding{engine().byID(rule), m}, true
}
