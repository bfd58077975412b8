package delivery_test

import (
	"errors"
	"io"
	"sync"
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

// paced is a client whose system takes the first bytes at once. The client then takes one piece in each pause.
type paced struct {
	quick int
	pause time.Duration
	cut   chan struct{}
	sizes []int // the sizes of the writes
}

func (p *paced) Write(b []byte) (int, error) {
	p.sizes = append(p.sizes, len(b))
	slow := max(0, len(b)-p.quick)
	p.quick -= len(b) - slow
	select {
	case <-time.After(time.Duration(slow/delivery.PieceSize) * p.pause):
		return len(b), nil
	case <-p.cut:
		return 0, errors.New("cut")
	}
}

// A quick client gets larger pieces. A client that reads slowly after that has longer for a larger piece, and one that
// reads nothing loses the rest.
func TestFastClientGetsLargerPieces(t *testing.T) {
	const piece = delivery.PieceSize
	for name, c := range map[string]struct {
		client   paced
		sizes    []int
		min, max time.Duration
	}{
		"quick": {paced{quick: 99 * piece}, []int{piece, 4 * piece, 4 * piece, piece}, 0, 0},
		"slow": {paced{pause: 9 * time.Second}, []int{piece, piece, piece, piece, piece, piece, piece, piece},
			time.Minute, 80 * time.Second},
		"quick, then slow": {paced{quick: piece, pause: 9 * time.Second},
			[]int{piece, 4 * piece, piece, piece, piece, piece}, time.Minute, 80 * time.Second},
		"quick, then stuck": {paced{quick: piece, pause: time.Hour}, []int{piece, 4 * piece}, 40 * time.Second,
			50 * time.Second},
		"stuck": {paced{pause: time.Hour}, []int{piece}, 10 * time.Second, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.client.cut = make(chan struct{})
				var held delivery.Held
				expired := errors.New("expired")
				holding := held.Hold(delivery.Bytes{Expired: func() error { return expired },
					Cut: sync.OnceFunc(func() { close(c.client.cut) })}, 1<<20)
				defer holding.Release()
				began := time.Now()
				_, err := holding.Writer(&c.client).Write(make([]byte, 10*piece))
				assert.Equal(t, c.max > 0, err != nil, "%v", err)
				assert.Equal(t, c.sizes, c.client.sizes)
				assert.GreaterOrEqual(t, time.Since(began), c.min)
				assert.LessOrEqual(t, time.Since(began), c.max)
			})
		})
	}
}

// taking is a writer that takes some bytes of each write, and reports no error.
type taking int

func (n taking) Write(b []byte) (int, error) { return min(int(n), len(b)), nil }

// A host's writer that takes less than it gets ends the answer.
func TestShortWriteEndsTheAnswer(t *testing.T) {
	for _, takes := range []taking{0, 100} {
		var held delivery.Held
		holding := held.Hold(delivery.Bytes{Expired: func() error { return nil }}, 1<<20)
		n, err := holding.Writer(takes).Write(make([]byte, 1000))
		assert.ErrorIs(t, err, io.ErrShortWrite)
		assert.Equal(t, int(takes), n)
		holding.Release()
	}
}
