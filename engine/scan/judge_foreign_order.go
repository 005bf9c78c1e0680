package scan

var (
	// foreignSend matches words for sending.
	foreignSend = expr(`(?i)\b(?:send|schick|lade|übermittl|übertrag|post|envo|transme|télévers|publi|env[iíi]|mand|sub[ae]|transmit)\pL*|(?:отправ|перешл|загруз|передай|пошли|выгруз)\pL*|发送|上传|传送|发给|泄露|提交到|送信|送っ|送り|アップロード|転送`)
	// foreignFetch matches words for fetching, foreignOnly for sending, in languages
	// other than English.
	foreignFetch = expr(`(?i)\b(?:herunterlad|lade\b|lädst|hole?\b|descarg|baj[ae]\b|obt[eé]n|télécharg|récup[eè]r|baix[ae]|scaric)\pL*|(?:скача|загруз|получи)\pL*|下载|拉取|ダウンロード|다운로드`)
	foreignOnly  = expr(`(?i)\b(?:schick|sende[nst]?\b|übermittl|übertrag|hochlad|envo[iy]|transme[tz]|télévers|env[ií][aeo]|mand[ae]\b|sub[aei]\b|adjunt|invia\b|inviar|carica\b)\pL*|(?:отправ|перешл|загруз|передай|пошли|выгруз)\pL*|发送|上传|传送|发给|泄露|提交到|送信|送っ|送り|アップロード|転送|전송|보내|업로드`)
	// anAddress matches where something may be sent.
	anAddress = expr(`(?i)(?:https?|wss?)://|[\w.+-]+@[\w-]+\.[a-z]{2,}`)
)

// judgeForeignSend keeps a match only with a word for sending and an address in the same sentence.
func judgeForeignSend(d *document, m *match) bool {
	text := d.sentence(m.start)
	return foreignSend.MatchString(text) && anAddress.MatchString(text) && !containsAny(text, "header", "Header", "Authorization", "Bearer", "OAuth", "登录", "注册", "获取", "申请") && soften(d, m)
}

// judgeForeignRun keeps a match only with an order to fetch and an address in the same
// sentence, or the one before.
func judgeForeignRun(d *document, m *match) bool {
	s := d.sentenceSpan(m.start)
	text := d.text[max(0, s.start-before/2):s.end]
	return foreignFetch.MatchString(text) && anAddress.MatchString(text) &&
		(fetchedProgram.MatchString(text) || itself.MatchString(d.text[m.start:min(len(d.text), m.end+24)])) && soften(d, m)
}

var (
	// fetchedProgram matches an address of something that can be run.
	fetchedProgram = expr(`(?i)https?://\S+\.(?:sh|py|ps1|js|exe|pkg|dmg|zip|msi|bat|command|bin|run|jar|rb|pl)\b`)
	// itself matches an order to run, with a pronoun for the thing named before.
	itself = expr(`(?i)^(?:\pL+\s+(?:es|ihn|sie|dies\pL*|le|la|les|lo|las|los|o|a|его|её|ее|их)(?:[\s.,;]|$)|\pL+-(?:le|la|les|lo|o|a)\b|\pL*[uú]t[ae](?:lo|la|los|las)\b|\pL*guil[oaei]\b|(?:执行|运行)(?:它|其|该|此)|(?:それを|これを)?実行)`)
	// refusing matches words that forbid, in the languages of these patterns.
	refusing = expr(`(?i)\bkein\pL*|\bnicht\b|\bnie\b|\bniemals\b|\b(?:no|nunca|não|jamais|mai|non|pas)\b|(?:^|\s)не\s|никогда|不要|请勿|切勿|不得|别|ないで|마세요`)
)

// judgeForeignConsent drops a sentence that forbids leaving the question out.
func judgeForeignConsent(d *document, m *match) bool {
	s := d.sentenceSpan(m.start)
	return !refusing.MatchString(d.text[max(s.start, m.start-24):m.end]) && soften(d, m)
}

// judgeForeignFile keeps a match only with a foreign word for sending and an address in the same sentence.
func judgeForeignFile(d *document, m *match) bool {
	text := d.sentence(m.start)
	return foreignOnly.MatchString(text) && anAddress.MatchString(text) && soften(d, m)
}
