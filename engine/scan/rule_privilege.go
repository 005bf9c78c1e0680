package scan

import "github.com/assent-dev/assent/engine/base/diag"

// privilegeRule: the code takes lasting power over the machine.
func privilegeRule() rule {
	return rule{RuleInfo: RuleInfo{"privilege", Code, diag.Error, "the code takes lasting power over the machine",
		"Set-uid programs, open permissions and password-free sudo stay when the task is over.",
		"Do without, or let the owner do it by hand once."},
		patterns: []pattern{{
			near: []string{"sudoers", "nopasswd", "chmod 4755", "chmod u+s", "chmod +s", "chmod 6755", "setcap"},
			re:   expr(`(?i)NOPASSWD\s*:\s*ALL[^\n]*(?:>>?|\btee\b)[^\n]*sudoers|\bchmod\s+(?:u?\+s|[46]755)\s+["']?(?:/bin/|/usr/bin/|/tmp/|/var/tmp/|/dev/shm/)\S*(?:sh|python\d?|find|perl|\.\w+)\b|\bsetcap\s+cap_set[ug]id\S*\s`),
			in:   shellLike | python | script, severity: diag.Error, confidence: 0.85, judge: judgeWipe,
		}, {
			near: []string{"--privileged", "docker.sock", "-v /:/", "--pid=host", "--pid host", "--cap-add", "nsenter", "hostpid", "type=bind,source=/,"},
			re:   expr(`(?i)\b(?:docker|podman)\s+(?:container\s+)?run\s[^\n]*(?:--privileged|-v\s*/:/|--pid[= ]host|--cap-add[= ](?:ALL|SYS_ADMIN|SYS_PTRACE)|source=/,)[^\n]*|\bnsenter\s[^\n]*(?:-t\s*1|--target[= ]1)\b|\bkubectl\s+run\s[^\n]*hostPID["']?\s*:\s*true[^\n]*`),
			in:   shell | data | python | script | plain, severity: diag.Warning, confidence: 0.6, judge: judgeWipe,
		}, {
			near: []string{"chown"},
			re:   expr(`\bchown\s+(?:-\w+\s+)*root(?::\w*)?\s+["']?/\S*`),
			in:   shellLike | python, severity: diag.Warning, confidence: 0.5, judge: softenDiscussed,
		}, {
			near: []string{"chmod", "nopasswd", "setuid", "setcap"},
			re:   expr(`(?i)\bchmod\s+(?:-R\s+)?(?:[ug]+\+s|[2467][0-7]{3})\s|\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx)\s+/\S*|\bNOPASSWD\s*:\s*ALL|\bos\.set(?:uid|gid)\s*\(\s*0|\bsetcap\s+cap_\w+`),
			in:   shellLike | python, severity: diag.Warning, confidence: 0.6, judge: softenDiscussed,
		}}}
}
