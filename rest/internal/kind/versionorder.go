package kind

import (
	"strconv"
	"strings"
)

// compareVersions ranks version names: v2 over v1, v1 over v1beta2, beta over alpha, and names of another form last, by
// letter (API conventions, API versioning). The larger one is preferred.
func compareVersions(a, b string) int {
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

// parseVersion splits a name like v1beta2 into what counts, in falling weight: stability, major, minor.
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
