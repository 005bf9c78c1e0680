package scan

import (
	"path"
	"strings"
)

// recipient matches addresses of mail, bank accounts (ISO 13616), wallets,
// buckets, repositories, registries and pay pages.
var recipient = expr(`\b[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}\b|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b|\b(?:bc1|ltc1)[a-z0-9]{20,71}\b|\b0x[0-9a-fA-F]{40}\b|\b[13][A-HJ-NP-Za-km-z1-9]{25,34}\b|\bT[A-HJ-NP-Za-km-z1-9]{33}\b|\b(?:s3|gs|az|r2|rsync|ssh|sftp)://[\w.-]+|\bgit@[\w.-]+:[\w./-]+|(?i:\b(?:paypal\.me|t\.me|wa\.me|cash\.app|venmo\.com|buymeacoffee\.com)/[\w$.-]+)|(?i:\baccount (?:number|no\.?):? ?\d[\d -]{5,20}\d)|(?i:\b(?:--set-upstream|remote (?:add \w+|set-url \w+)|push) +)([\w@:/.-]*[/:][\w@:/.-]+)|(?i:\baccount ending (?:in|with) \d+)|(?i:\b(?:to|into) (?:the|any|whatever|an?|another|this|that) (?:\w+ )?(?:card|bank account|account|iban|wallet)\b)|\+\d[\d -]{7,16}\d`)

func recipientItems(d *document) []item {
	var items []item
	for _, loc := range recipient.FindAllStringIndex(d.text, -1) {
		key := strings.ToLower(strings.Join(strings.Fields(d.text[loc[0]:loc[1]]), " "))
		if path.Ext(key) == ".git" && strings.HasPrefix(key, "http") || placeholderMail(key) {
			continue
		}
		items = append(items, item{span: span{loc[0], loc[1]}, key: key})
	}
	return items
}

// placeholderMail reports whether address is a placeholder for the reader's own, or not an address.
func placeholderMail(address string) bool {
	name, host, ok := strings.Cut(address, "@")
	if !ok {
		return false
	}
	// curl takes "name@file" for a file that it sends.
	switch path.Ext(host) {
	case ".txt", ".json", ".csv", ".md", ".xml", ".yaml", ".yml", ".html", ".pdf", ".png", ".zip", ".tar", ".gz", ".log", ".sql", ".jsonl":
		return true
	}
	// OpenSSH names its own algorithms like addresses (RFC 4251, 6).
	if host == "openssh.com" || host == "libssh.org" {
		return true
	}
	// RFC 2606 reserves these: they receive nothing.
	switch host {
	case "example.com", "example.org", "example.net":
		return true
	}
	switch name {
	case "you", "your", "user", "name", "me", "alice", "bob", "john", "jane", "foo", "test", "someone", "john.doe", "jane.doe", "username":
		return strings.Contains(host, "example") || strings.Contains(host, "domain") || strings.Contains(host, "company")
	}
	return false
}
