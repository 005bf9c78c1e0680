package policy

func judgeValidation(c inquiry) Verdict {
	v := c.f.Validation
	switch {
	case !v.Ran || v.Digest == "":
		return undecided([]string{OnReport}, "there is no validation report on this merge result")
	case v.Errors > 0 && c.f.Earlier != nil:
		return allowed("%s found no error; today's rules find %s, for which people stand: see approvals", c.f.Earlier.By, counted(v.Errors, "error"))
	//defence:validation-blocks
	case v.Errors > 0:
		return refused([]string{OnPush}, "validation found %s", counted(v.Errors, "error"))
	case v.Errors < 0 || v.Warnings < 0:
		return undecided([]string{OnReport}, "the validation report makes no sense")
	default:
		return allowed("validation found no error")
	}
}

func judgeScan(c inquiry) Verdict {
	s := c.f.Scan
	switch {
	case c.f.Earlier != nil && (!s.Ran || s.Errors > 0):
		return allowed("%s blocked nothing; today's scanner would, for which people stand: see approvals", c.f.Earlier.By)
	//defence:scan-must-run
	case !s.Ran:
		return unscanned(c.f.Validation)
	case s.Errors > 0:
		return refused([]string{OnPush, OnPolicy}, "the scanner blocks it: %s", counted(s.Errors, "finding"))
	case s.Errors < 0 || s.Warnings < 0:
		return undecided([]string{OnReport}, "the scan makes no sense")
	default:
		return allowed("the scanner blocks nothing")
	}
}

// unscanned is the answer where the scanner did not run.
func unscanned(v Validation) Verdict {
	if v.Ran && v.Errors > 0 {
		return undecided([]string{OnPush}, "the scanner has not looked at it: validation stopped before, at sizes or names")
	}
	return undecided([]string{OnReport}, "the scanner has not looked at this merge result")
}
