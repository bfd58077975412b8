package generations_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/generations"
	"github.com/decorum-go/decorum/storage"
)

// held returns the keys of the entries, without making them young.
func held(c *generations.Cache[int, string]) (keys []int) {
	c.Forget(func(key int) bool { keys = append(keys, key); return false })
	return keys
}

// The budget counts exactly the bytes of the entries in the cache.
func TestCacheTakesWhatItHolds(t *testing.T) {
	budget := storage.NewBudget(1000)
	c := generations.New[int, string](budget, 100)
	for i := range 50 {
		c.Put(i, fmt.Sprint(i), 10)
		require.LessOrEqual(t, budget.Used(), int64(100))
		require.EqualValues(t, 10*len(held(c)), budget.Used())
	}
	assert.Contains(t, held(c), 49)
	oldest := held(c)[0]
	_, ok := c.Get(oldest)
	assert.True(t, ok)
	c.Put(49, "again", 30)
	assert.Equal(t, "again", c.Add(49, "other", 5))
	c.Put(49, "smaller", 10)
	assert.EqualValues(t, 10*len(held(c)), budget.Used())
	c.Put(49, "too large for a generation", 51)
	assert.NotContains(t, held(c), 49)
	c.Remove(48)
	assert.EqualValues(t, 10*len(held(c)), budget.Used())
	c.Forget(func(int) bool { return true })
	assert.Zero(t, budget.Used())
}

// A cache drops entries when others take the budget. If that does not make enough room, it does not keep a new entry.
func TestCacheGivesWayToOthers(t *testing.T) {
	budget := storage.NewBudget(100)
	c, others := generations.New[int, string](budget, 1000), budget.Part(math.MaxInt64)
	for i := range 100 {
		c.Put(i, "", 1)
	}
	assert.LessOrEqual(t, budget.Used(), int64(50), "half is left to others")
	require.True(t, others.Take(100-budget.Used()))
	c.Put(200, "", 1)
	_, ok := c.Get(200)
	assert.True(t, ok, "older entries have made room")
	require.True(t, budget.Take(100-budget.Used()))
	c.Put(201, "", 60)
	_, ok = c.Get(201)
	assert.False(t, ok)
	assert.LessOrEqual(t, budget.Used(), int64(100))
}

func TestCacheWithoutBytes(t *testing.T) {
	for _, size := range []int64{-1, 0, 1} {
		c := generations.New[int, string](storage.NewBudget(1000), size)
		c.Put(1, "", 1)
		assert.Equal(t, "two", c.Add(2, "two", 1))
		assert.Empty(t, held(c), size)
	}
}
