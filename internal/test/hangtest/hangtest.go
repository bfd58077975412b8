// Package hangtest guards tests against hangs. The result of a test must not depend on the speed of the machine, so
// tests bound real time by nothing else; other bounds belong to clocks that a test drives.
package hangtest

import "time"

// Deadline bounds the wait for something that happens at once on an idle machine.
const Deadline = 5 * time.Minute
