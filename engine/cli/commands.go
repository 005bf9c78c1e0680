package cli

import "github.com/spf13/cobra"

// commands lists every command under the heading that the help text shows.
func commands(c *console) []group {
	return []group{
		{"begin", "To begin with:", []*cobra.Command{newInit(c), newNew(c), newClone(c), newDemo(c), newDoctor(c)}},
		{"life", "The life of a proposal:", []*cobra.Command{
			newPropose(c), newUpdate(c), newFill(c), newRebase(c), newComment(c), newWithdraw(c), newReopen(c), newUndo(c), newAdopt(c),
			newStatus(c), newShow(c), newWhy(c), newReview(c), newMerge(c), newDiff(c), newPush(c), newPull(c),
		}},
		{"judge", "Judging content:", []*cobra.Command{newCheck(c), newValidate(c), newTest(c), newPolicy(c), newScan(c), newReport(c)}},
		{"force", "What is in force, and why:", []*cobra.Command{
			newList(c), newFind(c), newInspect(c), newCat(c), newRunTool(c), newStop(c), newHealth(c), newLog(c), newAudit(c), newSoul(c),
		}},
		{"others", "Bringing skills in and handing them out:", []*cobra.Command{newImport(c), newExport(c)}},
		{"engine", "What runs by itself:", []*cobra.Command{newReconcile(c), newServe(c), newGap(c), newRuns(c), newRun(c), newTask(c), newGC(c), newMaintenance(c), newMigrate(c), newNotify(c)}},
		{"you", "You and your tools:", []*cobra.Command{newWhoami(c), newKeys(c), newRoles(c), newSchema(c), newVersion(c)}},
	}
}
