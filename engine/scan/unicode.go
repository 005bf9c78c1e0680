package scan

import "unicode/utf8"

// special calls visit for each rune of d that is not plain text.
func special(d *document, visit func(at int, r rune)) {
	for i := 0; i < len(d.text); {
		c := d.text[i]
		if c < utf8.RuneSelf {
			if (c < ' ' && c != '\n' && c != '\t' && c != '\r') || c == 0x7f {
				visit(i, rune(c))
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(d.text[i:])
		visit(i, r)
		i += n
	}
}

// invisible reports whether r takes no room on the screen.
func invisible(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x034F, r == 0x061C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5,
		r >= 0x180B && r <= 0x180F, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E,
		r >= 0x2060 && r <= 0x206F, r == 0x3164, r >= 0xFE00 && r <= 0xFE0F, r == 0xFEFF, r == 0xFFA0,
		r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}
