package validation

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// schedule checks the times at which a CronJob runs. A new schedule names no time zone.
func (r *report) schedule(p *field.Path, text string) {
	if !r.given(p, text) {
		return
	}
	if strings.Contains(text, "TZ") {
		r.is(r.existing, field.Invalid(p, text, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"))
		return
	}
	if err := scheduleProblem(text); err != nil {
		r.add(field.Invalid(p, text, err.Error()))
	}
}

// cronField is a field of a schedule, with the least and the greatest number, and the names of numbers from the least
// on.
type cronField struct {
	least, most int
	names       []string
}

func cronFields() []cronField {
	return []cronField{
		{0, 59, nil}, {0, 23, nil}, {1, 31, nil},
		{1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
		{0, 6, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
	}
}

// scheduleProblem returns the fault of a schedule: five fields, or a name such as "@daily".
func scheduleProblem(text string) error {
	if strings.HasPrefix(text, "@") {
		return namedScheduleProblem(text)
	}
	parts := strings.Fields(text)
	if len(parts) != 5 {
		return fmt.Errorf("expected exactly 5 fields, found %d: %s", len(parts), parts)
	}
	for i, f := range cronFields() {
		for _, expr := range strings.FieldsFunc(parts[i], func(r rune) bool { return r == ',' }) {
			if err := f.problem(expr); err != nil {
				return err
			}
		}
	}
	return nil
}

func namedScheduleProblem(text string) error {
	switch text {
	case "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly":
		return nil
	}
	interval, ok := strings.CutPrefix(text, "@every ")
	if !ok {
		return fmt.Errorf("unrecognized descriptor: %s", text)
	}
	if _, err := time.ParseDuration(interval); err != nil {
		return fmt.Errorf("failed to parse duration %s: %s", text, err)
	}
	return nil
}

// problem returns the fault of one expression of a field, such as "*", "1-5", "mon" or "*/2".
func (f cronField) problem(expr string) error {
	interval, step, stepped := strings.Cut(expr, "/")
	first, last, err := f.ends(interval, expr)
	if err != nil {
		return err
	}
	every := 1
	if stepped {
		if strings.Contains(step, "/") {
			return fmt.Errorf("too many slashes: %s", expr)
		}
		if every, err = cronNumber(step); err != nil {
			return err
		}
		if !strings.Contains(interval, "-") {
			last = f.most
		}
	}
	switch {
	case first < f.least:
		return fmt.Errorf("beginning of range (%d) below minimum (%d): %s", first, f.least, expr)
	case last > f.most:
		return fmt.Errorf("end of range (%d) above maximum (%d): %s", last, f.most, expr)
	case first > last:
		return fmt.Errorf("beginning of range (%d) beyond end of range (%d): %s", first, last, expr)
	case every == 0:
		return fmt.Errorf("step of range should be a positive number: %s", expr)
	}
	return nil
}

// ends returns the ends of an interval.
func (f cronField) ends(interval, expr string) (first, last int, err error) {
	ends := strings.Split(interval, "-")
	if ends[0] == "*" || ends[0] == "?" {
		return f.least, f.most, nil
	}
	if first, err = f.number(ends[0]); err != nil {
		return 0, 0, err
	}
	switch len(ends) {
	case 1:
		return first, first, nil
	case 2:
		last, err = f.number(ends[1])
		return first, last, err
	}
	return 0, 0, fmt.Errorf("too many hyphens: %s", expr)
}

func (f cronField) number(text string) (int, error) {
	for i, name := range f.names {
		if strings.ToLower(text) == name {
			return f.least + i, nil
		}
	}
	return cronNumber(text)
}

func cronNumber(text string) (int, error) {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("failed to parse int from %s: %s", text, err)
	case n < 0:
		return 0, fmt.Errorf("negative number (%d) not allowed: %s", n, text)
	}
	return n, nil
}

// zonePart matches a part of the name of a time zone.
var zonePart = regexp.MustCompile(`^[A-Za-z.\-_0-9+]{1,14}$`)

// timeZone checks the name of a time zone. On a machine without a database of time zones, every name is accepted.
func (r *report) timeZone(p *field.Path, zone *string) {
	if zone == nil {
		return
	}
	if *zone == "" {
		r.add(field.Invalid(p, *zone, "timeZone must be nil or non-empty string"))
		return
	}
	for part := range strings.SplitSeq(*zone, "/") {
		if part == "." || part == ".." || strings.HasPrefix(part, "-") || !zonePart.MatchString(part) {
			r.add(field.Invalid(p, *zone, "unknown time zone "+*zone))
			return
		}
	}
	r.is(!strings.EqualFold(*zone, "Local"), field.Invalid(p, *zone, "timeZone must be an explicit time zone as defined "+
		"in https://www.iana.org/time-zones"))
	if _, err := time.LoadLocation("Etc/UTC"); err != nil {
		return
	}
	if _, err := time.LoadLocation(*zone); err != nil {
		r.add(field.Invalid(p, *zone, err.Error()))
	}
}
