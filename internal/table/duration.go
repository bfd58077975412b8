package table

import (
	"strconv"
	"time"
)

// HumanDuration prints a duration briefly: in one unit, or in two if the smaller one still matters ("119s", "9m59s",
// "47h", "7y364d"). It prints "0s" for a negative duration of less than two seconds, because the clocks of two machines
// may differ, and "<invalid>" below that.
func HumanDuration(d time.Duration) string {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	switch {
	case d <= -2*time.Second:
		return "<invalid>"
	case d < 0:
		return "0s"
	case d < 2*time.Minute:
		return one(d, time.Second, "s")
	case d < 10*time.Minute:
		return two(d, time.Minute, "m", time.Second, "s")
	case d < 3*time.Hour:
		return one(d, time.Minute, "m")
	case d < 8*time.Hour:
		return two(d, time.Hour, "h", time.Minute, "m")
	case d < 2*day:
		return one(d, time.Hour, "h")
	case d < 8*day:
		return two(d, day, "d", time.Hour, "h")
	case d < 2*year:
		return one(d, day, "d")
	case d < 8*year:
		return two(d, year, "y", day, "d")
	}
	return one(d, year, "y")
}

func one(d, unit time.Duration, name string) string {
	return strconv.FormatInt(int64(d/unit), 10) + name
}

func two(d, large time.Duration, name string, small time.Duration, smallName string) string {
	rest := d % large
	if rest < small {
		return one(d, large, name)
	}
	return one(d, large, name) + one(rest, small, smallName)
}
