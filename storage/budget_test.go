package storage_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

func TestBudgetTakesExactly(t *testing.T) {
	b := storage.NewBudget(100)
	assert.True(t, b.Take(100))
	assert.False(t, b.Take(1))
	assert.True(t, b.Take(0), "nothing needs no room")
	assert.EqualValues(t, 100, b.Used())
	b.Release(30)
	assert.False(t, b.Take(31))
	assert.True(t, b.Take(30))
	assert.EqualValues(t, 100, b.Used())
}

func TestBudgetWithoutBytes(t *testing.T) {
	for _, limit := range []int64{0, -1, math.MinInt64} {
		for name, b := range map[string]*storage.Budget{"whole": storage.NewBudget(limit),
			"part": storage.NewBudget(100).Part(limit)} {
			assert.False(t, b.Take(1), "%s of %d", name, limit)
			assert.True(t, b.Take(0), "%s of %d", name, limit)
			assert.Zero(t, b.Used())
		}
	}
}

// fillPart takes bytes until the part refuses, and returns how many it has taken.
func fillPart(part *storage.Budget) int64 {
	for part.Take(1) {
	}
	return part.Used()
}

// Parts that take all that they can get leave as much free as each of them holds, so another part always gets its
// share.
func TestPartLeavesRoomForOthers(t *testing.T) {
	whole := storage.NewBudget(1200)
	var parts []*storage.Budget
	for holders := int64(1); holders <= 8; holders++ {
		part := whole.Part(math.MaxInt64)
		parts = append(parts, part)
		if fillPart(part); holders == 1 {
			assert.InDelta(t, 600, part.Used(), 1)
		}
		assert.LessOrEqual(t, whole.Used(), int64(1200))
	}
	for i, part := range parts {
		assert.Positive(t, part.Used(), "part %d", i)
	}
	for _, part := range parts { // once all have released their bytes, they get equal shares
		part.Release(part.Used())
	}
	for range 1200 {
		for _, part := range parts {
			part.Take(1)
		}
	}
	for _, part := range parts {
		assert.InDelta(t, 133, part.Used(), 2)
	}
	assert.InDelta(t, 133, 1200-whole.Used(), 10, "as much is free")
}

func TestPartThatHoldsNothing(t *testing.T) {
	whole := storage.NewBudget(100)
	a, b := whole.Part(math.MaxInt64), whole.Part(math.MaxInt64)
	assert.True(t, a.Take(90), "a single large answer")
	assert.False(t, a.Take(1))
	assert.False(t, b.Take(11))
	assert.True(t, b.Take(10))
	a.Release(90)
	assert.True(t, a.Take(60))
}

func TestPartsOfParts(t *testing.T) {
	whole := storage.NewBudget(400)
	tenant, other := whole.Part(math.MaxInt64), whole.Part(math.MaxInt64)
	cache, answers := tenant.Part(80), tenant.Part(math.MaxInt64)
	assert.EqualValues(t, 80, fillPart(cache), "its own limit")
	assert.True(t, answers.Take(1), "a cache leaves room for answers")
	fillPart(answers)
	assert.LessOrEqual(t, tenant.Used(), whole.Used())
	assert.EqualValues(t, tenant.Used(), cache.Used()+answers.Used())
	assert.LessOrEqual(t, tenant.Used(), int64(201), "a tenant leaves half to the others")
	assert.True(t, other.Take(150))
	assert.EqualValues(t, whole.Used(), tenant.Used()+other.Used())
}

// A part that ends gives back everything, and what its users release afterwards does not count twice.
func TestClosedPart(t *testing.T) {
	whole := storage.NewBudget(100)
	api := whole.Part(math.MaxInt64)
	answers := api.Part(math.MaxInt64)
	require.True(t, answers.Take(40))
	require.True(t, whole.Part(10).Take(5))
	api.Close()
	assert.EqualValues(t, 5, whole.Used())
	answers.Release(40)
	api.Close()
	assert.EqualValues(t, 5, whole.Used())
	assert.False(t, answers.Take(1))
	assert.False(t, api.Take(1))
}

func TestLoan(t *testing.T) {
	whole := storage.NewBudget(100)
	a, b := whole.Lend(), whole.Lend()
	require.NoError(t, a.Take(60))
	err := b.Take(41)
	assert.True(t, status.IsTooManyRequests(err), err)
	assert.EqualValues(t, 1, status.From(err).Status.Details.RetryAfterSeconds)
	assert.True(t, status.IsRequestEntityTooLarge(b.Take(101)), "trying again does not help")
	require.NoError(t, a.Take(40))
	assert.True(t, status.IsRequestEntityTooLarge(a.Take(1)))
	a.Keep(10)
	assert.EqualValues(t, 10, a.Size())
	a.Keep(50)
	assert.EqualValues(t, 10, whole.Used(), "Keep takes nothing")
	a.Release()
	a.Release()
	assert.Zero(t, whole.Used())

	var free storage.Loan
	assert.NoError(t, free.Take(math.MaxInt64))
	free.Release()
}

// What a loan already has is no reason to refuse the rest, because it grows as if it were taken at once.
func TestLoanGrows(t *testing.T) {
	part := storage.NewBudget(400).Part(math.MaxInt64).Part(300)
	loan := part.Lend()
	for range 30 {
		require.NoError(t, loan.Take(10))
	}
	assert.True(t, status.IsRequestEntityTooLarge(loan.Take(1)))
	loan.Release()
	assert.Zero(t, part.Used())
}

// Each borrower leaves as much free as it holds, however many loans it has.
func TestBorrowersLeaveRoomForOthers(t *testing.T) {
	answers := storage.NewBudget(300)
	fill := func(borrower string) (has int64) {
		for {
			loan := answers.LendTo(borrower)
			if loan.Take(1) != nil {
				return has
			}
			has++
		}
	}
	assert.EqualValues(t, 150, fill("a"))
	assert.EqualValues(t, 75, fill("b"))
	again := answers.LendTo("a")
	assert.True(t, status.IsTooManyRequests(again.Take(1)))
	assert.True(t, status.IsRequestEntityTooLarge(again.Take(151)), "trying again does not help")
	nobody := answers.Lend()
	require.NoError(t, nobody.Take(25))
	nobody.Release()
	assert.EqualValues(t, 37, fill("c"))
	assert.EqualValues(t, 150+75+37, answers.Used())
}

// A borrower that has given everything back is forgotten.
func TestBorrowerGivesBack(t *testing.T) {
	b := storage.NewBudget(100)
	for range 3 {
		first, second := b.LendTo("a"), b.LendTo("a")
		require.NoError(t, first.Take(20))
		require.NoError(t, second.Take(30))
		assert.Error(t, second.Take(1))
		first.Keep(10)
		require.NoError(t, second.Take(10))
		first.Release()
		second.Release()
		assert.Zero(t, b.Used())
	}
}

// Caches give back what they hold before an answer is refused, unless the borrower has too much itself.
func TestLoansShrinkCaches(t *testing.T) {
	api := storage.NewBudget(400).Part(math.MaxInt64)
	cache, answers := api.Part(200), api.Part(math.MaxInt64)
	shrunk := 0
	api.OnRefusal(func() { shrunk++; cache.Release(cache.Used() / 2) })
	require.True(t, cache.Take(200))
	loan := answers.LendTo("a")
	require.NoError(t, loan.Take(70))
	assert.Equal(t, 2, shrunk)
	assert.EqualValues(t, 50, cache.Used())
	other := answers.LendTo("a")
	assert.Error(t, other.Take(60))
	assert.Equal(t, 2, shrunk, "the caches have to do nothing with it")
}

func TestBudgetForManyGoroutines(t *testing.T) {
	whole := storage.NewBudget(1000)
	var running sync.WaitGroup
	for i := range 8 {
		part := whole.Part(int64(100 * i))
		running.Go(func() {
			for n := range int64(2000) {
				if part.Take(n % 90) {
					assert.LessOrEqual(t, whole.Used(), int64(1000))
					part.Release(n % 90)
				}
			}
		})
	}
	running.Wait()
	assert.Zero(t, whole.Used())
}

func TestBudgetAllocatesNothing(t *testing.T) {
	part := storage.NewBudget(100).Part(50)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		loan := part.Lend()
		_ = loan.Take(20)
		loan.Release()
	}))
}
