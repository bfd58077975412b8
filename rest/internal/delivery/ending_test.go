package delivery_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/internal/delivery"
)

// Each answer is hurried once, whether it registers before the end or after it, and not after it is complete.
func TestTheEndHurriesAnswersUnderWay(t *testing.T) {
	e := delivery.NewEnding()
	var early, done, late delivery.Hurried
	hurried := map[string]int{}
	e.Hurry(&early, func() { hurried["early"]++ })
	e.Hurry(&done, func() { hurried["done"]++ })
	done.Stop()
	ctx, cancel := e.Until(t.Context())
	defer cancel()
	assert.NoError(t, e.Err())

	cause := errors.New("shutting down")
	e.Begin(cause)
	e.HurryAll()
	e.HurryAll()
	e.Hurry(&late, func() { hurried["late"]++ })
	assert.Error(t, e.Err())
	<-ctx.Done()
	assert.ErrorIs(t, context.Cause(ctx), cause)
	assert.Equal(t, map[string]int{"early": 1, "late": 1}, hurried)
	early.Stop()
	late.Stop()
}
