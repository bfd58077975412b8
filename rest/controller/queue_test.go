package controller_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/controller"
)

// Each case is a story of one queue: operations and their results. Time passes only where the case says so.
func TestQueue(t *testing.T) {
	tests := []struct {
		name, story string
	}{
		{"keys come in the order of addition", "add a, add b, add c, get a, get b, get c, len 0"},
		{"a waiting key is passed once", "add a, add b, add a, len 2, get a, get b, len 0"},
		{"a key that a worker holds is not passed again", "add a, get a, add a, len 0"},
		{"but again after Done", "add a, get a, add a, add a, done a, len 1, get a, done a, len 0"},
		{"after the keys added before it", "add a, get a, add a, add b, done a, get b, get a"},
		{"a key can be added again after Done", "add a, get a, done a, add a, len 1, get a"},
		{"Done without Get has no effect", "done a, len 0, add a, done a, len 1, get a, done a, done a, len 0"},

		{"a delayed key comes when it is due", "after a 10ms, len 0, pass 9ms, len 0, pass 1ms, len 1, get a"},
		{"a delay of zero or less adds the key at once", "after a 0s, len 1, after b -1s, len 2, get a, get b"},
		{"delayed keys come in the order of their due times",
			"after a 30ms, after b 10ms, after c 20ms, after d 10ms, pass 30ms, get b, get d, get c, get a"},
		{"an earlier time wins", "after a 20ms, after a 10ms, pass 10ms, get a, done a, pass 1h, len 0"},
		{"a later time loses", "after a 10ms, after a 20ms, pass 10ms, get a, done a, pass 1h, len 0"},
		{"Add does not cancel a delay", "after a 10ms, add a, get a, done a, len 0, pass 10ms, get a"},
		{"a delay ends while a worker holds the key", "add a, get a, after a 10ms, pass 10ms, len 0, done a, get a"},
		{"a delay ends while the key waits", "add a, after a 10ms, pass 10ms, len 1, get a, done a, len 0"},

		{"each failure doubles the delay", "limited a 5ms, limited a 10ms, limited a 20ms, limited a 40ms, failures a 4"},
		{"the delay is limited", "limited a 5ms, limited a 10ms, limited a 20ms, limited a 40ms, limited a 80ms, limited a 100ms, limited a 100ms, failures a 7"},
		{"each key counts its own failures", "limited a 5ms, limited a 10ms, limited b 5ms, failures b 1"},
		{"Forget resets the failures", "limited a 5ms, limited a 10ms, forget a, failures a 0, limited a 5ms"},
		{"a failed key comes after its delay", "limited a 5ms, len 0, pass 5ms, get a"},

		{"keys that were added behind come after all others", "behind a, behind b, add c, add d, len 4, get c, get d, get a, get b, len 0"},
		{"a key moves forward if it is added in another way", "behind a, behind b, add b, len 2, get b, get a, len 0"},
		{"and not backward", "add a, add b, behind a, len 2, get a, get b, len 0"},
		{"a key that moved can be added behind again", "behind a, add a, get a, done a, behind a, behind b, len 2, get a, get b, len 0"},
		{"a held key is passed again behind others", "add a, get a, behind a, add b, done a, get b, get a"},
		{"a held key that was added in both ways", "add a, get a, behind a, add a, add b, done a, get b, get a, done a, len 0"},
		{"nine keys may pass one behind them",
			"behind z, add a, add b, add c, add d, add e, add f, add g, add h, add i, add j, get a, get b, get c, get d, get e, get f, get g, get h, get i, get z, get j"},
		{"a delayed key goes behind others", "behindafter a 10ms, pass 10ms, add b, len 2, get b, get a"},
		{"a delayed key goes behind only if every call wants it", "behindafter a 10ms, after a 20ms, add c, pass 10ms, add b, get c, get a, get b, pass 1h, len 0"},
		{"a delay of zero behind others", "behindafter a 0s, add b, get b, get a"},

		{"after ShutDown nothing is added", "down, add a, behind a, after b 1ms, limited c 5ms, pass 1h, len 0, end"},
		{"after ShutDown the ready keys are passed", "add a, add b, down, get a, get b, end"},
		{"ShutDown drops delayed keys", "after a 10ms, down, pass 1h, len 0, end"},
		{"a key added before ShutDown while held is passed", "add a, get a, add a, down, end, done a, get a, end"},
		{"ShutDown twice", "down, down, end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := controller.NewQueue[string](controller.QueueOptions{MaxDelay: 100 * time.Millisecond})
				for step := range strings.SplitSeq(tt.story, ", ") {
					tell(t, q, step)
				}
				q.ShutDown()
			})
		})
	}
}

func tell(t *testing.T, q *controller.Queue[string], step string) {
	words := append(strings.Fields(step), "", "")
	key := words[1]
	switch words[0] {
	case "add":
		q.Add(key)
	case "behind":
		q.AddBehind(key)
	case "behindafter":
		q.AddBehindAfter(key, duration(t, words[2]))
	case "after":
		q.AddAfter(key, duration(t, words[2]))
	case "limited":
		require.Equal(t, duration(t, words[2]), q.AddRateLimited(key), step)
	case "forget":
		q.Forget(key)
	case "failures":
		require.Equal(t, words[2], fmt.Sprint(q.Failures(key)), step)
	case "get":
		require.Positive(t, q.Len(), "%s: Get would wait", step)
		got, err := q.Get(t.Context())
		require.NoError(t, err, step)
		require.Equal(t, key, got, step)
	case "done":
		q.Done(key)
	case "len":
		require.Equal(t, key, fmt.Sprint(q.Len()), step)
	case "pass":
		pass(duration(t, key))
	case "down":
		q.ShutDown()
	case "end":
		_, err := q.Get(t.Context())
		require.ErrorIs(t, err, controller.ErrShutDown, step)
	default:
		require.FailNow(t, "unknown step", step)
	}
}

func duration(t *testing.T, text string) time.Duration {
	d, err := time.ParseDuration(text)
	require.NoError(t, err)
	return d
}

func TestQueueDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := controller.NewQueue[int](controller.QueueOptions{})
		defer q.ShutDown()
		assert.Equal(t, 5*time.Millisecond, q.AddRateLimited(1))
		var last time.Duration
		for range 1000 {
			last = q.AddRateLimited(1)
		}
		assert.Equal(t, 5*time.Minute, last, "the delay does not exceed the limit after any number of failures")

		wide := controller.NewQueue[int](controller.QueueOptions{BaseDelay: time.Hour, MaxDelay: time.Minute})
		defer wide.ShutDown()
		assert.Equal(t, time.Minute, wide.AddRateLimited(1), "the limit also applies to the first delay")
	})
}

// The retries of all keys share a rate. After a quiet time, the retries of ten seconds may come at once.
func TestRetriesPerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := controller.NewQueue[int](controller.QueueOptions{RetriesPerSecond: 2})
		defer q.ShutDown()
		pass(time.Hour)
		for key := range 20 {
			assert.Equal(t, 5*time.Millisecond, q.AddRateLimited(key))
		}
		assert.Equal(t, 500*time.Millisecond, q.AddRateLimited(20))
		assert.Equal(t, time.Second, q.AddRateLimited(21))
		pass(time.Second)
		assert.Equal(t, 22, q.Len())
		assert.Equal(t, 500*time.Millisecond, q.AddRateLimited(22))
		for range 10 {
			q.AddRateLimited(0)
		}
		assert.Equal(t, 6*time.Second, q.AddRateLimited(23), "the retries of one key count too")
	})
}

// A key, the end of its context or the end of the queue wakes a waiting worker, and nothing else does.
func TestGetWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := controller.NewQueue[string](controller.QueueOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan string, 4)
		for range 3 {
			go func() {
				key, err := q.Get(ctx)
				got <- fmt.Sprint(key, err)
			}()
		}
		synctest.Wait()
		require.Empty(t, got)

		q.Add("a")
		synctest.Wait()
		require.Len(t, got, 1, "one key, one worker")
		assert.Equal(t, "a<nil>", <-got)

		q.Add("b")
		q.Add("c")
		synctest.Wait()
		require.Len(t, got, 2, "two keys that come at once wake two workers")
		assert.ElementsMatch(t, []string{"b<nil>", "c<nil>"}, []string{<-got, <-got})

		go func() {
			_, err := q.Get(ctx)
			got <- fmt.Sprint(err)
		}()
		synctest.Wait()
		cancel()
		assert.Equal(t, context.Canceled.Error(), <-got)
		q.Add("d")
		_, err := q.Get(ctx)
		require.ErrorIs(t, err, context.Canceled, "a worker whose context has ended gets no key")
		require.Equal(t, 1, q.Len())

		for range 3 {
			go func() {
				key, err := q.Get(context.Background())
				got <- fmt.Sprint(key, err)
			}()
		}
		synctest.Wait()
		require.Len(t, got, 1)
		assert.Equal(t, "d<nil>", <-got)
		q.ShutDown()
		synctest.Wait()
		require.Len(t, got, 2, "ShutDown wakes all")
		assert.Contains(t, <-got, controller.ErrShutDown.Error())
	})
}

// A worker whose context ends does not swallow the wake-up for a key.
func TestNoKeyIsForgottenWithAWorkerThatLeaves(t *testing.T) {
	q := controller.NewQueue[int](controller.QueueOptions{})
	var handedOut sync.WaitGroup
	done := make(chan struct{})
	go func() { // one worker that stays
		defer close(done)
		for {
			key, err := q.Get(context.Background())
			if err != nil {
				return
			}
			q.Done(key)
			handedOut.Done()
		}
	}()
	for i := range 2000 {
		handedOut.Add(1)
		ctx, cancel := context.WithCancel(context.Background())
		var leaving sync.WaitGroup
		leaving.Go(func() {
			if key, err := q.Get(ctx); err == nil {
				q.Done(key)
				handedOut.Done()
			}
		})
		leaving.Go(func() { q.Add(i) })
		cancel()
		leaving.Wait()
		through := make(chan struct{})
		go func() { handedOut.Wait(); close(through) }()
		within(t, through)
	}
	q.ShutDown()
	within(t, done)
}

// lateContext holds Get between its check and its wait until the test releases it.
type lateContext struct {
	context.Context
	arrived, goOn chan struct{}
}

func (c lateContext) Done() <-chan struct{} {
	c.arrived <- struct{}{}
	<-c.goOn
	return c.Context.Done()
}

// Keys that arrive while workers are about to wait wake all of them.
func TestNoWorkerSleepsWhileAKeyIsReady(t *testing.T) {
	const workers = 3
	q := controller.NewQueue[int](controller.QueueOptions{})
	ctx := lateContext{t.Context(), make(chan struct{}), make(chan struct{})}
	got := make(chan int, workers)
	for range workers {
		go func() {
			key, err := q.Get(ctx)
			assert.NoError(t, err)
			got <- key
		}()
	}
	for range workers {
		within(t, ctx.arrived)
	}
	for key := range workers {
		q.Add(key)
	}
	go func() { // a worker that wakes up and finds nothing passes here again
		for range ctx.arrived {
		}
	}()
	close(ctx.goOn)
	for range workers {
		within(t, got)
	}
	close(ctx.arrived)
}

// A queue that never runs empty does not grow with the number of keys that pass through it.
func TestQueueDoesNotGrow(t *testing.T) {
	q := controller.NewQueue[int](controller.QueueOptions{})
	q.Add(0)
	through := func(keys int) {
		for range keys {
			q.Add(1)
			q.Add(2)
			for range 2 {
				key, err := q.Get(context.Background())
				require.NoError(t, err)
				q.Done(key)
				if key == 0 {
					q.Add(key)
				}
			}
		}
	}
	through(100)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	through(100_000)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(256<<10), "bytes allocated for 200,000 keys")
}

// With many workers and many producers, no two workers hold the same key, and a Get follows each addition.
func TestQueueUnderLoad(t *testing.T) {
	const workers, adders, keys, rounds = 4, 4, 7, 2000
	q := controller.NewQueue[int](controller.QueueOptions{BaseDelay: time.Microsecond, MaxDelay: time.Millisecond})
	var wanted, seen [keys]atomic.Int64
	var busy [keys]atomic.Bool
	progress := make(chan struct{}, 1)
	var working, adding sync.WaitGroup
	for w := range workers {
		random := rand.New(rand.NewPCG(uint64(w), 7))
		working.Go(func() {
			for {
				key, err := q.Get(context.Background())
				if err != nil {
					return
				}
				assert.True(t, busy[key].CompareAndSwap(false, true), "two workers have one key")
				now := wanted[key].Load()
				if random.IntN(4) == 0 { // fails: the key must come again
					q.AddRateLimited(key)
				} else {
					seen[key].Store(now)
					q.Forget(key)
				}
				busy[key].Store(false)
				q.Done(key)
				select {
				case progress <- struct{}{}:
				default:
				}
			}
		})
	}
	for a := range adders {
		random := rand.New(rand.NewPCG(uint64(a), 8))
		adding.Go(func() {
			for range rounds {
				key := random.IntN(keys)
				wanted[key].Add(1)
				switch random.IntN(3) {
				case 0:
					q.AddAfter(key, time.Duration(random.IntN(200))*time.Microsecond)
				default:
					q.Add(key)
				}
			}
		})
	}
	adding.Wait()
	for key := range keys {
		for seen[key].Load() != wanted[key].Load() {
			within(t, progress)
		}
	}
	q.ShutDown()
	working.Wait()
}

// clock stands still until the test moves it.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	alarms map[*alarm]bool
	most   int
}

type alarm struct {
	at time.Time
	f  func()
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &alarm{c.now.Add(d), f}
	c.alarms[a] = true
	c.most = max(c.most, len(c.alarms))
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		was := c.alarms[a]
		delete(c.alarms, a)
		return was
	}
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []func()
	for a := range c.alarms {
		if !a.at.After(c.now) {
			due = append(due, a.f)
			delete(c.alarms, a)
		}
	}
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
}

// One timer serves any number of delayed keys, and none is left afterwards.
func TestOneTimer(t *testing.T) {
	c := &clock{now: time.Unix(0, 0), alarms: map[*alarm]bool{}}
	q := controller.NewQueue[int](controller.QueueOptions{})
	q.SetClock(c)
	for i := range 1000 {
		q.AddAfter(i, time.Duration(1+(i*7919)%1000)*time.Second)
	}
	for second := range 500 {
		c.advance(time.Second)
		require.Equal(t, second+1, q.Len())
	}
	assert.Len(t, c.alarms, 1)
	q.ShutDown()
	assert.Empty(t, c.alarms, "the end of the queue stops the timer")
	assert.Equal(t, 1, c.most)
}

func ExampleQueue() {
	q := controller.NewQueue[string](controller.QueueOptions{})
	q.Add("first")
	q.Add("second")
	q.Add("first") // ready already
	q.ShutDown()   // Get still returns added keys
	for {
		key, err := q.Get(context.Background())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(key)
		q.Done(key)
	}
	// Output:
	// first
	// second
	// the queue is shut down
}

func BenchmarkQueue(b *testing.B) {
	for _, waiting := range []int{1, 10_000} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			q := controller.NewQueue[controller.Key](controller.QueueOptions{})
			keys := make([]controller.Key, waiting)
			for i := range keys {
				keys[i] = controller.Key{Namespace: "default", Name: fmt.Sprint("object-", i)}
				q.Add(keys[i])
			}
			b.ReportAllocs()
			for b.Loop() {
				key, err := q.Get(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				q.Done(key)
				q.Add(key)
			}
		})
	}
}
