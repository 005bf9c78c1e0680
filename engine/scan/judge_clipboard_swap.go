package scan

var (
	// clipboardRead matches calls that read the clipboard.
	clipboardRead = expr(`(?i)\bpyperclip\.paste\b|\bclipboard\.(?:paste|readText\w*|get\w*)\b|\bGet-Clipboard\b|\bpbpaste\b|\bxclip\b[^\n]*-o\b|\bGetClipboard\w*|\bclipboard_get\b|\bclipboardy\.read`)
	// clipboardWrite matches calls that write the clipboard.
	clipboardWrite = expr(`(?i)\b(?:pyperclip\.copy|clipboard\.(?:copy|writeText\w*|set\w*)|Set-Clipboard|pbcopy|SetClipboard\w*|clipboard_append|clipboardy\.write\w*)\b`)
	// payee matches addresses for money, and the patterns that recognise them.
	payee = expr(`\b(?:bc1|ltc1|addr1)[0-9a-z]{20,}\b|\b0x[0-9a-fA-F]{40}\b|\bT[1-9A-HJ-NP-Za-km-z]{33}\b|\b[48][1-9A-HJ-NP-Za-km-z]{94}\b|\[13\]\[a-k|bc1\[|0x\[a-fA-F|0x\[0-9a-f|\[a-fA-F0-9\]\{40\}`)
)

// judgeSwap keeps a program that reads the clipboard, recognises an address and writes the
// clipboard. A user asks for a write alone.
func judgeSwap(d *document, m *match) bool {
	if !clipboardRead.MatchString(d.text) || !payee.MatchString(d.text) {
		return false
	}
	return softenShown(d, m)
}
