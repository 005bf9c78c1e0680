package workspace

import (
	"errors"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Schedule checks a cron expression with five fields. A time zone may precede them. Whether the zone
// exists depends on the machine, and a report must not, so it is looked up only when the workflow
// runs. The library panics if nothing follows the zone.
func Schedule(expression string) error {
	//defence:schedules-are-read-alike
	if strings.Contains(expression, "=") {
		zone, fields, _ := strings.Cut(expression, " ")
		named := strings.HasPrefix(zone, "TZ=") || strings.HasPrefix(zone, "CRON_TZ=")
		if expression = strings.TrimSpace(fields); !named || strings.Contains(expression, "=") {
			return errors.New("a field must not contain '='")
		}
	}
	fires, err := cron.ParseStandard(expression)
	if err == nil && fires.Next(time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() { // it looks five years ahead
		err = errors.New("there is no such day")
	}
	return err
}
