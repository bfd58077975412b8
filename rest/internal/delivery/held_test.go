package delivery_test

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/internal/delivery"
)

// An answer breaks off if its client takes nothing while nothing else holds its bytes.
func TestAStuckClientLosesWhatItAloneHolds(t *testing.T) {
	for name, c := range map[string]struct {
		expired error
		want    bool
	}{
		"history holds the bytes":   {nil, false},
		"the answer alone holds it": {errors.New("expired"), true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var held delivery.Held
				cut, looks := false, make(chan struct{})
				expired := func() error { looks <- struct{}{}; return c.expired }
				holding := held.Hold(delivery.Bytes{Expired: expired, Cut: func() { cut = true }}, 1<<20)
				holding.Begin()
				for range 6 {
					<-looks
				}
				synctest.Wait()
				assert.Equal(t, c.want, cut)
				assert.ErrorIs(t, holding.Ended(), c.expired)
				holding.Release()
				assert.Nil(t, held.Now)
			})
		})
	}
}

// A client that takes a piece now and then is only slow. The larger the answer, the more time it has.
func TestASlowClientHasTimeForEachMegabyte(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lasts := func(size int) time.Duration {
			var held delivery.Held
			expired := errors.New("expired")
			holding := held.Hold(delivery.Bytes{Expired: func() error { return expired }, Cut: func() {}}, size)
			defer holding.Release()
			begun := time.Now()
			second := time.NewTicker(time.Second)
			defer second.Stop()
			for out := holding.Writer(io.Discard); ; <-second.C {
				if _, err := out.Write([]byte("piece")); err != nil {
					assert.ErrorIs(t, err, expired)
					return time.Since(begun)
				}
			}
		}
		small := lasts(1 << 20)
		assert.InDelta(t, time.Minute, small, float64(20*time.Second))
		assert.Greater(t, lasts(100<<20), small+time.Minute)
	})
}
