package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
)

// window decodes itself with encoding/json.
type window struct {
	Days int8 `json:"days"`
}

func (w *window) UnmarshalJSON(text []byte) error {
	type plain window
	if err := json.Unmarshal(text, (*plain)(w)); err != nil {
		return err
	}
	if w.Days > 7 {
		return errors.New("a week has seven days")
	}
	return nil
}

// clock decodes itself from text, also as a map key.
type clock struct{ time.Time }

func (c *clock) UnmarshalText(text []byte) (err error) {
	if c.Time, err = time.Parse(time.Kitchen, string(text)); err != nil && len(text) > 8 {
		return fmt.Errorf("%q is not a time of day", text)
	}
	return err
}

// Clients see the message of a type that encodes itself. Errors that it passes on from encoding/json and package time
// are reworded.
func TestOwnWords(t *testing.T) {
	type spec struct {
		Window  window                       `json:"window,omitempty"`
		At      apimeta.MicroTime            `json:"at,omitempty"`
		Opens   map[clock]string             `json:"opens,omitempty"`
		Windows map[string]window            `json:"windows,omitempty"`
		Days    map[apimeta.MicroTime]string `json:"days,omitempty"`
	}
	s := derive[spec](t, schema.Options{})
	for text, want := range map[string]string{
		`{window: {days: 7}, at: "2026-01-02T03:04:05.000000Z", opens: {"8:30AM": ""}}`: "",
		`{window: {days: 8}}`:           "window: Invalid value: {\"days\":8}: a week has seven days",
		`{window: {days: x}}`:           `window: Invalid value: {"days":"x"}: json: cannot unmarshal string into Go struct field plain.days of type int8`,
		`{window: 5}`:                   "window: Invalid value: 5: json: cannot unmarshal number into Go value of type schema_test.plain",
		`{windows: {a: {days: 300}}}`:   `windows: Invalid value: {"a":{"days":300}}: json: cannot unmarshal number 300 into Go struct field plain.days of type int8`,
		`{at: "2026-01-02T03:04:05Z"}`:  `at: Invalid value: "2026-01-02T03:04:05Z": parsing time "2026-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"`,
		`{opens: {"a quarter to": ""}}`: `opens.a quarter to: Invalid value: "a quarter to": the key is not of its type: "a quarter to" is not a time of day`,
		`{opens: {"noon": ""}}`:         `opens.noon: Invalid value: "noon": the key is not of its type: parsing time "noon" as "3:04PM": cannot parse "noon" as "3"`,
		`{days: {"2026-01-02": ""}}`:    `days.2026-01-02: Invalid value: "2026-01-02": the key is not of its type: parsing time "2026-01-02" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "" as "T"`,
	} {
		errs := s.CheckTypes(nil, parse(t, text))
		if want == "" {
			assert.Empty(t, errs, text)
			continue
		}
		assert.EqualError(t, errs, want, text)
	}
}
