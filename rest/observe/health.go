package observe

import (
	"context"
	"time"
)

// HealthEndpoint is a path that reports the health of the program.
type HealthEndpoint string

// The endpoints of health.
const (
	// Readyz says whether the program should receive requests. Load balancers ask it.
	Readyz HealthEndpoint = "readyz"
	// Livez says whether the program works at all. Kubernetes restarts a container whose /livez fails.
	Livez HealthEndpoint = "livez"
	// Healthz is the older name of Livez, which some load balancers still ask.
	Healthz HealthEndpoint = "healthz"
)

// HealthCheck is a check that the health endpoints make in addition to the checks of the API. The report at /readyz
// names a check that fails, but withholds the reason, because everybody may be allowed to read it. The log, and the
// path of the single check, such as /readyz/billing, give the reason.
type HealthCheck struct {
	// Name is the name of the check in reports and paths, such as "billing". It is a DNS label. The names ping, store,
	// plugins and shutdown belong to the API.
	Name string
	// Endpoints are where the check counts. Default: Readyz. A failure at Livez makes Kubernetes restart the program, so a
	// check belongs there only if a restart helps.
	Endpoints []HealthEndpoint
	// Check returns an error if something is wrong. A panic is an error too. ctx ends after Timeout. The API calls Check
	// once at a time: a request that arrives meanwhile gets the same result.
	Check func(ctx context.Context) error
	// Timeout is the time limit of Check. Beyond it the check fails, even if Check does not return. Choose less than the
	// time limit of those who ask. Default: 1 second.
	Timeout time.Duration
}
