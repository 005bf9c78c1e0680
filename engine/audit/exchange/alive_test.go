package exchange

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := 0
		end := alive(func(string, ...any) { said++ }, "fetching")
		time.Sleep(3*alivePeriod + alivePeriod/2)
		end()
		if said != 3 {
			t.Errorf("it said %d times in 3.5 periods that it goes on", said)
		}
		time.Sleep(3 * alivePeriod)
		if said != 3 {
			t.Error("it went on after its end")
		}
		alive(nil, "fetching")()
	})
}
