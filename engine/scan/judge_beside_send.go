package scan

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

var (
	// uploading matches the calls and options by which a program of any language sends data to a server.
	uploading = expr(`(?i)\b(?:POST|PUT|PATCH)\b|->(?:post|put)\b|\b(?:post|put|upload\w*|send\w*|write)\(|\b(?:body|payload|httpBody|data)["']?\s*[:=]|,\s*(?:body|payload|data)\b|\s(?:-d|-F|-T|--data\S*|--form|--upload-file|--post-file)[ =]|-(?:Body|InFile)\b|sendBeacon`)
	// usesKey matches a line that logs in with a key, or looks after the file that it is in.
	usesKey = expr(`(?i)(?:^|[\s"'(|;&])(?:ssh|scp|sftp|rsync|ssh-\w+|chmod|chown|mkdir|stat|ls|rm|touch|docker login)[\s"']|\b(?:IdentityFile|known_hosts|authorized_keys)\b|\.pub\b|--exclude|\bignore`)
	// goesThrough matches a search through folders.
	goesThrough = expr(`(?i)\b(?:find|walk\w*|r?glob\w*|readdir\w*|scandir|Get-ChildItem|listdir|iterdir|list\.files|enumerate\w*)\b`)
)

// keyOwners are parts of the names of stores, and words of the hosts that may have the keys kept there.
//
//nolint:gochecknoglobals // a constant that Go has no literal for.
var keyOwners = [][2]string{{"gcloud", "google"}, {"application_default", "google"}, {"print-access-token", "google"}, {".aws", "amazonaws"}, {".config/gh", "github"}, {"gh", "github"}, {".npmrc", "npmjs"}, {".pypirc", "pypi"}, {".docker", "docker"}, {".azure", "azure"}}

// testProgram matches the paths of programs that try others.
var testProgram = expr(`(?i)(?:^|/)tests?/|[._-]tests?\.\w+$|(?:^|/)test_[^/]*$`)

// judgeBesideSend keeps the name of a store of keys or of private records in a program that also
// sends data to an address of its own. How the one becomes the other need not be seen: classes,
// callbacks and languages that nothing here follows hide it from every reading.
func judgeBesideSend(d *document, m *match) bool {
	line := d.lineAround(m.start)
	text := d.text[line.start:line.end]
	if !d.wholeProgram() || d.inComment(m.start) || d.soughtAt(m.start) || d.signatureAt(m.start) || usesKey.MatchString(text) || testProgram.MatchString(d.path) || !uploading.MatchString(d.text) {
		return false
	}
	hosts := namedHosts(d)
	store := strings.ToLower(d.text[m.start:m.end])
	for _, owner := range keyOwners {
		if strings.Contains(store, owner[0]) && slices.ContainsFunc(hosts, func(h host) bool { return hostWord(h.name, owner[1]) }) {
			return false
		}
	}
	if d.detects() {
		m.lower(diag.Note) // a detector's pattern
	}
	for _, h := range hosts {
		if !staysHere(h.name) && !quietName(h.name) && !isPlaceholder(h.name) && !publishes(h.name) && !d.inComment(h.start) {
			return true
		}
	}
	return false
}

// detects reports whether a program is a detector, by several words that detectors use. One word is
// not enough: a program that sends keys away can write it at the top.
func (d *document) detects() bool {
	head, count := strings.ToLower(d.text[:min(len(d.text), 4000)]), 0
	for _, word := range []string{"pattern", "regex", "severity", "signature", "finding"} {
		count += min(strings.Count(head, word), 2)
	}
	return count >= 3
}

// besideSend ends the messages of the findings that judgeBesideSend keeps.
const besideSend = "sends data to an address of its own"

// leastBeside leaves one finding of a store beside a send, and none if another rule already saw
// the data go from the store to the send.
func leastBeside(found []finding) []finding {
	seen := slices.ContainsFunc(found, func(f finding) bool {
		return f.severity <= diag.Warning && (f.rule.ID == "credential-send" || f.rule.ID == "private-send" || f.rule.ID == "secret-body") && !strings.HasSuffix(f.message, besideSend)
	})
	return slices.DeleteFunc(found, func(f finding) bool {
		if !strings.HasSuffix(f.message, besideSend) {
			return false
		}
		drop := seen
		seen = seen || f.severity <= diag.Warning
		return drop
	})
}

// judgeFolderSent is judgeBesideSend for the files of a home folder, if a program goes through it.
func judgeFolderSent(d *document, m *match) bool {
	near := d.text[max(0, m.start-before):min(len(d.text), m.end+before)]
	return goesThrough.MatchString(near) && judgeBesideSend(d, m)
}
