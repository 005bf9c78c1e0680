// Package judging has the commands that judge content: check, validate, test, policy, scan
// and report.
package judging
