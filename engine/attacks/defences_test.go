package attacks_test

import "maps"

// defences lists the defences that the source marks, each with an attack that succeeds without it.
func defences() map[string]defence {
	out := map[string]defence{}
	for _, part := range []map[string]defence{
		reviewDefences(), historyDefences(), contentDefences(), yamlDefences(), programDefences(), accountDefences(), buttonDefences(), testDefences(), healthDefences(),
		configurationDefences(), phraseDefences(), objectDefences(), voidedDefences(), regionDefences(), dateDefences(), pullDefences(), newcomerDefences(), lineDefences(), budgetDefences(),
		keyDefences(), stopDefences(), signedDefences(), isolationDefences(), tokenDefences(), unattendedDefences(), reanchorDefences(), memoryDefences(), costDefences(), againDefences(), bypassedDefences(), claimedDefences(), runDefences(),
		scheduleDefences(), schemaDefences(), undoneDefences(), checkDefences(), checkRunDefences(), approvalDefences(), graphDefences(), exportDefences(), falseRecordDefences(), boundDefences(), cloneDefences(), growthDefences(), versionDefences(), deepJunkDefences(), unlistedDefences(), fullDefences(), scriptFileDefences(), asAnotherDefences(), unacceptedDefences(), criticDefences(), upstreamDefences(), expiryDefences(), erasedDefences(), lateDefences(), headDefences(), prefixDefences(), tagDefences(), ownIDDefences(), scheduledRunDefences(), manyNameDefences(), serverDefences(), listingDefences(), rowDefences(), deltaDefences(), detourDefences(), vainDefences(), batchDefences(), doublingDefences(), kindDefences(), holdingDefences(), untriedDefences(), spokenDefences(), wideDefences(), variantDefences(),
	} {
		maps.Copy(out, part)
	}
	return out
}

func reviewDefences() map[string]defence {
	const change, self, replay, roles = "TestAttackChangeAfterApproval/", "TestAttackSelfApproval/", "TestAttackReplayedReview/", "TestAttackChangedRoles/"
	return map[string]defence{
		"review-bound-to-content": {attack: change + "update by the engine"},
		"approval-of-the-whole-change": {
			attack: change + "half of it",
		},
		"review-valid":               {attack: replay + "in another workspace"},
		"review-names-workspace":     {attack: replay + "in another workspace"},
		"review-names-proposal":      {attack: replay + "on another proposal of the same content"},
		"review-not-ahead":           {attack: replay + "dated ahead"},
		"approval-expires":           {attack: replay + "after it expired"},
		"signature-checked":          {attack: replay + "of another decision"},
		"adopted-work-has-authors":   {attack: self + "adopted from main"},
		"proposer-excluded":          {attack: self + "own account", with: []string{"author-excluded", "pusher-excluded"}},
		"author-excluded":            {attack: self + "a commit under a second address"},
		"committer-excluded":         {attack: self + "a commit in the agent's name"},
		"pusher-excluded":            {attack: self + "a push by key"},
		"pushers-of-the-inbox-count": {attack: self + "a branch of the inbox on a service"},
		"taking-part-is-proven":      {attack: self + "a forged author lowers no number"},
		"unknown-pusher-needs-humans": {
			attack: self + "a push that nobody saw",
		},
		"unrecorded-head-has-unknown-pusher": {attack: self + "a push that the journal leaves out"},
		"reviewer-holds-role":                {attack: roles + "a role taken away"},
		"reviewer-not-expired":               {attack: roles + "an expired entry"},
		"policies-from-base": {
			attack:  "TestAttackOwnRules/a human of its own",
			instead: "if own, found := s.PoliciesAt(view.Snapshot); !found.HasErrors() { s.Policies = own }",
		},
		"rules-are-critical":         {attack: "TestAttackTogether/a policy labelled as a skill", with: []string{"derived-kinds-raise"}},
		"unknown-path-is-critical":   {attack: "TestAttackTogether/a path that nobody knows"},
		"untested-code-needs-human":  {attack: "TestAttackTogether/code that declares itself low"},
		"taking-away-is-high":        {attack: "TestAttackReviveOrDelete/retiring by its record", with: []string{"derived-kinds-raise"}},
		"derived-kinds-raise":        {attack: "TestAttackReviveOrDelete/retiring by its record", with: []string{"taking-away-is-high"}},
		"bringing-back-is-medium":    {attack: "TestAttackReviveOrDelete/undoing what closed a hole"},
		"opinions-are-high":          {attack: "TestAttackSecondOpinion/a lead's approval of what somebody objects to", with: []string{"opinions-raise"}},
		"opinions-raise":             {attack: "TestAttackSecondOpinion/a lead's approval of what somebody objects to", with: []string{"opinions-are-high"}},
		"unknown-origins-are-strict": {attack: "TestAttackWashedOrigin/by inbox"},
		"objections-count":           {attack: "TestAttackReviveOrDelete/merging what was rejected"},
	}
}

func historyDefences() map[string]defence {
	const rollback, hidden, moves = "TestAttackRollback/", "TestAttackHiddenInMerge/", "TestAttackMainMoves/"
	judged := []string{"merges-judged-again", "merge-brings-what-was-proposed", "only-computed-trees", "attested-parents", "attested-tree", "attested-base"}
	return map[string]defence{
		"merges-judged":                  {attack: "TestAttackReviveOrDelete/deleting on main"},
		"attested-parents":               {attack: hidden + "three parents"},
		"attested-tree":                  {attack: hidden + "a merge that brings more", with: judged},
		"attested-base":                  {attack: moves + "an old judgement on a new main", with: judged},
		"only-computed-trees":            {attack: hidden + "a merge that brings more"},
		"merge-brings-what-was-proposed": {attack: hidden + "carried by an approved proposal", with: []string{"files-are-listed"}},
		"merges-judged-again":            {attack: hidden + "a merge that nobody approved"},
		"rollback-noticed":               {attack: rollback + "an older main"},
		"genesis-remembered":             {attack: rollback + "another genesis"},
		"merge-of-judged-head":           {attack: moves + "the head moves between judgement and merge"},
		"merge-upon-judged-advice":       {attack: "TestAttackSecondOpinion/between judgement and merge"},
		"merge-upon-judged-reviews":      {attack: moves + "revoke between judgement and merge"},
		"merge-upon-judged-main":         {attack: moves + "between judgement and merge", with: []string{"refs-compare-and-swap"}},
		"refs-compare-and-swap":          {attack: moves + "between judgement and merge", with: []string{"merge-upon-judged-main"}},
		"conflicts-block":                {attack: "TestAttackTogether/both edit one file"},
	}
}

func contentDefences() map[string]defence {
	const rules, together, paths, sizes, forged = "TestAttackOwnRules/", "TestAttackTogether/", "TestAttackNames/", "TestAttackSizes/", "TestAttackForgedReport/"
	const md, suites, rollback = "TestAttackMarkdown/", "TestAttackSuites/", "TestAttackRollback/"
	listed := []string{"files-are-listed"}
	return map[string]defence{
		"validation-blocks":                  {attack: rollback + "bringing an earlier text back unsaid"},
		"scan-must-run":                      {attack: paths + "a device that everybody signs for", with: []string{"validation-blocks"}},
		"files-are-listed":                   {attack: rules + ".ci/run"},
		"records-stay":                       {attack: together + "a proposal that hides another's record"},
		"rejected-content-asks-for-more":     {attack: "TestAttackRejected/under another name and goal"},
		"what-is-prohibited-is-not-stored":   {attack: "TestAttackProhibited/as a proposal"},
		"rejections-outlive-their-proposals": {attack: "TestAttackRejected/after the rejected one was reopened and withdrawn", with: []string{"rejections-are-derived"}, instead: "if p.State != forge.Closed || p.Why != \"rejected\" { continue }"},
		"requests-outlive-their-proposals":   {attack: "TestAttackRejected/withdrawn after changes were asked for"},
		"objections-outlive-updates":         {attack: "TestAttackRejected/withdrawn after other content was laid over it", with: []string{"rejections-are-derived"}},
		"rejections-are-signed":              {attack: "TestAttackRejected/a rejection made up for an honest proposal"},
		"no-silent-return":                   {attack: rollback + "bringing an earlier text back unsaid"},
		"kinds-are-borne-out":                {attack: rollback + "bringing an earlier text back as the undo of something else"},
		"superseding-is-bounded": {
			attack:  rollback + "a duplicate that supersedes what stays",
			instead: "if a.Record.Supersedes == o.Name { return true }",
		},
		"names-do-not-collide":    {attack: together + "names that one file system folds"},
		"one-name-one-capability": {attack: together + "one name in two groups"},
		"references-exist":        {attack: "TestAttackMainMoves/what it needs is gone"},

		"path-shape":                         {attack: paths + "a device"},
		"governed-folders-have-one-spelling": {attack: paths + "a governed folder in capitals", with: []string{"files-are-listed", "names-do-not-collide"}},
		"a-bad-branch-is-its-own":            {attack: paths + "Git's folder"},
		"only-regular-files":                 {attack: "TestAttackModes/a symbolic link", with: listed},

		"file-size":                {attack: sizes + "a giant file"},
		"file-count":               {attack: sizes + "ten thousand files"},
		"proposal-bytes":           {attack: sizes + "much in many files"},
		"conditions-have-a-budget": {attack: sizes + "conditions that are slow together"},
		"sizes-and-names-first":    {attack: sizes + "one giant line, pushed"},
		"comparing-is-bounded":     {attack: sizes + "the same on main", with: []string{"differences-are-measured"}},
		"a-vast-commit-is-blocked": {attack: sizes + "the same on main"},

		"report-digest-recomputed":   {attack: forged + "bytes of another digest"},
		"attested-proposal":          {attack: forged + "another's attestation", with: []string{"proposals-merge-once"}},
		"merges-are-dated":           {attack: forged + "dated back", with: []string{"review-not-ahead"}},
		"other-versions-need-people": {attack: forged + "a report of another version by one who approves"},
		"the-recomputed-scan-counts": {
			attack:  forged + "a report of another version about what needs two people",
			instead: "f.Scan, f.Validation.Errors, f.Validation.Warnings, f.Findings = then.Scan, 0, 0, nil; return",
		},

		"protected-section-is-critical":   {attack: md + "a changed byte", with: []string{"identity-phrases-are-critical"}},
		"protected-sections-are-compared": {attack: md + "a changed byte"},
		"imitations-are-found":            {attack: md + "a heading that is emphasised text"},
		"links-of-protected-sections":     {attack: md + "where a link leads"},

		"suites-only-grow":       {attack: suites + "a changed expectation"},
		"cases-expect-something": {attack: suites + "a case that expects nothing"},
		"cases-can-fail":         {attack: suites + "a case that matches everything"},
	}
}

func yamlDefences() map[string]defence {
	const yaml = "TestAttackYAML/"
	return map[string]defence{
		"yaml-tag":                {attack: yaml + "a tag of a language"},
		"yaml-values":             {attack: yaml + "a hundred thousand values", with: []string{"yaml-entries"}},
		"yaml-value-size":         {attack: yaml + "one huge value"},
		"yaml-depth":              {attack: yaml + "nested deeply"},
		"yaml-merge-key":          {attack: yaml + "a merge key"},
		"yaml-duplicate":          {attack: yaml + "a key twice"},
		"yaml-alias":              {attack: yaml + "aliases that multiply"},
		"yaml-encoding":           {attack: yaml + "a byte order mark"},
		"one-meaning-for-scalars": {attack: yaml + "a number in base 60"},
	}
}

func programDefences() map[string]defence {
	const worktree, refs, texts, record, flood, forged = "TestAttackWorktree/", "TestAttackRefs/", "TestAttackInjection/", "TestAttackAudit/", "TestAttackFlood/", "TestAttackForgedOpenings/"
	return map[string]defence{
		"objects-are-what-they-are-named": {attack: worktree + "an object that is not what it is named after"},

		"tasks-are-for-roles":          {attack: "TestAttackTasks/in a role of others"},
		"testers-are-not-builders":     {attack: "TestAttackSelfTested/by the builder"},
		"tests-are-run-not-claimed":    {attack: "TestAttackSelfTested/with a claim that it compiles"},
		"a-case-covers-one-point":      {attack: "TestAttackSelfTested/with one case for all points"},
		"builders-cases-cover-nothing": {attack: "TestAttackSelfTested/with the cases of the builder"},
		"tasks-name-their-files":       {attack: "TestAttackTasks/files that nobody asked for"},

		"refused-files-are-not-a-result": {attack: "TestAttackRefusedFiles"},

		"a-branch-of-its-own": {attack: refs + "a journal that claims main as its branch"},
		"titles-are-one-line": {attack: texts + "trailers in a goal", with: []string{"goals-are-one-line", "goals-are-printable"}},
		"goals-are-one-line":  {attack: texts + "trailers in a goal", with: []string{"titles-are-one-line", "goals-are-printable"}},
		"goals-are-printable": {attack: texts + "trailers in a goal", with: []string{"titles-are-one-line", "goals-are-one-line"}},
		"reports-show-text":   {attack: texts + "a file name in a report", with: []string{"paths-are-shown"}},
		"paths-are-shown":     {attack: texts + "a file name in a report", with: []string{"reports-show-text"}},
		"commands-show-text":  {attack: texts + "a remark, a reason and a name in a journal"},

		"audit-genesis":     {attack: record + "another's first commit"},
		"audit-merges":      {attack: record + "a merge that nobody allowed", with: []string{"audit-memory"}},
		"audit-journals":    {attack: record + "a journal without its beginning"},
		"audit-reviews":     {attack: record + "a signature that was altered"},
		"audit-refs":        {attack: "TestAttackRollback/a journal cut short", with: []string{"audit-merges", "audit-memory"}},
		"audit-memory":      {attack: record + "a merge that nobody allowed", with: []string{"audit-merges"}},
		"audit-checkpoints": {attack: record + "an objection taken out", with: []string{"audit-witnesses"}},
		"audit-witnesses":   {attack: record + "an objection taken out", with: []string{"audit-checkpoints"}},

		"open-proposals-are-limited":         {attack: flood + "one more"},
		"the-gate-counts-open-proposals":     {attack: flood + "one more by a journal of its own"},
		"forged-journals-hold-nothing-up":    {attack: flood + "journals in another's name"},
		"proven-proposals-are-counted-apart": {attack: forged + "journals in the name of an agent without a key"},
		"unproven-proposals-come-last":       {attack: forged + "more by journals of its own, opened first"},
		"claims-are-counted-among-all":       {attack: forged + "a flood of branches in the inbox", instead: "r.Claimed = false"},
		"forged-runs-hold-nothing-up":        {attack: forged + "runs in the name of an agent without a key", instead: "own = true"},
		"claimed-people-need-a-human":        {attack: flood + "one more in the name of a person"},
		"claimed-people-are-counted": {
			attack:  flood + "one more in the name of a person",
			instead: "if claimed.Kind == policy.KindHuman { return 0, nil }",
		},
	}
}
