// Package runs has the commands about what runs by itself: passes and the daemon, workflows
// with their runs and tasks, gaps, maintenance, migration and notices.
//
// Its scripts, of the real program, are also about tools, which are called, tested, written
// by a drafter, and put into quarantine when they fail. Package clitest says what they run in.
package runs
