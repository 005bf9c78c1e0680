package scan

import (
	"bytes"
	"sync"
)

// format is a kind of binary file and the rule that judges it.
type format struct {
	rule, name string
	offset     int
	prefix     string
}

// formats lists binary files by their first bytes, as documented by each
// format's specification.
//
//nolint:gochecknoglobals // a constant that is made on first use.
var formats = sync.OnceValue(func() []format {
	return []format{
		{ruleAsset, "PNG", 0, "\x89PNG\r\n\x1a\n"},
		{ruleAsset, "JPEG", 0, "\xff\xd8\xff"},
		{ruleAsset, "GIF", 0, "GIF87a"},
		{ruleAsset, "GIF", 0, "GIF89a"},
		{ruleAsset, "WebP", 8, "WEBP"},
		{ruleAsset, "PDF", 0, "%PDF-"},
		{ruleAsset, "WOFF font", 0, "wOFF"},
		{ruleAsset, "WOFF2 font", 0, "wOF2"},
		{ruleAsset, "TrueType font", 0, "\x00\x01\x00\x00\x00"},
		{ruleAsset, "OpenType font", 0, "OTTO\x00"},
		{ruleAsset, "icon", 0, "\x00\x00\x01\x00"},
		{ruleAsset, "MP3", 0, "ID3"},
		{ruleAsset, "WAV", 8, "WAVE"},
		{ruleAsset, "MP4", 4, "ftyp"},
		{ruleAsset, "Ogg", 0, "OggS"},
		{ruleAsset, "WebM", 0, "\x1a\x45\xdf\xa3"},
		{ruleArchive, "ZIP (also docx, jar, whl)", 0, "PK\x03\x04"},
		{ruleArchive, "empty ZIP", 0, "PK\x05\x06"},
		{ruleArchive, "gzip", 0, "\x1f\x8b"},
		{ruleArchive, "bzip2", 0, "BZh"},
		{ruleArchive, "xz", 0, "\xfd7zXZ\x00"},
		{ruleArchive, "Zstandard", 0, "\x28\xb5\x2f\xfd"},
		{ruleArchive, "7-Zip", 0, "7z\xbc\xaf\x27\x1c"},
		{ruleArchive, "RAR", 0, "Rar!\x1a\x07"},
		{ruleArchive, "tar", 257, "ustar"},
		{ruleArchive, "ar or deb", 0, "!<arch>\n"},
		{ruleArchive, "cabinet", 0, "MSCF\x00"},
		{ruleProgram, "ELF", 0, "\x7fELF"},
		{ruleProgram, "Windows executable", 0, "MZ"},
		{ruleProgram, "Mach-O", 0, "\xfe\xed\xfa\xce"},
		{ruleProgram, "Mach-O", 0, "\xfe\xed\xfa\xcf"},
		{ruleProgram, "Mach-O", 0, "\xce\xfa\xed\xfe"},
		{ruleProgram, "Mach-O", 0, "\xcf\xfa\xed\xfe"},
		{ruleProgram, "Mach-O universal or Java class", 0, "\xca\xfe\xba\xbe"},
		{ruleProgram, "WebAssembly", 0, "\x00asm"},
		{ruleProgram, "Lua bytecode", 0, "\x1bLua"},
		{ruleProgram, "Android bytecode", 0, "dex\n"},
		{ruleProgram, "LLVM bitcode", 0, "BC\xc0\xde"},
	}
})

// magic returns the binary format of content, or the zero format if it has none.
// Two-letter marks that prose could start with count only in data that is not text.
func magic(content []byte) format {
	if bytecode(content) {
		return format{rule: ruleProgram, name: "Python bytecode"}
	}
	for _, f := range formats() {
		if len(content) < f.offset || !bytes.HasPrefix(content[f.offset:], []byte(f.prefix)) {
			continue
		}
		if len(f.prefix) <= 4 && printable(f.prefix) && bytes.IndexByte(content, 0) < 0 {
			continue
		}
		if f.offset == 8 && !bytes.HasPrefix(content, []byte("RIFF")) {
			continue
		}
		return f
	}
	return format{}
}

// bytecode recognises a .pyc: a 16-bit version, then CR LF, then 4 flag bytes,
// the upper three zero.
func bytecode(content []byte) bool {
	return len(content) >= 16 && content[2] == '\r' && content[3] == '\n' &&
		content[5] == 0 && content[6] == 0 && content[7] == 0
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
