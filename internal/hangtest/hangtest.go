// Package hangtest has the guard of tests against hangs. A test must not depend on how fast the machine is, so there is no
// other bound on time, but for clocks that the test drives.
package hangtest

import "time"

// Deadline is how long something may take that happens at once on an idle machine.
const Deadline = 5 * time.Minute
