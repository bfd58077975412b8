package apimeta_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
)

func berlin() time.Time {
	return time.Date(2024, 5, 6, 9, 8, 7, 123456789, time.FixedZone("CEST", 2*60*60))
}

func TestTimeOnTheWire(t *testing.T) {
	micro := apimeta.NewMicroTime(berlin())
	tests := []struct {
		name  string
		value any
		want  string
	}{
		{"UTC, whole seconds", apimeta.NewTime(berlin()), `"2024-05-06T07:08:07Z"`},
		{"built by hand", apimeta.Time{Time: berlin()}, `"2024-05-06T07:08:07Z"`},
		{"zero", apimeta.Time{}, `null`},
		{"nil", (*apimeta.Time)(nil), `null`},
		{"map key", map[apimeta.Time]int{apimeta.NewTime(berlin()): 1}, `{"2024-05-06T07:08:07Z":1}`},
		{"micro", micro, `"2024-05-06T07:08:07.123456Z"`},
		{"micro pointer", &micro, `"2024-05-06T07:08:07.123456Z"`},
		{"micro, round", apimeta.NewMicroTime(berlin().Truncate(time.Second)), `"2024-05-06T07:08:07.000000Z"`},
		{"micro zero", apimeta.MicroTime{}, `null`},
		{"micro map key", map[apimeta.MicroTime]int{micro: 1}, `{"2024-05-06T07:08:07.123456Z":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(tt.value)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(got))
		})
	}
}

func TestTimeFromTheWire(t *testing.T) {
	instant := time.Date(2024, 5, 6, 7, 8, 7, 0, time.UTC)
	tests := []struct {
		name  string
		input string
		want  time.Time
		err   string
	}{
		{"UTC", `"2024-05-06T07:08:07Z"`, instant, ""},
		{"offset", `"2024-05-06T09:08:07+02:00"`, instant, ""},
		{"fraction is cut", `"2024-05-06T07:08:07.999Z"`, instant, ""},
		{"escaped", `"2024-05-06T07:08:07\u005a"`, instant, ""},
		{"null", `null`, time.Time{}, ""},
		{"word", `"yesterday"`, time.Time{},
			`parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"`},
		{"empty", `""`, time.Time{}, `parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"`},
		{"number", `7`, time.Time{}, `json: cannot unmarshal number into Go value of type string`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := apimeta.Now()
			err := json.Unmarshal([]byte(tt.input), &got)
			if tt.err != "" {
				assert.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, apimeta.Time{Time: tt.want}, got)
		})
	}
}

func TestMicroTimeFromTheWire(t *testing.T) {
	tests := []struct {
		name  string
		input string
		want  time.Time
		err   string
	}{
		{"six digits", `"2024-05-06T07:08:07.123456Z"`, time.Date(2024, 5, 6, 7, 8, 7, 123456000, time.UTC), ""},
		{"offset", `"2024-05-06T09:08:07.000000+02:00"`, time.Date(2024, 5, 6, 7, 8, 7, 0, time.UTC), ""},
		{"null", `null`, time.Time{}, ""},
		{"no digits", `"2024-05-06T07:08:07Z"`, time.Time{},
			`parsing time "2024-05-06T07:08:07Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"`},
		{"three digits", `"2024-05-06T07:08:07.123Z"`, time.Time{},
			`parsing time "2024-05-06T07:08:07.123Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".123Z" as ".000000"`},
		{"nine digits", `"2024-05-06T07:08:07.123456789Z"`, time.Time{},
			`parsing time "2024-05-06T07:08:07.123456789Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "789Z" as "Z07:00"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := apimeta.NowMicro()
			err := json.Unmarshal([]byte(tt.input), &got)
			if tt.err != "" {
				assert.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, apimeta.MicroTime{Time: tt.want}, got)
		})
	}
}

func TestTimeOutsideOfRFC3339(t *testing.T) {
	for _, year := range []int{-1, 10000} {
		instant := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		_, err := json.Marshal(apimeta.Time{Time: instant})
		assert.ErrorContains(t, err, "year outside of 0 to 9999")
		_, err = json.Marshal(apimeta.MicroTime{Time: instant})
		assert.ErrorContains(t, err, "year outside of 0 to 9999")
	}
}

func TestTimeText(t *testing.T) {
	for _, want := range []apimeta.Time{{}, apimeta.NewTime(berlin())} {
		text, err := want.MarshalText()
		require.NoError(t, err)
		var got apimeta.Time
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, want, got)
	}
	for _, want := range []apimeta.MicroTime{{}, apimeta.NewMicroTime(berlin())} {
		text, err := want.MarshalText()
		require.NoError(t, err)
		var got apimeta.MicroTime
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, want, got)
	}
	var parseError *time.ParseError
	assert.True(t, errors.As(new(apimeta.Time).UnmarshalText([]byte("x")), &parseError))
	assert.True(t, errors.As(new(apimeta.MicroTime).UnmarshalText([]byte("x")), &parseError))
}

func TestTimeComparisons(t *testing.T) {
	early, late := apimeta.NewTime(berlin()), apimeta.NewTime(berlin().Add(time.Minute))
	assert.True(t, early.Before(&late))
	assert.False(t, late.Before(&early))
	assert.False(t, early.Before(nil))
	assert.False(t, (*apimeta.Time)(nil).Before(&early))
	assert.True(t, early.Equal(&apimeta.Time{Time: berlin().Truncate(time.Second)}), "another zone, the same instant")
	assert.False(t, early.Equal(nil))
	assert.True(t, (*apimeta.Time)(nil).Equal(nil))
	assert.True(t, (*apimeta.Time)(nil).IsZero())
	assert.False(t, early.IsZero())
	assert.Equal(t, apimeta.Time{}, apimeta.NewTime(time.Time{}.In(time.Local)), "zero stays the zero value")

	first, second := apimeta.NewMicroTime(berlin()), apimeta.NewMicroTime(berlin().Add(time.Microsecond))
	assert.True(t, first.Before(&second))
	assert.False(t, second.Before(nil))
	assert.False(t, first.Equal(&second))
	assert.True(t, first.Equal(&first))
	assert.True(t, (*apimeta.MicroTime)(nil).Equal(nil))
	assert.True(t, (*apimeta.MicroTime)(nil).IsZero())
}

func TestTimesDescribeTheirSchema(t *testing.T) {
	type described interface {
		OpenAPISchemaType() []string
		OpenAPISchemaFormat() string
	}
	for _, v := range []described{apimeta.Time{}, apimeta.MicroTime{}} {
		assert.Equal(t, []string{"string"}, v.OpenAPISchemaType())
		assert.Equal(t, "date-time", v.OpenAPISchemaFormat())
	}
	var fields described = apimeta.FieldsV1{}
	assert.Equal(t, []string{"object"}, fields.OpenAPISchemaType())
	assert.Empty(t, fields.OpenAPISchemaFormat())
}

func FuzzTime(f *testing.F) {
	for _, seed := range []string{`"2024-05-06T07:08:07Z"`, `"2024-05-06T07:08:07.123456+02:00"`, `null`,
		`"9999-12-31T23:59:59-23:59"`,
		`"0000-01-01T00:00:00Z"`, `"0001-01-01T00:00:00Z"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second apimeta.Time
		if first.UnmarshalJSON(data) == nil {
			if encoded, err := first.MarshalJSON(); err == nil {
				require.NoError(t, second.UnmarshalJSON(encoded))
				assert.Equal(t, first, second)
			}
		}
		var micro, again apimeta.MicroTime
		if micro.UnmarshalJSON(data) == nil {
			if encoded, err := micro.MarshalJSON(); err == nil {
				require.NoError(t, again.UnmarshalJSON(encoded))
				assert.Equal(t, micro, again)
			}
		}
	})
}
