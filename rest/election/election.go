package election

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
)

// Options configure a candidate. All candidates of an election must use the same Name and the same durations.
type Options struct {
	// Client accesses the leases of one namespace.
	Client rest.Client[builtin.Lease]
	// Name is the name of the lease. Run creates the lease if it does not exist.
	Name string
	// Identity identifies the candidate, and must be unique in the election. The lease shows it to people. Default: a
	// random text.
	Identity string

	// LeaseDuration is how long the other candidates wait for a renewal before they try to take the lease. Run rounds it
	// up to whole seconds. Default: 15 seconds.
	LeaseDuration time.Duration
	// RenewDeadline is how long the leader continues after its last successful renewal. It must be shorter than
	// LeaseDuration. Default: 10 seconds.
	RenewDeadline time.Duration
	// RetryPeriod is the time between two renewals of the leader. The other candidates also wait this long between two
	// attempts, plus a random time of up to 1.2 times RetryPeriod. RenewDeadline must be longer than 1.2 times
	// RetryPeriod. Default: 2 seconds.
	RetryPeriod time.Duration

	// OnLeader, unless nil, receives the identity of each new leader that the candidate sees, including its own. It
	// receives "" when no candidate leads. The candidate waits for OnLeader, so it must return quickly.
	OnLeader func(identity string)
	// Logger logs at level Info when the candidate starts and stops leading, and at level Error when a request fails.
	// Default: Run logs errors only, to the logger that slog.Default returns when Run starts.
	Logger *slog.Logger
}

// jitter bounds the random time that candidates add to RetryPeriod, as a multiple of RetryPeriod.
const jitter = 1.2

func (o Options) withDefaults() (Options, error) {
	o.Identity = cmp.Or(o.Identity, rand.Text())
	o.LeaseDuration = cmp.Or(o.LeaseDuration, 15*time.Second)
	o.RenewDeadline = cmp.Or(o.RenewDeadline, 10*time.Second)
	o.RetryPeriod = cmp.Or(o.RetryPeriod, 2*time.Second)
	o.Logger = errorlog.Or(o.Logger).With("lease", o.Name, "identity", o.Identity)
	switch {
	case o.Name == "":
		return o, errors.New("election: the lease has no name")
	case o.RetryPeriod < 0:
		return o, fmt.Errorf("election: RetryPeriod %v is negative", o.RetryPeriod)
	case float64(o.RenewDeadline) <= jitter*float64(o.RetryPeriod):
		return o, fmt.Errorf("election: RenewDeadline %v must be longer than %v times RetryPeriod %v", o.RenewDeadline,
			jitter, o.RetryPeriod)
	case o.LeaseDuration <= o.RenewDeadline:
		return o, fmt.Errorf("election: LeaseDuration %v must be longer than RenewDeadline %v", o.LeaseDuration,
			o.RenewDeadline)
	}
	return o, nil
}

// Run campaigns for the lease, and calls lead once the candidate is the leader. The context of lead ends when ctx ends
// or when the candidate loses the lease. lead must then stop its work and return. After the loss of the lease it has
// LeaseDuration minus RenewDeadline for that, because another candidate may lead afterwards. After the end of ctx, Run
// keeps renewing the lease until lead has returned. Then it releases the lease, so that the next leader need not wait
// for it to expire.
//
// If lead returns while the candidate holds the lease, Run returns the result of lead. If the candidate has lost the
// lease, Run logs the error of lead and campaigns again, so it may call lead several times, but never twice at once.
// When ctx ends, Run returns nil or the error of lead. Run returns an error if an option is invalid, if lead panics, or
// if the client's API in the same process closes. All goroutines that Run starts end before it returns.
func Run(ctx context.Context, options Options, lead func(ctx context.Context) error) error {
	options, err := options.withDefaults()
	if err != nil {
		return err
	}
	c := &candidate{Options: options}
	for {
		begun, err := c.campaign(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		t := &term{candidate: c, begun: begun}
		if err = t.serve(ctx, lead); !errors.Is(err, errLost) {
			return err
		}
		c.Logger.Log(ctx, slog.LevelError, "lost the lease", "error", err)
	}
}
