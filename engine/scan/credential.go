package scan

// keyFiles matches files that hold somebody's keys: SSH, cloud, registries,
// browsers, wallets, keychains, agents' own credentials.
const keyFiles = `(?:(?:~|\$HOME|\$\{HOME\}|/root|/home/[\w.$-]+|/Users/[\w.$-]+|%USERPROFILE%|expanduser\(["']~|homedir\(\)[^\n]{0,12}|Path\.home\(\)[^\n]{0,12})?[/"'\s]{0,4}` +
	`(?:\.ssh/(?:id_\w+|\*|identity)|\.ssh["'/]?\s*[,)/]\s*["']?id_\w+|\.aws/credentials|\.aws["']?\s*[,/]\s*["']?credentials|\.config/gcloud/\w+|\.azure/(?:accessTokens|msal)\S*|\.kube/config|\.docker/config\.json|\.npmrc|\.pypirc|\.netrc|\.git-credentials|\.gradle/gradle\.properties|\.m2/settings\.xml|\.Renviron|\.gnupg/\S+|\.config/gh/hosts\.yml|\.claude/\.credentials\.json|\.codex/auth\.json|\.openclaw/(?:credentials|openclaw\.json)|\.clawdbot/\.env|wallet\.dat|\.electrum/\S+|\.ethereum/keystore|\.config/solana/id\.json|Login Data|Cookies\.binarycookies|logins\.json|key4\.db|Local State|/etc/shadow|login\.keychain\S*))`
