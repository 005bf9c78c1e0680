// Package runs has the commands about automatic work: passes and the daemon, workflows with their
// runs and tasks, gaps, maintenance, migration and notices.
//
// Its scripts run the real program. They also cover tools, which are called, tested, written by a
// drafter, and put into quarantine when they fail. Package clitest sets them up.
package runs
