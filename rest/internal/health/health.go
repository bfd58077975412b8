// Package health writes the answers of the health endpoints.
package health

import (
	"slices"
	"strings"
)

// The checks of the health endpoints. The report shows Store only if it fails.
const (
	Ping  = "ping"
	Store = "store"
)

// Check returns the answer for a single check, and whether it succeeds. failed holds the reasons of the failed checks. known is false if no
// check has the name.
func Check(name string, failed map[string]string) (text string, ok, known bool) {
	why, down := failed[name]
	switch {
	case name != Ping && name != Store:
		return "", false, false
	case down:
		return "internal server error: " + why + "\n", false, true
	}
	return "ok", true, true
}

// Report returns the answer for all checks of an endpoint but the excluded ones, and whether they succeed. A report of success is short
// unless it is verbose.
func Report(endpoint string, failed map[string]string, excluded []string, verbose bool) (text string, ok bool) {
	var report strings.Builder
	ok = true
	for _, check := range []string{Ping, Store} {
		why, down := failed[check]
		if check == Ping {
			why = "reason withheld" // the text of kube-apiserver
		}
		switch {
		case slices.Contains(excluded, check):
			report.WriteString("[+]" + check + " excluded: ok\n")
		case down:
			ok = false
			report.WriteString("[-]" + check + " failed: " + why + "\n")
		case check == Ping:
			report.WriteString("[+]" + check + " ok\n")
		}
	}
	switch {
	case !ok:
		return report.String() + endpoint + " check failed\n", false
	case verbose:
		return report.String() + endpoint + " check passed\n", true
	}
	return "ok", true
}
