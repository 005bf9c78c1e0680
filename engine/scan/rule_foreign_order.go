package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
)

// foreignOrderRule: an order to drop instructions, to hide or to send keys away
// stands in another language than English.
func foreignOrderRule() rule {
	override := func(near []string, source string) pattern {
		return pattern{near: near, re: expr(`(?i)` + source), in: spoken, severity: diag.Warning, confidence: 0.7, judge: soften}
	}
	return rule{RuleInfo: RuleInfo{"foreign-order", Instructions, diag.Warning, "an order to drop rules, to hide something or to send keys away stands in another language",
		"A model follows every language; a reviewer who reads only one of them passes over the sentence.",
		"Remove the sentence. If it is an example of an attack, quote it and say so."},
		patterns: []pattern{
			override([]string{"anweisung", "struktion", "vorgaben", "befehle", "regeln", "richtlinien"},
				`(?:ignorier|vergiss|vergesst|vergesse|missacht|umgeh|beachte)\pL*\s+(?:\S+\s+){0,5}?(?:anweisung|instru[k]tion|regel|vorgabe|befehl|richtlinie)\pL*`),
			override([]string{"consignes", "instructions pr", "les instructions", "règles", "directives", "tes instructions", "vos instructions"},
				`(?:ignor|oubli|néglig|contourn)\pL*\s+(?:\S+\s+){0,4}?(?:instructions|consignes|règles|directives|ordres)`),
			override([]string{"instrucciones", "reglas", "indicaciones", "directrices", "instruções", "regras", "orientações", "diretrizes", "istruzioni", "regole"},
				`(?:ignor|olvid|descart|omit|esque[çc]|desconsider|dimentic)\pL*\s+(?:\S+\s+){0,4}?(?:instrucciones|reglas|indicaciones|directrices|instruções|regras|orientações|diretrizes|istruzioni|regole)`),
			override([]string{"инструкци", "правил", "указани"},
				`(?:игнорир|забуд|забыть|отмени|не\s+обращай|не\s+следуй|обойди)\pL*\s+(?:\S+\s+){0,4}?(?:инструкци|правил|указани|команд)\pL*`),
			override([]string{"忽略", "无视", "無視", "忘记", "忘掉", "忽視", "不要理会", "忘れ"},
				`(?:忽略|无视|無視|忘记|忘掉|忽視|不要理会)[^\s。，]{0,16}?(?:指令|指示|规则|規則|提示词|提示|命令|要求)|(?:指示|ルール|命令|規則|プロンプト)[^\s。]{0,10}?(?:無視|忘れ|従わな)`),
			override([]string{"무시", "잊어"}, `(?:지시|규칙|명령|지침)\S*\s*(?:\S+\s+){0,2}?(?:무시|잊)`),
			override([]string{"benutzer", "nutzer", "anwender", "verschweig", "verheimlich"},
				`(?:sag|erzähl|verrat|informier|zeig|meld|erwähn|teil)\pL*\s+(?:\S+\s+){0,5}?(?:be)?(?:nutzer|anwender)\pL*\s+(?:\S+\s+){0,3}?(?:nicht|nichts)\b|(?:verschweig|verheimlich|verbirg|verberg)\pL*\s+(?:\S+\s+){0,5}?(?:be)?(?:nutzer|anwender)\pL*|(?:be)?(?:nutzer|anwender)\pL*\s+(?:nicht|nichts)\s+(?:\S+\s+){0,3}?(?:sagen|verraten|mitteilen|informieren|zeigen)`),
			override([]string{"utilisateur"}, `\bn(?:e\s+|['’])(?:\pL+\s+)?(?:di(?:s|tes)|inform|révél|montr|mentionn|prévien|prévenez|averti|parl)\pL*\s+(?:\S+\s+){0,7}?(?:\pL+['’])?utilisateur|(?:cache|cachez|dissimule|dissimulez)\s+(?:\S+\s+){0,4}?(?:\pL+['’])?utilisateur`),
			override([]string{"usuario", "usuário", "utilizador"}, `(?:(?:no|não|nunca)\s+(?:\pL{1,3}\s+){0,2}(?:dig|inform|mencion|muestr|mostr|avis|revel|cont|fale)\pL*|ocult\pL*|escond\pL*)\s+(?:\S+\s+){0,4}?(?:usuario|usuário|utilizador)`),
			override([]string{"пользовател"}, `не\s+(?:говори|сообщай|рассказывай|показывай|упоминай|уведомляй|информируй)\pL*\s+(?:\S+\s+){0,4}?пользовател|(?:скрой|скрывай|скрыть|утаи)\pL*\s+(?:\S+\s+){0,4}?пользовател|пользовател\pL*\s+(?:\S+\s+){0,3}?не\s+(?:говори|сообщай|рассказывай|показывай|упоминай)`),
			override([]string{"用户", "使用者", "ユーザー", "利用者"}, `(?:不要|别|勿|不得|不能)(?:告诉|告知|通知|让|向|提醒|透露)[^\s。]{0,6}?(?:用户|使用者)|(?:对|向)用户(?:隐瞒|保密)|(?:ユーザー|利用者)[^\s。]{0,12}?(?:言わない|伝えない|知らせない|教えない|見せない|秘密に|隠し|隠す|内緒)`),
			override([]string{"antwort nicht", "zusammenfassung nicht", "bericht nicht", "protokoll nicht", "la respuesta", "el resumen", "la réponse", "le résumé", "사용자에게"},
				`(?:erwähn|nenn|schreib|zeig|liste)\pL*\s+(?:\S+\s+){0,4}?in\s+(?:der|dem|deiner?|deinem)\s+(?:antwort|zusammenfassung|bericht|protokoll)\s+nicht|\bno\s+(?:lo\s+|la\s+|los\s+|las\s+)?(?:mencion|inclu|muestr)\pL*\s+(?:\S+\s+){0,4}?en\s+(?:la\s+respuesta|el\s+resumen)|\bne\s+(?:le\s+|la\s+|les\s+)?(?:mentionn|inclu|montr)\pL*\s+pas\s+(?:\S+\s+){0,4}?dans\s+(?:la\s+réponse|le\s+résumé)|사용자에게[^\s.]{0,4}\s*(?:\S+\s+){0,3}?(?:알리지|말하지|보여주지|알려주지)`),
			{near: []string{"rückfrag", "bestätigung", "nachfrage", "sicherheitsprüfung", "confirmaci", "aprobación", "permisos", "confirmação", "les confirmations", "la confirmation", "conferma", "подтвержден", "разрешени", "проверк", "确认", "审批", "沙箱", "权限检查", "安全检查", "承認", "확인"},
				re: expr(`(?i)` + `(?:schalt|deaktivier|umgeh|überspring|unterdrück)\pL*\s+(?:\S+\s+){0,4}?(?:rückfrag|bestätigung|nachfrag|sicherheitsprüfung)\pL*|(?:desactiv|omit|salt|evit|desativ|pul)\pL*\s+(?:\S+\s+){0,3}?(?:confirmaci|aprobaci|permisos|confirmaç)\pL*|(?:désactiv|contourn|ignor)\pL*\s+(?:\S+\s+){0,3}?confirmations?|(?:disattiv|salt)\pL*\s+(?:\S+\s+){0,3}?conferm\pL*|(?:отключ|пропуст|пропуск|обойд|обход)\pL*\s+(?:\S+\s+){0,3}?(?:подтвержд|разрешен|проверк)\pL*|(?:关闭|禁用|绕过)[^\s。，]{0,8}?(?:确认|审批|权限检查|安全检查|沙箱)|(?:确认|承認)[^\s。]{0,6}?(?:無効に|スキップして)|확인[^\s.]{0,4}\s*(?:\S+\s+){0,2}?(?:끄|건너뛰)`),
				in: spoken, severity: diag.Warning, confidence: 0.7, judge: judgeForeignConsent},
			{near: []string{"führe", "ausführ", "starte", "ejecut", "exécut", "execut", "esegui", "запусти", "выполни", "执行", "运行", "実行", "실행"},
				re: expr(`(?i)\b(?:führ|starte)\pL*|ausführ\pL*|\bejec[uú]t\pL*|\bexécut\pL*|\bexecut(?:e|a|ar|ez|á-lo|e-o)\b|\besegui\pL*|(?:запусти|выполни)\pL*|执行|运行|実行|실행`),
				in: spoken, severity: diag.Warning, confidence: 0.6, judge: judgeForeignRun},
			{near: []string{".aws/cred", "id_rsa", "id_ed25519", "~/.ssh", ".env", ".netrc", ".npmrc", "memory.md", "soul.md"},
				re: expr(`(?i)[\w~./]*(?:\.aws/credentials|id_rsa|id_ed25519|~/\.ssh\S*|\.env\b|\.netrc|\.npmrc|MEMORY\.md|SOUL\.md)`),
				in: spoken, severity: diag.Warning, confidence: 0.7, judge: judgeForeignFile},
			{near: []string{"passwört", "passwort", "zugangsdaten", "anmeldedaten", "mots de passe", "mot de passe", "identifiants", "fichier .env", "contraseña", "credenciales", "claves", "senhas", "credenciais", "chaves", "парол", "ключи", "токен", "секрет", "密码", "密钥", "凭证", "令牌", "私钥", "环境变量", "パスワード", "認証情報", "トークン", "秘密鍵"},
				re: expr(`(?i)passw(?:ö|o)rt\pL*|zugangsdaten|anmeldedaten|mots? de passe|identifiants|fichier \.env|contraseñas?|credencia(?:le|i)s|claves|senhas|chaves|парол\pL*|ключ\pL*|токен\pL*|секрет\pL*|密码|密钥|凭证|令牌|私钥|环境变量|パスワード|認証情報|トークン|秘密鍵`),
				in: spoken, severity: diag.Warning, confidence: 0.7, judge: judgeForeignSend},
		}}
}

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

// judgeForeignSend wants a word for sending and an address in the same sentence.
func judgeForeignSend(d *document, m *match) bool {
	text := d.sentence(m.start)
	return foreignSend.MatchString(text) && anAddress.MatchString(text) && !containsAny(text, "header", "Header", "Authorization", "Bearer", "OAuth", "登录", "注册", "获取", "申请") && soften(d, m)
}

// judgeForeignRun wants an order to fetch and an address in the same sentence, or the
// one before.
func judgeForeignRun(d *document, m *match) bool {
	s := d.sentenceSpan(m.start)
	text := d.text[max(0, s.start-before/2):s.end]
	return foreignFetch.MatchString(text) && anAddress.MatchString(text) &&
		(fetchedProgram.MatchString(text) || itself.MatchString(d.text[m.start:min(len(d.text), m.end+24)])) && soften(d, m)
}

var (
	// fetchedProgram matches an address of something that can be run.
	fetchedProgram = expr(`(?i)https?://\S+\.(?:sh|py|ps1|js|exe|pkg|dmg|zip|msi|bat|command|bin|run|jar|rb|pl)\b`)
	// itself matches an order to run, with a word for what was named before it.
	itself = expr(`(?i)^(?:\pL+\s+(?:es|ihn|sie|dies\pL*|le|la|les|lo|las|los|o|a|его|её|ее|их)(?:[\s.,;]|$)|\pL+-(?:le|la|les|lo|o|a)\b|\pL*[uú]t[ae](?:lo|la|los|las)\b|\pL*guil[oaei]\b|(?:执行|运行)(?:它|其|该|此)|(?:それを|これを)?実行)`)
	// refusing matches words that forbid, in the languages of these patterns.
	refusing = expr(`(?i)\bkein\pL*|\bnicht\b|\bnie\b|\bniemals\b|\b(?:no|nunca|não|jamais|mai|non|pas)\b|(?:^|\s)не\s|никогда|不要|请勿|切勿|不得|别|ないで|마세요`)
)

// judgeForeignConsent drops a sentence that wants the question kept.
func judgeForeignConsent(d *document, m *match) bool {
	s := d.sentenceSpan(m.start)
	return !refusing.MatchString(d.text[max(s.start, m.start-24):m.end]) && soften(d, m)
}

// judgeForeignFile wants a foreign word for sending and an address in the same sentence.
func judgeForeignFile(d *document, m *match) bool {
	text := d.sentence(m.start)
	return foreignOnly.MatchString(text) && anAddress.MatchString(text) && soften(d, m)
}
