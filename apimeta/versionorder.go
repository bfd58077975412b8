package apimeta

import (
	"strconv"
	"strings"
)

// CompareVersions compares the names of two versions by preference (API conventions, API versioning): the preferred one
// is larger. v2 is larger than v1, v1 than v1beta2, and beta than alpha. A name of another form is smaller than all of
// these.
func CompareVersions(a, b string) int {
	x, okX := parseVersion(a)
	y, okY := parseVersion(b)
	switch {
	case okX && !okY:
		return 1
	case !okX && okY:
		return -1
	case !okX:
		return strings.Compare(b, a)
	}
	for i := range x {
		if x[i] != y[i] {
			if x[i] > y[i] {
				return 1
			}
			return -1
		}
	}
	return 0
}

// parseVersion splits a name such as v1beta2 into its stability, major and minor number, in the order of their weight.
func parseVersion(name string) (rank [3]int, ok bool) {
	rest, found := strings.CutPrefix(name, "v")
	if !found {
		return rank, false
	}
	const stable, beta, alpha = 2, 1, 0
	rank[0] = stable
	for level, word := range map[int]string{beta: "beta", alpha: "alpha"} {
		if major, minor, found := strings.Cut(rest, word); found {
			rank[0] = level
			n, err := strconv.Atoi(minor)
			if err != nil {
				return rank, false
			}
			rank[2], rest = n, major
		}
	}
	n, err := strconv.Atoi(rest)
	rank[1] = n
	return rank, err == nil
}
