package server

import (
	"os"
	"sync"
)

// ReportVariable is the environment variable with the name of the file for reports.
const ReportVariable = "DECORUM_REPORT"

// ReportTo returns a function for [Config.Report] that appends each line to a file once. Many processes can share the
// file. If path is empty, the function does nothing.
func ReportTo(path string) (report func(text string), end func() error, err error) {
	if path == "" {
		return func(string) {}, func() error { return nil }, nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, nil, err
	}
	var reported sync.Map
	return func(text string) {
		if _, before := reported.LoadOrStore(text, true); !before {
			_, _ = f.WriteString(text + "\n") // a report that is lost must not fail a test
		}
	}, f.Close, nil
}
