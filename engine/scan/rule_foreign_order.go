package scan

import (
	"github.com/assent-dev/assent/engine/diag"
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
			override([]string{"usuario", "usuário", "utilizador"}, `(?:(?:no|não|nunca)\s+(?:\pL{1,3}\s+)?(?:dig|inform|mencion|muestr|mostr|avis|revel|cont|fale)\pL*|ocult\pL*|escond\pL*)\s+(?:\S+\s+){0,4}?(?:usuario|usuário|utilizador)`),
			override([]string{"пользовател"}, `не\s+(?:говори|сообщай|рассказывай|показывай|упоминай|уведомляй|информируй)\pL*\s+(?:\S+\s+){0,4}?пользовател|(?:скрой|скрывай|скрыть|утаи)\pL*\s+(?:\S+\s+){0,4}?пользовател`),
			override([]string{"用户", "使用者", "ユーザー", "利用者"}, `(?:不要|别|勿|不得|不能)(?:告诉|告知|通知|让|向|提醒|透露)[^\s。]{0,6}?(?:用户|使用者)|(?:对|向)用户(?:隐瞒|保密)|(?:ユーザー|利用者)[^\s。]{0,12}?(?:言わない|伝えない|知らせない|教えない|見せない|秘密に|隠し|隠す|内緒)`),
			{near: []string{"passwört", "passwort", "zugangsdaten", "anmeldedaten", "mots de passe", "mot de passe", "identifiants", "fichier .env", "contraseña", "credenciales", "claves", "senhas", "credenciais", "chaves", "парол", "ключи", "токен", "секрет", "密码", "密钥", "凭证", "令牌", "私钥", "环境变量", "パスワード", "認証情報", "トークン", "秘密鍵"},
				re: expr(`(?i)passw(?:ö|o)rt\pL*|zugangsdaten|anmeldedaten|mots? de passe|identifiants|fichier \.env|contraseñas?|credencia(?:le|i)s|claves|senhas|chaves|парол\pL*|ключ\pL*|токен\pL*|секрет\pL*|密码|密钥|凭证|令牌|私钥|环境变量|パスワード|認証情報|トークン|秘密鍵`),
				in: spoken, severity: diag.Warning, confidence: 0.7, judge: judgeForeignSend},
		}}
}

var (
	// foreignSend matches words for sending.
	foreignSend = expr(`(?i)\b(?:send|schick|lade|übermittl|übertrag|post|envo|transme|télévers|publi|env[iíi]|mand|sub[ae]|transmit)\pL*|(?:отправ|перешл|загруз|передай|пошли|выгруз)\pL*|发送|上传|传送|发给|泄露|提交到|送信|送っ|送り|アップロード|転送`)
	// anAddress matches where something may be sent.
	anAddress = expr(`(?i)(?:https?|wss?)://|[\w.+-]+@[\w-]+\.[a-z]{2,}`)
)

// judgeForeignSend wants a word for sending and an address in the same sentence.
func judgeForeignSend(d *document, m *match) bool {
	text := d.sentence(m.start)
	return foreignSend.MatchString(text) && anAddress.MatchString(text) && !containsAny(text, "header", "Header", "Authorization", "Bearer", "OAuth", "登录", "注册", "获取", "申请") && soften(d, m)
}
