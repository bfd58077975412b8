package apimeta_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
)

func TestSetCondition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := apimeta.Now()
		then := apimeta.NewTime(now.Add(-time.Hour))
		ready := apimeta.Condition{Type: "Ready", Status: apimeta.ConditionTrue, Reason: "Done", LastTransitionTime: then}
		with := func(change func(*apimeta.Condition)) apimeta.Condition {
			c := ready
			change(&c)
			return c
		}
		tests := []struct {
			name    string
			set     apimeta.Condition
			want    apimeta.Condition
			changed bool
		}{
			{"the same", ready, ready, false},
			{"the same, later", with(func(c *apimeta.Condition) { c.LastTransitionTime = now }), ready, false},
			{"the same, no time", with(func(c *apimeta.Condition) { c.LastTransitionTime = apimeta.Time{} }), ready, false},
			{"other reason", with(func(c *apimeta.Condition) { c.Reason, c.LastTransitionTime = "Again", now }),
				with(func(c *apimeta.Condition) { c.Reason = "Again" }), true},
			{"other message", with(func(c *apimeta.Condition) { c.Message = "m" }),
				with(func(c *apimeta.Condition) { c.Message = "m" }), true},
			{"newer generation", with(func(c *apimeta.Condition) { c.ObservedGeneration = 2 }),
				with(func(c *apimeta.Condition) { c.ObservedGeneration = 2 }), true},
			{"other status, no time", apimeta.Condition{Type: "Ready", Status: apimeta.ConditionFalse},
				apimeta.Condition{Type: "Ready", Status: apimeta.ConditionFalse, LastTransitionTime: now}, true},
			{"other status, given time", with(func(c *apimeta.Condition) { c.Status = apimeta.ConditionUnknown }),
				with(func(c *apimeta.Condition) { c.Status = apimeta.ConditionUnknown }), true},
		}
		for _, tt := range tests {
			other := apimeta.Condition{Type: "Other", Status: apimeta.ConditionTrue}
			conditions := []apimeta.Condition{other, ready}
			assert.Equal(t, tt.changed, apimeta.SetCondition(&conditions, tt.set), tt.name)
			assert.Equal(t, []apimeta.Condition{other, tt.want}, conditions, tt.name)
		}

		var conditions []apimeta.Condition
		assert.True(t, apimeta.SetCondition(&conditions, apimeta.Condition{Type: "New", Status: apimeta.ConditionTrue}))
		assert.Equal(t, []apimeta.Condition{{Type: "New", Status: apimeta.ConditionTrue, LastTransitionTime: now}},
			conditions)
		assert.False(t, apimeta.SetCondition(nil, ready))
	})
}

func TestRemoveCondition(t *testing.T) {
	a, b := apimeta.Condition{Type: "A"}, apimeta.Condition{Type: "B"}
	original := []apimeta.Condition{a, b}
	conditions := original
	assert.True(t, apimeta.RemoveCondition(&conditions, "A"))
	assert.Equal(t, []apimeta.Condition{b}, conditions)
	assert.Equal(t, []apimeta.Condition{a, b}, original, "a shared backing array is left alone")
	assert.False(t, apimeta.RemoveCondition(&conditions, "A"))
	assert.Equal(t, []apimeta.Condition{b}, conditions)
	assert.False(t, apimeta.RemoveCondition(nil, "A"))
}

func TestConditionQuestions(t *testing.T) {
	conditions := []apimeta.Condition{
		{Type: "Yes", Status: apimeta.ConditionTrue},
		{Type: "No", Status: apimeta.ConditionFalse},
		{Type: "Perhaps", Status: apimeta.ConditionUnknown},
	}
	tests := []struct {
		conditionType   string
		isTrue, isFalse bool
	}{
		{"Yes", true, false},
		{"No", false, true},
		{"Perhaps", false, false},
		{"Absent", false, false},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.isTrue, apimeta.IsConditionTrue(conditions, tt.conditionType), tt.conditionType)
		assert.Equal(t, tt.isFalse, apimeta.IsConditionFalse(conditions, tt.conditionType), tt.conditionType)
	}

	apimeta.FindCondition(conditions, "No").Reason = "InPlace"
	assert.Equal(t, "InPlace", conditions[1].Reason)
	assert.Nil(t, apimeta.FindCondition(conditions, "Absent"))
}
